import { educationOrganizationOf, integer, type Resource, resource, text } from './model.ts';

const schoolYear = integer('schoolYear', 'schoolYearTypeReference');
const schoolId = integer('schoolId', 'schoolReference');
const ofEducationOrganization = integer('educationOrganizationId', 'educationOrganizationReference');
const ofStudent = text('studentUniqueId', 'studentReference');
const ofStaff = text('staffUniqueId', 'staffReference');

/** The natural key of a section, as what refers to it holds it. */
const ofSection = [
  text('localCourseCode', 'sectionReference'),
  integer('schoolId', 'sectionReference'),
  integer('schoolYear', 'sectionReference'),
  text('sectionIdentifier', 'sectionReference'),
  text('sessionName', 'sectionReference'),
];

/** Organizations and what they have: the Ed-Fi "partial Grand Bend" data. Natural keys of Data Standard 5. */
const organizationResources: readonly Resource[] = [
  educationOrganizationOf('educationServiceCenters', 'EducationServiceCenter'),
  educationOrganizationOf('localEducationAgencies', 'LocalEducationAgency'),
  educationOrganizationOf('schools', 'School'),
  educationOrganizationOf('communityOrganizations', 'CommunityOrganization'),
  educationOrganizationOf('communityProviders', 'CommunityProvider'),
  educationOrganizationOf('postSecondaryInstitutions', 'PostSecondaryInstitution'),
  educationOrganizationOf('organizationDepartments', 'OrganizationDepartment'),
  resource(
    'communityProviderLicenses',
    'CommunityProviderLicense',
    integer('communityProviderId', 'communityProviderReference'),
    text('licenseIdentifier'),
    text('licensingOrganization'),
  ),
  resource('locations', 'Location', text('classroomIdentificationCode'), schoolId),
  resource('classPeriods', 'ClassPeriod', text('classPeriodName'), schoolId),
  resource('courses', 'Course', text('courseCode'), ofEducationOrganization),
  resource('programs', 'Program', ofEducationOrganization, text('programName'), text('programTypeDescriptor')),
  resource('accountabilityRatings', 'AccountabilityRating', ofEducationOrganization, text('ratingTitle'), schoolYear),
  resource('learningStandards', 'LearningStandard', text('learningStandardId')),
  resource(
    'learningStandardEquivalenceAssociations',
    'LearningStandardEquivalenceAssociation',
    text('namespace'),
    {
      name: 'sourceLearningStandardId',
      type: 'string',
      path: ['sourceLearningStandardReference', 'learningStandardId'],
    },
    {
      name: 'targetLearningStandardId',
      type: 'string',
      path: ['targetLearningStandardReference', 'learningStandardId'],
    },
  ),
  resource(
    'gradingPeriods',
    'GradingPeriod',
    text('gradingPeriodDescriptor'),
    text('gradingPeriodName'),
    schoolId,
    schoolYear,
  ),
  resource('sessions', 'Session', schoolId, schoolYear, text('sessionName')),
  resource('calendars', 'Calendar', text('calendarCode'), schoolId, schoolYear),
  resource(
    'calendarDates',
    'CalendarDate',
    text('calendarCode', 'calendarReference'),
    text('date'),
    integer('schoolId', 'calendarReference'),
    integer('schoolYear', 'calendarReference'),
  ),
];

/** The courses that a school gives in a session, in a room, at an hour. */
const scheduleResources: readonly Resource[] = [
  resource('bellSchedules', 'BellSchedule', text('bellScheduleName'), schoolId),
  resource(
    'courseOfferings',
    'CourseOffering',
    text('localCourseCode'),
    schoolId,
    integer('schoolYear', 'sessionReference'),
    text('sessionName', 'sessionReference'),
  ),
  resource(
    'sections',
    'Section',
    text('localCourseCode', 'courseOfferingReference'),
    integer('schoolId', 'courseOfferingReference'),
    integer('schoolYear', 'courseOfferingReference'),
    text('sectionIdentifier'),
    text('sessionName', 'courseOfferingReference'),
  ),
];

/**
 * Students and those around them. Data Standard 3 and 4 have parents where 5 has contacts; the keys of both are the
 * same but for that name. A teacher's part in a section has the key of 3 and 4, without its first day.
 */
const peopleResources: readonly Resource[] = [
  resource('students', 'Student', text('studentUniqueId')),
  resource('staffs', 'Staff', text('staffUniqueId')),
  resource('contacts', 'Contact', text('contactUniqueId')),
  resource('parents', 'Parent', text('parentUniqueId')),
  resource(
    'studentContactAssociations',
    'StudentContactAssociation',
    text('contactUniqueId', 'contactReference'),
    ofStudent,
  ),
  resource(
    'studentParentAssociations',
    'StudentParentAssociation',
    text('parentUniqueId', 'parentReference'),
    ofStudent,
  ),
  resource(
    'studentEducationOrganizationAssociations',
    'StudentEducationOrganizationAssociation',
    ofEducationOrganization,
    ofStudent,
  ),
  resource(
    'studentEducationOrganizationResponsibilityAssociations',
    'StudentEducationOrganizationResponsibilityAssociation',
    text('beginDate'),
    ofEducationOrganization,
    text('responsibilityDescriptor'),
    ofStudent,
  ),
  resource('studentSchoolAssociations', 'StudentSchoolAssociation', text('entryDate'), schoolId, ofStudent),
  resource('studentSectionAssociations', 'StudentSectionAssociation', text('beginDate'), ...ofSection, ofStudent),
  resource(
    'staffEducationOrganizationAssignmentAssociations',
    'StaffEducationOrganizationAssignmentAssociation',
    text('beginDate'),
    ofEducationOrganization,
    text('staffClassificationDescriptor'),
    ofStaff,
  ),
  resource(
    'staffEducationOrganizationEmploymentAssociations',
    'StaffEducationOrganizationEmploymentAssociation',
    ofEducationOrganization,
    text('employmentStatusDescriptor'),
    text('hireDate'),
    ofStaff,
  ),
  resource('staffSchoolAssociations', 'StaffSchoolAssociation', text('programAssignmentDescriptor'), schoolId, ofStaff),
  resource('staffSectionAssociations', 'StaffSectionAssociation', ...ofSection, ofStaff),
  resource('graduationPlans', 'GraduationPlan', ofEducationOrganization, text('graduationPlanTypeDescriptor'), {
    name: 'graduationSchoolYear',
    type: 'integer',
    path: ['graduationSchoolYearTypeReference', 'schoolYear'],
  }),
];

/**
 * The resources that the service knows, beside descriptors.
 *
 * To add one, add a line: endpoint, name, and its natural key, each value with the reference that holds it in the body.
 * References need no line: `xReference` points to the resource whose name ends the key (see `findReferenceTarget`).
 */
export const plainResources: readonly Resource[] = [...organizationResources, ...scheduleResources, ...peopleResources];
