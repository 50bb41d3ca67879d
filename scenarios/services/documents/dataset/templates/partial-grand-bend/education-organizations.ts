import { createRandom, type Random } from '../../../random.ts';
import type { Document } from '../../types.ts';
import { codesOf, uri } from './descriptors.ts';
import { category, categoryAndCode, contact, numberedName, telephone } from './organization-parts.ts';
import type { Plan } from './plan.ts';
import { placeNames } from './words.ts';

/**
 * All education organizations share one range of ids, since each is also an EducationOrganization by its id. The
 * template's own numbers would meet after 48 districts, so each kind has a block.
 */
const firstIds = {
  communityOrganization: 1,
  communityProvider: 50_000,
  postSecondaryInstitution: 100_000,
  educationServiceCenter: 150_000,
  organizationDepartment: 200_000,
  localEducationAgency: 255_901,
};

export function localEducationAgencyId(index: number): number {
  return firstIds.localEducationAgency + index;
}

/** Schools are dealt out to the districts in order; a school's id begins with its district's. */
export function schoolIdOf(index: number, plan: Plan): number {
  const agency = index % plan.localEducationAgencies;
  return localEducationAgencyId(agency) * 1000 + 1 + Math.floor(index / plan.localEducationAgencies);
}

/** Service centers, districts, schools, and the organizations around them, each after what it refers to. */
export function* generateEducationOrganizations(
  plan: Plan,
  seed: number,
  places: readonly string[] = placeNames,
): Iterable<Document> {
  const random = createRandom(seed);
  const placeOf = (index: number): string => numberedName(index, places);
  for (let i = 0; i < plan.educationServiceCenters; i++) yield educationServiceCenter(i, random);
  for (let i = 0; i < plan.localEducationAgencies; i++) yield localEducationAgency(i, plan, random, placeOf(i));
  for (let i = 0; i < plan.schools; i++) yield school(i, plan, random, placeOf(i));
  for (let i = 0; i < plan.communityOrganizations; i++) yield* communityOrganization(i, placeOf(i));
  for (let i = 0; i < plan.postSecondaryInstitutions; i++) yield postSecondaryInstitution(i, random, placeOf(i));
  for (let i = 0; i < plan.organizationDepartments; i++)
    yield organizationDepartment(i, plan, placeOf(i % plan.localEducationAgencies));
}

function educationServiceCenter(index: number, random: Random): Document {
  const id = firstIds.educationServiceCenter + index;
  const body = {
    educationServiceCenterId: id,
    nameOfInstitution: `Region ${index + 1} Education Service Center`,
    ...categoryAndCode('Education Service Center', 'NCES', id),
    ...contact(random),
  };
  return { resource: 'educationServiceCenters', body };
}

function localEducationAgency(index: number, plan: Plan, random: Random, place: string): Document {
  const id = localEducationAgencyId(index);
  const body = {
    localEducationAgencyId: id,
    nameOfInstitution: `${place} ISD`,
    shortNameOfInstitution: `ISD${id}`,
    localEducationAgencyCategoryDescriptor: uri('LocalEducationAgencyCategory', 'Independent'),
    educationServiceCenterReference: {
      educationServiceCenterId: firstIds.educationServiceCenter + (index % plan.educationServiceCenters),
    },
    webSite: `http://www.isd${id}.example/`,
    ...categoryAndCode('Local Education Agency', 'SEA', id),
    ...contact(random),
  };
  return { resource: 'localEducationAgencies', body };
}

/** The kinds of school with the grades they teach, as indexes into the grade levels. */
const schoolKinds = [
  { category: 'High School', firstGrade: 9, lastGrade: 12 },
  { category: 'Middle School', firstGrade: 6, lastGrade: 8 },
  { category: 'Elementary School', firstGrade: 1, lastGrade: 5 },
] as const;

/** The grades that a school teaches, lowest first: high, middle and elementary schools take turns. */
export function gradesOfSchool(index: number): ReturnType<typeof codesOf<'GradeLevel'>> {
  const { firstGrade, lastGrade } = schoolKinds[index % schoolKinds.length] ?? schoolKinds[0];
  return codesOf('GradeLevel').slice(firstGrade, lastGrade + 1);
}

function school(index: number, plan: Plan, random: Random, place: string): Document {
  const kind = schoolKinds[index % schoolKinds.length] ?? schoolKinds[0];
  const id = schoolIdOf(index, plan);
  const level = random.next() < 0.7 ? 'High Retention' : 'Medium Retention';
  const body = {
    schoolId: id,
    nameOfInstitution: `${place} ${kind.category}`,
    shortNameOfInstitution: `S${id}`,
    webSite: `http://www.isd${Math.floor(id / 1000)}.example/s${id}/`,
    operationalStatusDescriptor: uri('OperationalStatus', 'Active'),
    indicators: [
      {
        indicatorDescriptor: uri('Indicator', 'Retention Rate'),
        indicatorGroupDescriptor: uri('IndicatorGroup', 'Staff Indicator'),
        indicatorLevelDescriptor: uri('IndicatorLevel', level),
        indicatorValue: String(random.integer(60, 99)),
        periods: [{ beginDate: '2021-08-29', endDate: '2022-06-30' }],
      },
    ],
    gradeLevels: gradesOfSchool(index).map((grade) => ({ gradeLevelDescriptor: uri('GradeLevel', grade) })),
    schoolCategories: [{ schoolCategoryDescriptor: uri('SchoolCategory', kind.category) }],
    schoolTypeDescriptor: uri('SchoolType', 'Regular'),
    charterStatusDescriptor: uri('CharterStatus', 'Not a Charter School'),
    titleIPartASchoolDesignationDescriptor: uri('TitleIPartASchoolDesignation', 'Not A Title I School'),
    administrativeFundingControlDescriptor: uri('AdministrativeFundingControl', 'Public School'),
    localEducationAgencyReference: { localEducationAgencyId: Math.floor(id / 1000) },
    ...categoryAndCode('School', 'SEA', id),
    ...contact(random),
  };
  return { resource: 'schools', body };
}

function* communityOrganization(index: number, place: string): Iterable<Document> {
  const organization = firstIds.communityOrganization + index;
  const provider = firstIds.communityProvider + index;
  const other = categoryAndCode('Other', 'SEA', organization);
  const organizationBody = {
    communityOrganizationId: organization,
    nameOfInstitution: `Communities in Schools ${organization}`,
    shortNameOfInstitution: 'CIS',
    ...other,
  };
  yield { resource: 'communityOrganizations', body: organizationBody };
  const providerBody = {
    communityProviderId: provider,
    nameOfInstitution: `Communities in Schools of ${place}`,
    educationOrganizationCategories: other.educationOrganizationCategories ?? [],
    communityOrganizationReference: { communityOrganizationId: organization },
    providerStatusDescriptor: uri('ProviderStatus', 'Active'),
    providerCategoryDescriptor: uri('ProviderCategory', 'Other'),
    schoolIndicator: false,
  };
  yield { resource: 'communityProviders', body: providerBody };
  const licenseBody = {
    communityProviderReference: { communityProviderId: provider },
    licenseIdentifier: `${594_835 + index}-c`,
    licensingOrganization: 'Texas Health and Human Services',
    licenseEffectiveDate: '2020-01-01',
    licenseExpirationDate: '2022-12-31',
    licenseStatusDescriptor: uri('LicenseStatus', 'Regulated'),
    licenseTypeDescriptor: uri('LicenseType', 'School Age Program'),
  };
  yield { resource: 'communityProviderLicenses', body: licenseBody };
}

function postSecondaryInstitution(index: number, random: Random, place: string): Document {
  const body = {
    postSecondaryInstitutionId: firstIds.postSecondaryInstitution + index,
    nameOfInstitution: `The University at ${place}`,
    operationalStatusDescriptor: uri('OperationalStatus', 'Active'),
    postSecondaryInstitutionLevelDescriptor: uri('PostSecondaryInstitutionLevel', 'Four or more years'),
    educationOrganizationCategories: category('Post Secondary Institution'),
    institutionTelephones: [telephone('Main', random)],
  };
  return { resource: 'postSecondaryInstitutions', body };
}

function organizationDepartment(index: number, plan: Plan, place: string): Document {
  const agency = index % plan.localEducationAgencies;
  const body = {
    organizationDepartmentId: firstIds.organizationDepartment + index,
    nameOfInstitution: `${place} ISD Central Office ${index + 1}`,
    educationOrganizationCategories: category('Organization Department'),
    parentEducationOrganizationReference: { educationOrganizationId: localEducationAgencyId(agency) },
  };
  return { resource: 'organizationDepartments', body };
}
