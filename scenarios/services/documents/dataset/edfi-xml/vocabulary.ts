import { findResource, resourceEndpoints } from '../../model/lookup.ts';
import { camelCase, plural } from '../edfi-names.ts';

/**
 * Facts that the XML leaves out. A collection with one member looks like a single value, and every value is text; the JSON
 * convention differs in both. All else follows from the names (see `to-body.ts`).
 *
 * To teach the reader a new resource: its collections here, its numbers and booleans below, and its natural key in
 * `scenarios/services/documents/model/catalog.ts`.
 */

/** Elements that are collections however often they occur, as `Element` or `Parent.Element`, with the array's key. */
// A map, since an element may have the name of something that every object has.
const collections: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Address: 'addresses',
    EducationOrganizationCategory: 'educationOrganizationCategories',
    EducationOrganizationIdentificationCode: 'identificationCodes',
    EducationOrganizationIndicator: 'indicators',
    ElectronicMail: 'electronicMails',
    InstitutionTelephone: 'institutionTelephones',
    InternationalAddress: 'internationalAddresses',
    OtherName: 'otherNames',
    Telephone: 'telephones',
    'BellSchedule.ClassPeriodReference': 'classPeriods',
    'BellSchedule.GradeLevel': 'gradeLevels',
    'Calendar.GradeLevel': 'gradeLevels',
    'CalendarDate.CalendarEvent': 'calendarEvents',
    'ClassPeriod.MeetingTime': 'meetingTimes',
    'Contact.Language': 'languages',
    'Course.AcademicSubject': 'academicSubjects',
    'Course.CourseIdentificationCode': 'identificationCodes',
    'Course.CourseLevelCharacteristic': 'levelCharacteristics',
    'Course.LearningStandardReference': 'learningStandards',
    'Course.OfferedGradeLevel': 'offeredGradeLevels',
    'CourseOffering.OfferedGradeLevel': 'offeredGradeLevels',
    'EducationOrganizationIndicator.Period': 'periods',
    'Language.LanguageUse': 'uses',
    'LearningStandard.AcademicSubject': 'academicSubjects',
    'LearningStandard.GradeLevel': 'gradeLevels',
    'Parent.Language': 'languages',
    'Program.ProgramSponsor': 'sponsors',
    'School.GradeLevel': 'gradeLevels',
    'School.SchoolCategory': 'schoolCategories',
    'Section.ClassPeriodReference': 'classPeriods',
    'Section.OfferedGradeLevel': 'offeredGradeLevels',
    'Section.ProgramReference': 'programs',
    'Section.SectionCharacteristic': 'characteristics',
    'Session.GradingPeriodReference': 'gradingPeriods',
    'Staff.Language': 'languages',
    'Staff.Race': 'races',
    'Staff.StaffIdentificationCode': 'identificationCodes',
    'StaffSchoolAssociation.AcademicSubject': 'academicSubjects',
    'StaffSchoolAssociation.GradeLevel': 'gradeLevels',
    'StudentCharacteristic.Period': 'periods',
    'StudentEducationOrganizationAssociation.CohortYear': 'cohortYears',
    'StudentEducationOrganizationAssociation.Disability': 'disabilities',
    'StudentEducationOrganizationAssociation.Language': 'languages',
    'StudentEducationOrganizationAssociation.Race': 'races',
    'StudentEducationOrganizationAssociation.StudentCharacteristic': 'studentCharacteristics',
    'StudentEducationOrganizationAssociation.StudentIdentificationCode': 'studentIdentificationCodes',
    'StudentEducationOrganizationAssociation.StudentIndicator': 'studentIndicators',
    'StudentEducationOrganizationAssociation.TribalAffiliation': 'tribalAffiliations',
    'StudentIndicator.Period': 'periods',
    'StudentSchoolAssociation.EducationPlan': 'educationPlans',
    'StudentSectionAssociation.ProgramReference': 'programs',
  }),
);

/** Elements whose members stand in the parent itself in JSON. */
const inlined: ReadonlySet<string> = new Set([
  'CommunityProviderLicense.License',
  'Contact.Name',
  'Parent.Name',
  'Staff.Citizenship',
  'Staff.Name',
  'StaffEducationOrganizationEmploymentAssociation.EmploymentPeriod',
  'Student.BirthData',
  'Student.Citizenship',
  'Student.Name',
]);

const numbers: ReadonlySet<string> = new Set([
  ...resourceEndpoints
    .flatMap((endpoint) => findResource(endpoint)?.identity ?? [])
    .filter((field) => field.type === 'integer')
    .map((field) => field.name),
  'availableCredits',
  'contactPriority',
  'fullTimeEquivalency',
  'instructionalTimePlanned',
  'maximumNumberOfSeats',
  'numberOfParts',
  'optimalNumberOfSeats',
  'orderOfAssignment',
  'percentageContribution',
  'periodSequence',
  'sequenceOfCourse',
  'totalInstructionalDays',
  'yearsOfPriorProfessionalExperience',
  'yearsOfPriorTeachingExperience',
]);

const booleans: ReadonlySet<string> = new Set([
  'doNotPublishIndicator',
  'emergencyContactStatus',
  'employedWhileEnrolled',
  'highSchoolCourseRequirement',
  'highlyQualifiedTeacher',
  'hispanicLatinoEthnicity',
  'homeroomIndicator',
  'legalGuardian',
  'livesWith',
  'multipleBirthStatus',
  'officialAttendancePeriod',
  'primaryContactStatus',
  'primaryEmailAddressIndicator',
  'primarySchool',
  'repeatGradeIndicator',
  'schoolChoiceTransfer',
  'schoolIndicator',
  'teacherStudentDataLinkExclusion',
  'textMessageCapabilityIndicator',
]);

/** The key of an element's array, or null where it is a single value. A repeated element is always an array. */
export function collectionKey(parent: string, name: string, occurrences: number): string | null {
  const known = collections.get(`${parent}.${name}`) ?? collections.get(name);
  if (known !== undefined) return known;
  return occurrences > 1 ? plural(camelCase(name.replace(/Reference$/, ''))) : null;
}

export function isInlined(parent: string, name: string): boolean {
  return inlined.has(`${parent}.${name}`);
}

/** JSON type of the value of a key. */
export function typeOfKey(key: string): 'number' | 'boolean' | 'string' {
  if (numbers.has(key)) return 'number';
  return booleans.has(key) ? 'boolean' : 'string';
}
