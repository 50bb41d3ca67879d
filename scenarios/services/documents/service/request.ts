import { type DocumentDescription, describeDocument, isObject, type JsonObject } from '../model/document.ts';
import { findResource, type Resource, resourceEndpoints } from '../model/lookup.ts';
import { ServiceError } from './errors.ts';
import { nearest } from './nearest.ts';

/** A document as it comes from a request: what is known of it, and its body as JSON text. */
export interface IncomingDocument {
  readonly description: DocumentDescription;
  readonly bodyJson: string;
}

/** The resource of an endpoint. Throws a 404 that names the most similar one. */
export function requireResource(endpoint: string): Resource {
  const found = findResource(endpoint);
  if (found) return found;
  const near = nearest(endpoint, resourceEndpoints);
  const hint = near === null ? '' : `; did you mean '${near}'?`;
  throw new ServiceError(404, 'unknown_resource', `There is no resource '${endpoint}'${hint}`, { nearest: near });
}

/** A document's uuid from a URL. Throws a 400. */
export function readUuid(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new ServiceError(400, 'invalid_id', `Expected a UUID as the document's id, found '${text}'`);
}

/**
 * The document in a request's body. Throws a 400. The id is no part of what is stored: a post has none, and a put may
 * repeat the one in its URL.
 */
export function readDocument(endpoint: string, body: unknown, uuid: string | null): IncomingDocument {
  if (!isObject(body)) {
    throw new ServiceError(400, 'invalid_document', `Expected a JSON object as the body, found ${kindOf(body)}`);
  }
  const { id, ...withoutId } = body;
  if (id !== undefined && (typeof id !== 'string' || id.toLowerCase() !== uuid)) {
    const expected = uuid === null ? 'no id, since the service chooses it' : `the id of the URL, ${uuid}`;
    throw new ServiceError(400, 'invalid_document', `/id: expected ${expected}`, { path: '/id' });
  }
  const document = id === undefined ? body : withoutId;
  return { description: describeDocument(endpoint, document), bodyJson: toJson(document) };
}

function kindOf(body: unknown): string {
  if (body === undefined) return 'nothing';
  if (body === null) return 'null';
  return Array.isArray(body) ? 'an array' : `a ${typeof body}`;
}

function toJson(document: JsonObject): string {
  try {
    return JSON.stringify(document);
  } catch (cause) {
    // JSON.parse reads any depth, JSON.stringify ends with the stack.
    throw new ServiceError(400, 'invalid_document', 'The body is nested too deeply', {}, cause);
  }
}
