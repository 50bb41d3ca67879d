import { hash } from 'node:crypto';

/** One value of a natural key. */
export interface IdentityField {
  /** Its name in the identity, and in every reference to the resource: `schoolId`. */
  readonly name: string;
  readonly type: 'integer' | 'string';
  /** Where the body holds it: `['schoolReference', 'schoolId']`. */
  readonly path: readonly string[];
}

/** A kind of document, with all that its identity and the references to it need, computed once. */
export interface Resource {
  /** The plural name in URLs: `schools`. */
  readonly endpoint: string;
  readonly name: string;
  readonly isDescriptor: boolean;
  readonly identity: readonly IdentityField[];
  /** The first part of the id of every document of this resource: 16 characters. */
  readonly idPrefix: string;
  /** What a document of this resource also is. The identity of both has one field. */
  readonly superclass: ReferenceTarget | null;
}

/** What a reference can point to: a resource, or a superclass such as EducationOrganization, which has no endpoint. */
export type ReferenceTarget = Pick<Resource, 'name' | 'identity' | 'idPrefix'>;

/** 12 bytes are 16 characters of base64url with nothing left over, so prefix and identity hash can be told apart. */
function idPrefixOf(resourceName: string): string {
  return hash('sha256', resourceName, 'buffer').subarray(0, 12).toString('base64url');
}

function target(name: string, identity: readonly IdentityField[]): ReferenceTarget {
  return { name, identity, idPrefix: idPrefixOf(name) };
}

function text(name: string, ...path: string[]): IdentityField {
  return { name, type: 'string', path: [...path, name] };
}

function integer(name: string, ...path: string[]): IdentityField {
  return { name, type: 'integer', path: [...path, name] };
}

const schoolYear = integer('schoolYear', 'schoolYearTypeReference');
const schoolId = integer('schoolId', 'schoolReference');
const ofEducationOrganization = integer('educationOrganizationId', 'educationOrganizationReference');

const educationOrganization = target('EducationOrganization', [integer('educationOrganizationId')]);

const superclasses: readonly ReferenceTarget[] = [educationOrganization];

function resource(endpoint: string, name: string, ...identity: IdentityField[]): Resource {
  return { endpoint, isDescriptor: false, superclass: null, ...target(name, identity) };
}

function educationOrganizationOf(endpoint: string, name: string): Resource {
  const idName = `${name.charAt(0).toLowerCase()}${name.slice(1)}Id`;
  return { ...resource(endpoint, name, integer(idName)), superclass: educationOrganization };
}

/**
 * The resources of the Ed-Fi "partial Grand Bend" data, with the natural keys of Data Standard 5.
 *
 * To add one, add a line: endpoint, name, and its natural key, each value with the reference that holds it in the body.
 * `resource('sections', 'Section', text('sectionIdentifier'), text('localCourseCode', 'courseOfferingReference'), ...)`
 * References need no line: `xReference` points to the resource whose name ends the key (see `findReferenceTarget`).
 */
const plainResources: readonly Resource[] = [
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

/**
 * The part that all descriptors share. A reference to a descriptor is its URI, which tells neither the endpoint nor,
 * reliably, the spelling of the resource's name, so a descriptor's id is made of the URI alone, as in the Ed-Fi ODS.
 */
export const descriptorTarget = target('Descriptor', [text('namespace'), text('codeValue')]);

/** The endpoints of the resources that are no descriptors. */
export const resourceEndpoints: readonly string[] = plainResources.map((each) => each.endpoint);

const byEndpoint = new Map(plainResources.map((each) => [each.endpoint, each]));
const targetsByName = new Map<string, ReferenceTarget | null>([
  // A school year is an enumeration that every Ed-Fi host knows from the start: no document stands for it.
  ['SchoolYearType', null],
  ...superclasses.map((each): [string, ReferenceTarget | null] => [each.name, each]),
  ...plainResources.map((each): [string, ReferenceTarget | null] => [each.name, each]),
]);

/** Clients choose the names of descriptor endpoints and of references, so what is remembered of them has an end. */
const rememberedMax = 2000;

const descriptorEndpoint = /^[a-z][A-Za-z0-9]*Descriptors$/;
const descriptorResources = new Map<string, Resource>();

/** The resource of an endpoint, or null where there is none. Any `...Descriptors` endpoint is a descriptor resource. */
export function findResource(endpoint: string): Resource | null {
  const known = byEndpoint.get(endpoint) ?? descriptorResources.get(endpoint);
  if (known) return known;
  if (!descriptorEndpoint.test(endpoint)) return null;
  const name = `${endpoint.charAt(0).toUpperCase()}${endpoint.slice(1, -1)}`;
  const found: Resource = { ...descriptorTarget, endpoint, name, isDescriptor: true, superclass: null };
  if (descriptorResources.size < rememberedMax) descriptorResources.set(endpoint, found);
  return found;
}

const targetsByKey = new Map<string, ReferenceTarget | null>();

/**
 * What the body's key `xReference` points to. A role name stands ahead of the resource's name, so
 * `parentLearningStandardReference` is a LearningStandard: the longest ending that is a resource's name counts.
 * Null: it points to no document. Undefined: there is no such resource.
 */
export function findReferenceTarget(key: string): ReferenceTarget | null | undefined {
  const known = targetsByKey.get(key);
  if (known !== undefined) return known;
  const roleAndName = `${key.charAt(0).toUpperCase()}${key.slice(1, -'Reference'.length)}`;
  for (let start = 0; start < roleAndName.length; start++) {
    const found = targetsByName.get(roleAndName.slice(start));
    if (found !== undefined) {
      if (targetsByKey.size < rememberedMax) targetsByKey.set(key, found);
      return found;
    }
  }
  return undefined;
}
