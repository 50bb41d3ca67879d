import { findResource, resourceEndpoints } from '../../service/resources.ts';
import { camelCase, plural } from '../edfi-names.ts';

/**
 * What the XML does not tell of itself. A collection with one member looks like a single value, and every value is
 * text; the JSON convention differs in both. All else follows from the names (see `to-body.ts`).
 *
 * To teach the reader a new resource: its collections here, its numbers and booleans below, and its natural key in
 * `src/service/resources.ts`.
 */

/** Elements that are collections however often they occur, as `Element` or `Parent.Element`, with the array's key. */
// A map, since an element may have the name of something that every object has.
const collections: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Address: 'addresses',
    EducationOrganizationCategory: 'educationOrganizationCategories',
    EducationOrganizationIdentificationCode: 'identificationCodes',
    EducationOrganizationIndicator: 'indicators',
    InstitutionTelephone: 'institutionTelephones',
    'Calendar.GradeLevel': 'gradeLevels',
    'CalendarDate.CalendarEvent': 'calendarEvents',
    'ClassPeriod.MeetingTime': 'meetingTimes',
    'Course.AcademicSubject': 'academicSubjects',
    'Course.CourseIdentificationCode': 'identificationCodes',
    'Course.CourseLevelCharacteristic': 'levelCharacteristics',
    'Course.LearningStandardReference': 'learningStandards',
    'Course.OfferedGradeLevel': 'offeredGradeLevels',
    'EducationOrganizationIndicator.Period': 'periods',
    'LearningStandard.AcademicSubject': 'academicSubjects',
    'LearningStandard.GradeLevel': 'gradeLevels',
    'Program.ProgramSponsor': 'sponsors',
    'School.GradeLevel': 'gradeLevels',
    'School.SchoolCategory': 'schoolCategories',
    'Session.GradingPeriodReference': 'gradingPeriods',
  }),
);

/** Elements whose members stand in the parent itself in JSON. */
const inlined: ReadonlySet<string> = new Set(['CommunityProviderLicense.License']);

const numbers: ReadonlySet<string> = new Set([
  ...resourceEndpoints
    .flatMap((endpoint) => findResource(endpoint)?.identity ?? [])
    .filter((field) => field.type === 'integer')
    .map((field) => field.name),
  'maximumNumberOfSeats',
  'numberOfParts',
  'optimalNumberOfSeats',
  'periodSequence',
  'totalInstructionalDays',
]);

const booleans: ReadonlySet<string> = new Set(['highSchoolCourseRequirement', 'schoolIndicator']);

/** The key of an element's array, or null where it is a single value. A repeated element is always an array. */
export function collectionKey(parent: string, name: string, occurrences: number): string | null {
  const known = collections.get(`${parent}.${name}`) ?? collections.get(name);
  if (known !== undefined) return known;
  return occurrences > 1 ? plural(camelCase(name.replace(/Reference$/, ''))) : null;
}

export function isInlined(parent: string, name: string): boolean {
  return inlined.has(`${parent}.${name}`);
}

/** What JSON type the value of a key has. */
export function typeOfKey(key: string): 'number' | 'boolean' | 'string' {
  if (numbers.has(key)) return 'number';
  return booleans.has(key) ? 'boolean' : 'string';
}
