/** A kind of descriptor and how many of it the Ed-Fi template has. */
export interface DescriptorKind {
  /** Without the ending: `GradeLevel` for the GradeLevelDescriptor. */
  name: string;
  count: number;
}

/** The kinds of Ed-Fi Data Standard 5.2 as counted in its descriptor files, and the three of Grand Bend's own. */
const counts = `
  AbsenceEventCategory:12 AcademicHonorCategory:18 AcademicSubject:19 Accommodation:9 AccountType:3
  AchievementCategory:12 AdditionalCreditType:5 AddressType:15 AdministrationEnvironment:4
  AdministrativeFundingControl:3 AssessmentCategory:44 AssessmentIdentificationSystem:8 AssessmentItemCategory:22
  AssessmentItemResult:6 AssessmentPeriod:6 AssessmentReportingMethod:44 AssignmentLateStatus:2 AttemptStatus:16
  AttendanceEventCategory:7 BarrierToInternetAccessInResidence:4 Behavior:4 CTEProgramService:17 CalendarEvent:10
  CalendarType:5 CareerPathway:17 CharterApprovalAgencyType:9 CharterStatus:4 CitizenshipStatus:5
  ClassroomPosition:4 CohortScope:9 CohortType:11 CohortYearType:12 CompetencyLevel:7 ContactType:1 ContentClass:5
  ContinuationOfServicesReason:3 CostRate:2 Country:249 CourseAttemptResult:4 CourseDefinedBy:4
  CourseGPAApplicability:3 CourseIdentificationSystem:9 CourseLevelCharacteristic:23 CourseRepeatCode:6
  CredentialField:15 CredentialType:7 CreditCategory:8 CreditType:17 CrisisType:19 CurriculumUsed:9 DeliveryMethod:4
  Diagnosis:2 DiplomaLevel:7 DiplomaType:18 Disability:20 DisabilityDesignation:3
  DisabilityDeterminationSourceType:9 Discipline:10 DisciplineActionLengthDifferenceReason:12
  DisciplineIncidentParticipationCode:4 DisplacedStudentStatus:4 DualCreditType:3
  EducationOrganizationAssociationType:3 EducationOrganizationCategory:8
  EducationOrganizationIdentificationSystem:11 EducationPlan:12 EducationalEnvironment:13 ElectronicMailType:4
  EligibilityDelayReason:9 EligibilityEvaluationType:2 EmploymentStatus:10 EnrollmentType:3 EntryGradeLevelReason:13
  EntryType:5 EvaluationDelayReason:3 EventCircumstance:32 ExitWithdrawType:15 FinancialCollection:5 GradeLevel:26
  GradePointAverageType:2 GradeType:7 GradebookEntryType:8 GradingPeriod:20 GraduationPlanType:5
  GunFreeSchoolsActReportingStatus:4 HomelessPrimaryNighttimeResidence:4 HomelessProgramService:8 IDEAPart:2
  IdentificationDocumentUse:3 ImmunizationType:18 IncidentLocation:25 InstitutionTelephoneNumberType:7
  InteractivityStyle:4 InternetAccess:13 InternetAccessTypeInResidence:9 InternetPerformanceInResidence:3
  InterventionClass:4 InterventionEffectivenessRating:7 Language:484 LanguageInstructionProgramService:17
  LanguageUse:8 LearningStandardCategory:3 LearningStandardEquivalenceStrength:4 LearningStandardScope:6
  LevelOfEducation:7 LicenseStatus:3 LicenseType:15 LimitedEnglishProficiency:4 LocalEducationAgencyCategory:11
  Locale:12 MagnetSpecialProgramEmphasisSchool:3 MediumOfInstruction:13 MethodCreditEarned:8
  MigrantEducationProgramService:7 Monitored:3 NeglectedOrDelinquentProgram:6 NeglectedOrDelinquentProgramService:13
  NetworkPurpose:2 NonMedicalImmunizationExemption:3 OperationalStatus:8 OtherNameType:4 Participation:4
  PerformanceBaseConversion:7 PerformanceLevel:14 PersonalInformationVerification:15 PlatformType:2
  PopulationServed:11 PostSecondaryEventCategory:11 PostSecondaryInstitutionLevel:11 PostingResult:2
  PrimaryLearningDeviceAccess:3 PrimaryLearningDeviceAwayFromSchool:7 PrimaryLearningDeviceProvider:3 Proficiency:2
  ProgramAssignment:6 ProgramEvaluationPeriod:11 ProgramEvaluationType:6 ProgramSponsor:12 ProgramType:61 Progress:3
  ProgressLevel:4 ProviderCategory:21 ProviderProfitability:3 ProviderStatus:3 PublicationStatus:5 QuestionForm:8
  Race:9 RatingLevel:9 ReasonExited:13 ReasonNotTested:14 RecognitionType:12 Relation:50 RepeatIdentifier:8
  ReporterDescription:6 ReportingTag:5 ResidencyStatus:5 ResponseIndicator:4 Responsibility:8 RestraintEventReason:3
  ResultDatatypeType:6 RetestIndicator:4 SchoolCategory:16 SchoolChoiceBasis:5 SchoolChoiceImplementStatus:4
  SchoolFoodServiceProgramService:15 SchoolType:5 Section504Disability:22 SectionCharacteristic:2 SectionType:3
  Separation:4 SeparationReason:11 Service:15 Sex:4 SourceSystem:4 SpecialEducationExitReason:7
  SpecialEducationProgramService:12 SpecialEducationSetting:16 StaffClassification:37 StaffIdentificationSystem:15
  StaffLeaveEventCategory:18 StateAbbreviation:62 StudentCharacteristic:14 StudentIdentificationSystem:12
  SubmissionStatus:5 SupporterMilitaryConnection:6 SurveyCategory:10 SurveyLevel:25 TeachingCredential:15
  TeachingCredentialBasis:8 TechnicalSkillsAssessment:3 TelephoneNumberType:8 Term:16 TitleIPartAParticipant:5
  TitleIPartAProgramService:9 TitleIPartASchoolDesignation:7 TransportationPublicExpenseEligibilityType:11
  TransportationType:5 TravelDayofWeek:7 TravelDirection:3 TribalAffiliation:620 Visa:7 Weapon:10
  Indicator:1 IndicatorGroup:1 IndicatorLevel:2
`;

export const descriptorKinds: readonly DescriptorKind[] = counts
  .trim()
  .split(/\s+/)
  .map((entry) => {
    const [name = '', count = ''] = entry.split(':');
    return { name, count: Number(count) };
  });
