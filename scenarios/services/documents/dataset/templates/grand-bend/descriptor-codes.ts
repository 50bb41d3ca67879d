import { descriptorUri } from '../../edfi-names.ts';
import { type DescriptorCodes, organizationCodes } from '../partial-grand-bend/descriptors.ts';

/** Descriptors that documents of people refer to, besides those of organizations. */
const peopleCodes = {
  AddressType: ['Home'],
  CitizenshipStatus: ['US Citizen'],
  ClassroomPosition: ['Teacher of Record'],
  EducationalEnvironment: ['Classroom'],
  ElectronicMailType: ['Home/Personal', 'Organization'],
  EmploymentStatus: ['Probationary', 'Tenured or permanent'],
  EntryType: ['New to education system', 'Next year school'],
  Language: ['eng', 'spa', 'vie'],
  LanguageUse: ['Home language'],
  LevelOfEducation: ["Bachelor's", "Master's"],
  LimitedEnglishProficiency: ['Limited', 'NotLimited'],
  ProgramAssignment: ['Regular Education', 'Special Education'],
  Race: ['American Indian - Alaska Native', 'Asian', 'Black - African American', 'Other', 'White'],
  Relation: ['Father', 'Mother'],
  Sex: ['Female', 'Male'],
  StaffClassification: ['Principal', 'Teacher'],
  StaffIdentificationSystem: ['District', 'State'],
  StudentCharacteristic: ['Economic Disadvantaged', 'Immigrant', 'Migrant'],
  StudentIdentificationSystem: ['District', 'State'],
  TelephoneNumberType: ['Home', 'Mobile'],
} as const;

type PeopleKind = keyof typeof peopleCodes;

const kinds = new Set([...Object.keys(organizationCodes), ...Object.keys(peopleCodes)]);
const peopleByKind: DescriptorCodes = peopleCodes;

/** Every value that a document of these templates refers to. */
export const referredCodes: DescriptorCodes = Object.fromEntries(
  [...kinds].map((kind) => [kind, [...(organizationCodes[kind] ?? []), ...(peopleByKind[kind] ?? [])]]),
);

/** All values of a kind that people have. */
export function codesOf<K extends PeopleKind>(kind: K): (typeof peopleCodes)[K] {
  return peopleCodes[kind];
}

/** The URI of a descriptor that people have: a value outside the table is a compile error. */
export function uri<K extends PeopleKind>(kind: K, code: (typeof peopleCodes)[K][number]): string {
  return descriptorUri(kind, code);
}
