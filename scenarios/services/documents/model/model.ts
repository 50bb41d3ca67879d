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
  /** Superclass of a document of this resource. The identity of both has one field. */
  readonly superclass: ReferenceTarget | null;
}

/** Target of a reference: a resource, or a superclass such as EducationOrganization, which has no endpoint. */
export type ReferenceTarget = Pick<Resource, 'name' | 'identity' | 'idPrefix'>;

/** 12 bytes are 16 characters of base64url with nothing left over, so prefix and identity hash can be separated. */
function idPrefixOf(resourceName: string): string {
  return hash('sha256', resourceName, 'buffer').subarray(0, 12).toString('base64url');
}

/** Makes the target of references by a name, with its natural key. */
export function target(name: string, identity: readonly IdentityField[]): ReferenceTarget {
  return { name, identity, idPrefix: idPrefixOf(name) };
}

/** A text of a natural key, and the keys of the body that lead to the object that holds it. */
export function text(name: string, ...path: string[]): IdentityField {
  return { name, type: 'string', path: [...path, name] };
}

/** A whole number of a natural key, like `text`. */
export function integer(name: string, ...path: string[]): IdentityField {
  return { name, type: 'integer', path: [...path, name] };
}

/** A resource that is no descriptor. */
export function resource(endpoint: string, name: string, ...identity: IdentityField[]): Resource {
  return { endpoint, isDescriptor: false, superclass: null, ...target(name, identity) };
}

/** The kinds of organization share one range of ids: each is also an EducationOrganization. */
export const educationOrganization = target('EducationOrganization', [integer('educationOrganizationId')]);

/** A kind of education organization: `School` has the natural key `schoolId`. */
export function educationOrganizationOf(endpoint: string, name: string): Resource {
  const idName = `${name.charAt(0).toLowerCase()}${name.slice(1)}Id`;
  return { ...resource(endpoint, name, integer(idName)), superclass: educationOrganization };
}
