import type { JsonObject, JsonValue } from '../../model/document.ts';
import { findReferenceTarget, type Resource } from '../../model/lookup.ts';
import { camelCase } from '../edfi-names.ts';
import { singleValueOf } from './values.ts';
import { errorAt, type XmlElement } from './xml-element.ts';

/** Target of `ref="..."`: an element of the same file that has the id. */
export interface Identified {
  resource: Resource;
  identity: JsonObject;
}

/** The elements of a file by their ids, as far as a `ref` means them. */
export interface IdentifiedById {
  get(id: string): Identified | undefined;
}

/** The elements in this one that refer by id, in their order. */
export function refsIn(element: XmlElement): XmlElement[] {
  const refs: XmlElement[] = isRef(element) ? [element] : [];
  for (const child of element.children) refs.push(...refsIn(child));
  return refs;
}

/** `<SchoolReference><SchoolIdentity>...` or `<SchoolReference ref="..."/>` as the flat object of JSON. */
export function referenceOf(element: XmlElement, identified: IdentifiedById): JsonObject {
  if (isRef(element)) return referenceById(element, identified);
  const [identity, ...more] = element.children;
  if (!identity?.name.endsWith('Identity') || more.length > 0) {
    const hint = 'References by <...Lookup> cannot be read: put the natural key into an <...Identity>.';
    throw errorAt(element.location, `<${element.name}>: expected one <...Identity> or a ref attribute`, { hint });
  }
  return flatIdentity(identity, identified);
}

/** An Identity, where there is one, says the same as the ref beside it, and needs no other element. */
function isRef(element: XmlElement): boolean {
  return element.ref !== null && element.children.length === 0;
}

function referenceById(element: XmlElement, identified: IdentifiedById): JsonObject {
  const found = identified.get(element.ref ?? '');
  if (!found) throw errorAt(element.location, `no element of this file has id="${element.ref}"`);
  const target = findReferenceTarget(camelCase(element.name));
  if (target?.name === found.resource.name) return found.identity;
  const inherited = target?.identity[0];
  const own = found.resource.identity[0];
  if (!target || target !== found.resource.superclass || !inherited || !own) {
    const problem = `<${element.name}> refers by "${element.ref}" to a ${found.resource.name}`;
    throw errorAt(element.location, `${problem}, expected a ${target?.name ?? 'resource that can be referred to'}`);
  }
  return { [inherited.name]: found.identity[own.name] ?? null };
}

/** The keys of nested identities come up into one object, as in JSON. Where two meet they must say the same. */
function flatIdentity(identity: XmlElement, identified: IdentifiedById): JsonObject {
  const flat: JsonObject = {};
  const put = (key: string, value: JsonValue, element: XmlElement): void => {
    if (Object.hasOwn(flat, key) && flat[key] !== value) {
      throw errorAt(element.location, `<${element.name}>: '${key}' is ${flat[key]} and ${value} in one identity`);
    }
    flat[key] = value;
  };
  for (const child of identity.children) {
    if (child.name.endsWith('Reference')) {
      for (const [key, value] of Object.entries(referenceOf(child, identified))) put(key, value, child);
    } else if (child.children.length > 0) {
      throw errorAt(child.location, `<${child.name}>: expected a value or a reference in an identity`);
    } else {
      const { key, value } = singleValueOf(child);
      put(key, value, child);
    }
  }
  return flat;
}
