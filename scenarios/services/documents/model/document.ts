import { hash } from 'node:crypto';
import {
  descriptorTarget,
  findReferenceTarget,
  findResource,
  type IdentityField,
  type ReferenceTarget,
  type Resource,
} from './lookup.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** A document that this one points to. */
export interface DocumentReference {
  documentId: string;
  resourceName: string;
  identity: JsonObject;
}

/** All that the service stores of a document beside its body. */
export interface DocumentDescription {
  /** 38 characters: 16 for the resource and 22 for the identity, so the same natural key always has the same id. */
  documentId: string;
  resourceName: string;
  isDescriptor: boolean;
  /** The natural key, flat. */
  identity: JsonObject;
  /** Every id under which references can mean this document: its own, then its superclass's where it has one. */
  aliasIds: string[];
  /** Distinct, in the order of the body. */
  references: DocumentReference[];
}

/** A body that is no document of its resource. */
export class InvalidDocumentError extends Error {
  override readonly name = 'InvalidDocumentError';
  /** Where in the body: `/schoolReference/schoolId`. */
  readonly path: string;

  constructor(path: string, expected: string) {
    super(`${path || '/'}: ${expected}`);
    this.path = path;
  }
}

/** Deeper than any Ed-Fi document, shallow enough for the stack. */
const depthMax = 16;

/** Finds the id, the natural key and the references of a document. Throws `InvalidDocumentError`. */
export function describeDocument(endpoint: string, body: JsonObject): DocumentDescription {
  const resource = findResource(endpoint);
  if (!resource) throw new InvalidDocumentError('', `expected a known resource, found the endpoint '${endpoint}'`);

  const identity: JsonObject = {};
  for (const field of resource.identity) identity[field.name] = valueAt(body, field);
  const documentId = idOf(resource, identity);
  const { name: resourceName, isDescriptor, superclass } = resource;
  const aliasIds = [documentId];
  if (superclass) aliasIds.push(superclassIdOf(resource, superclass, identity));
  const references = new Map<string, DocumentReference>();
  if (isDescriptor) requireNamespaceOf(resource, String(identity.namespace));
  else collectReferences(body, '', 0, references);
  return { documentId, resourceName, isDescriptor, identity, aliasIds, references: [...references.values()] };
}

/** The uuid by which clients address a document that was loaded with no client asking: UUID version 5 of its id. */
export function documentUuidOf(documentId: string): string {
  const bytes = hash('sha1', `pgsweep:document:${documentId}`, 'buffer');
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The order of the fields is the resource's, never the body's, so the order of a body's keys does not matter. */
function idOf(target: ReferenceTarget, identity: JsonObject): string {
  const values = target.identity.map((field) => identity[field.name]);
  return `${target.idPrefix}${hash('sha256', JSON.stringify(values), 'base64url').slice(0, 22)}`;
}

function superclassIdOf(resource: Resource, superclass: ReferenceTarget, identity: JsonObject): string {
  const own = resource.identity[0];
  const inherited = superclass.identity[0];
  if (!own || !inherited) throw new Error(`${resource.name}: an identity with no field`);
  return idOf(superclass, { [inherited.name]: identity[own.name] ?? null });
}

function valueAt(body: JsonObject, field: IdentityField): JsonValue {
  let value: JsonValue | undefined = body;
  for (const key of field.path) value = isObject(value) ? value[key] : undefined;
  return requireType(value, field, `/${field.path.join('/')}`);
}

function requireType(value: JsonValue | undefined, field: IdentityField, path: string): JsonValue {
  if (field.type === 'integer') {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw new InvalidDocumentError(path, `expected a whole number, found ${shown(value)}`);
  }
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidDocumentError(path, `expected a text that is not empty, found ${shown(value)}`);
}

/** Without this, one URI could be created at two endpoints, and the two would be the same document. */
function requireNamespaceOf(resource: Resource, namespace: string): void {
  if (namespace.toLowerCase().endsWith(`/${resource.name.toLowerCase()}`)) return;
  throw new InvalidDocumentError(
    '/namespace',
    `expected a URI that ends in /${resource.name}, found ${shown(namespace)}`,
  );
}

function collectReferences(
  value: { [key: string]: JsonValue } | JsonValue[],
  path: string,
  depth: number,
  references: Map<string, DocumentReference>,
): void {
  if (depth > depthMax) throw new InvalidDocumentError(path, `expected at most ${depthMax} levels`);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item === 'object' && item !== null) collectReferences(item, `${path}/${i}`, depth + 1, references);
    }
    return;
  }
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === null || member === undefined) continue;
    let reference: DocumentReference | null = null;
    if (key.endsWith('Descriptor')) reference = descriptorReference(member, path, key);
    else if (key.endsWith('Reference')) reference = documentReference(member, path, key);
    else if (typeof member === 'object') collectReferences(member, `${path}/${key}`, depth + 1, references);
    if (reference) references.set(reference.documentId, reference);
  }
}

/**
 * A document names a dozen descriptors out of a few thousand, and hashing them again would be most of an upsert's work
 * here. The map is emptied when full, since clients choose the URIs.
 */
const descriptorReferences = new Map<string, DocumentReference>();
const descriptorReferencesMax = 10_000;

function descriptorReference(uri: JsonValue, path: string, key: string): DocumentReference {
  const known = typeof uri === 'string' ? descriptorReferences.get(uri) : undefined;
  if (known) return known;
  const hashMark = typeof uri === 'string' ? uri.indexOf('#') : -1;
  if (typeof uri !== 'string' || hashMark < 1 || hashMark === uri.length - 1) {
    const expected = "expected a descriptor's URI such as uri://ed-fi.org/TermDescriptor#Fall Semester";
    throw new InvalidDocumentError(`${path}/${key}`, `${expected}, found ${shown(uri)}`);
  }
  const namespace = uri.slice(0, hashMark);
  const identity = { namespace, codeValue: uri.slice(hashMark + 1) };
  const resourceName = namespace.slice(namespace.lastIndexOf('/') + 1);
  const reference = { documentId: idOf(descriptorTarget, identity), resourceName, identity };
  if (descriptorReferences.size >= descriptorReferencesMax) descriptorReferences.clear();
  descriptorReferences.set(uri, reference);
  return reference;
}

function documentReference(value: JsonValue, path: string, key: string): DocumentReference | null {
  const target = findReferenceTarget(key);
  const here = `${path}/${key}`;
  if (target === undefined) throw new InvalidDocumentError(here, `expected a reference to a known resource`);
  if (target === null) return null;
  if (!isObject(value)) throw new InvalidDocumentError(here, `expected an object, found ${shown(value)}`);
  const identity: JsonObject = {};
  for (const field of target.identity) {
    identity[field.name] = requireType(value[field.name], field, `${here}/${field.name}`);
  }
  return { documentId: idOf(target, identity), resourceName: target.name, identity };
}

/** True for a JSON object: not null, and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 57)}...` : json;
}
