import { plainResources } from './catalog.ts';
import { educationOrganization, type ReferenceTarget, type Resource, target, text } from './model.ts';

export type { IdentityField, ReferenceTarget, Resource } from './model.ts';

const superclasses: readonly ReferenceTarget[] = [educationOrganization];

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
 * Target of the body's key `xReference`. A role name stands ahead of the resource's name, so
 * `parentLearningStandardReference` is a LearningStandard: the longest ending that is a resource's name counts. Null: it
 * points to no document. Undefined: there is no such resource.
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
