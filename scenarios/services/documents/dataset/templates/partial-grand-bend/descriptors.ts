import type { Random } from '../../../random.ts';
import { descriptorUri, endpointOf } from '../../edfi-names.ts';
import type { Document } from '../../types.ts';
import { descriptorKinds } from './descriptor-kinds.ts';
import { phraseOf } from './words.ts';

/** The values that the other documents refer to. Whatever the size of the data set, these are in it. */
const referredCodes = {
  AcademicSubject: [
    'English Language Arts',
    'Fine and Performing Arts',
    'Mathematics',
    'Physical, Health, and Safety Education',
    'Science',
    'Social Studies',
  ],
  AddressType: ['Mailing', 'Physical'],
  AdministrativeFundingControl: ['Public School'],
  CalendarEvent: ['Instructional day'],
  CalendarType: ['Student Specific'],
  CharterStatus: ['Not a Charter School'],
  CourseDefinedBy: ['SEA'],
  CourseGPAApplicability: ['Applicable'],
  CourseIdentificationSystem: ['LEA course code', 'State course code'],
  CourseLevelCharacteristic: ['Core Subject'],
  EducationOrganizationCategory: [
    'Education Service Center',
    'Local Education Agency',
    'Organization Department',
    'Other',
    'Post Secondary Institution',
    'School',
  ],
  EducationOrganizationIdentificationSystem: ['NCES', 'SEA'],
  GradeLevel: [
    'Kindergarten',
    'First grade',
    'Second grade',
    'Third grade',
    'Fourth grade',
    'Fifth grade',
    'Sixth grade',
    'Seventh grade',
    'Eighth grade',
    'Ninth grade',
    'Tenth grade',
    'Eleventh grade',
    'Twelfth grade',
  ],
  GradingPeriod: [
    'First Six Weeks',
    'Second Six Weeks',
    'Third Six Weeks',
    'Fourth Six Weeks',
    'Fifth Six Weeks',
    'Sixth Six Weeks',
  ],
  Indicator: ['Retention Rate'],
  IndicatorGroup: ['Staff Indicator'],
  IndicatorLevel: ['High Retention', 'Medium Retention'],
  InstitutionTelephoneNumberType: ['Fax', 'Main'],
  LearningStandardEquivalenceStrength: ['Equivalent', 'Mostly equivalent', 'Partially equivalent'],
  LearningStandardScope: ['State'],
  LicenseStatus: ['Regulated'],
  LicenseType: ['School Age Program'],
  LocalEducationAgencyCategory: ['Independent'],
  OperationalStatus: ['Active'],
  PostSecondaryInstitutionLevel: ['Four or more years'],
  ProgramSponsor: ['Federal government', 'Local Education Agency'],
  ProgramType: [
    'Bilingual',
    'Career and Technical Education',
    'English as a Second Language (ESL)',
    'Gifted and Talented',
    'Migrant Education',
    'Section 504 Placement',
    'Special Education',
    'Title I Part A',
  ],
  ProviderCategory: ['Other'],
  ProviderStatus: ['Active'],
  SchoolCategory: ['Elementary School', 'High School', 'Middle School'],
  SchoolType: ['Regular'],
  StateAbbreviation: ['TX'],
  Term: ['Fall Semester', 'Spring Semester'],
  TitleIPartASchoolDesignation: ['Not A Title I School'],
} as const;

type ReferredKind = keyof typeof referredCodes;
type ReferredCode<K extends ReferredKind> = (typeof referredCodes)[K][number];

/** The values that documents refer to, by kind of descriptor. */
export type DescriptorCodes = Readonly<Record<string, readonly string[]>>;

/** Descriptors that the documents of this template refer to. */
export const organizationCodes: DescriptorCodes = referredCodes;

export const referredDescriptorCount = countCodes(organizationCodes);

/** How many descriptors a table of values makes. */
export function countCodes(codes: DescriptorCodes): number {
  return Object.values(codes).reduce((sum, each) => sum + each.length, 0);
}

/** The URI of a descriptor that is in every data set: a value outside the table is a compile error. */
export function uri<K extends ReferredKind>(kind: K, code: ReferredCode<K>): string {
  return descriptorUri(kind, code);
}

/** All values of a kind that documents may refer to. */
export function codesOf<K extends ReferredKind>(kind: K): readonly ReferredCode<K>[] {
  return referredCodes[kind];
}

/** The value of a kind at an index that may lie past the end: then it begins again. */
export function codeAt<K extends ReferredKind>(kind: K, index: number): ReferredCode<K> {
  const codes: readonly ReferredCode<K>[] = referredCodes[kind];
  const code = codes[index % codes.length];
  if (code === undefined) throw new RangeError(`${kind}: no value at ${index}`);
  return code;
}

/** `count` descriptors, spread over the kinds as in the template, never less than those that are referred to. */
export function* generateDescriptors(
  count: number,
  random: Random,
  referred: DescriptorCodes = organizationCodes,
): Iterable<Document> {
  const free = count - countCodes(referred);
  const referredOf = (kind: string): readonly string[] => referred[kind] ?? [];
  const room = descriptorKinds.map(({ name, count: real }) => Math.max(0, real - referredOf(name).length));
  const roomTotal = room.reduce((sum, each) => sum + each, 0);
  let roomSoFar = 0;
  for (const [index, { name }] of descriptorKinds.entries()) {
    const before = Math.floor((free * roomSoFar) / roomTotal);
    roomSoFar += room[index] ?? 0;
    const more = Math.floor((free * roomSoFar) / roomTotal) - before;
    for (const code of referredOf(name)) yield descriptor(name, code, random);
    for (let i = 0; i < more; i++) yield descriptor(name, phraseOf(i), random);
  }
}

function descriptor(kind: string, codeValue: string, random: Random): Document {
  // Most of the template's descriptions repeat the code, some are a sentence.
  const description = random.next() < 0.8 ? codeValue : `${codeValue}, as ${phraseOf(random.integer(0, 399))}`;
  return {
    resource: endpointOf(`${kind}Descriptor`),
    body: { namespace: `uri://ed-fi.org/${kind}Descriptor`, codeValue, shortDescription: codeValue, description },
  };
}
