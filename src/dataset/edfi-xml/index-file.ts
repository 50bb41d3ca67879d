import {
  type DocumentDescription,
  type DocumentReference,
  describeDocument,
  InvalidDocumentError,
} from '../../service/document.ts';
import { findResource, type Resource, resourceEndpoints } from '../../service/resources.ts';
import { endpointOf } from '../edfi-names.ts';
import type { Document } from '../types.ts';
import { bodyOf } from './to-body.ts';
import { type Identified, type IdentifiedById, refsIn } from './to-reference.ts';
import { type EdFiFile, errorAt, type Location, readElements, type XmlElement } from './xml-element.ts';

/** What is remembered of a document: enough to put it in order, not its body. */
export interface IndexEntry {
  location: Location;
  documentId: string;
  aliasIds: readonly string[];
  references: readonly DocumentReference[];
}

/** What is remembered of a file. */
export interface IndexedFile {
  file: EdFiFile;
  /** In the order of the file's elements. */
  entries: IndexEntry[];
  identified: IdentifiedById;
}

/**
 * Reads a file for its documents' ids and references. A `ref` may mean an element further down, so the file is read
 * again until every element is understood: once where all refs look back, a second time in the usual file.
 */
export async function indexFile(file: EdFiFile): Promise<IndexedFile> {
  const identified = new Map<string, Identified>();
  const declared = new Map<string, Location>();
  const entries: (IndexEntry | undefined)[] = [];
  for (let reading = 0; ; reading++) {
    let understood = 0;
    let position = 0;
    let waiting: XmlElement | undefined;
    for await (const element of readElements(file)) {
      const index = position++;
      if (entries[index]) continue;
      if (reading === 0 && element.id !== null) declare(declared, element.id, element.location);
      const ref = refsIn(element).find((each) => !identified.has(each.ref ?? ''));
      if (ref) {
        waiting ??= ref;
        entries[index] = undefined;
        continue;
      }
      entries[index] = enter(element, identified);
      understood++;
    }
    if (!waiting) return { file, entries: entries.filter((entry) => entry !== undefined), identified };
    if (understood === 0) throw unresolved(waiting, declared);
  }
}

/** The document of an element of an indexed file. */
export function documentOf(element: XmlElement, identified: IdentifiedById): Document {
  return { resource: resourceOf(element).endpoint, body: bodyOf(element, identified) };
}

function enter(element: XmlElement, identified: Map<string, Identified>): IndexEntry {
  const { documentId, aliasIds, references, identity } = describeAt(element, documentOf(element, identified));
  if (element.id !== null) identified.set(element.id, { resource: resourceOf(element), identity });
  return { location: element.location, documentId, aliasIds, references };
}

function describeAt(element: XmlElement, document: Document): DocumentDescription {
  try {
    return describeDocument(document.resource, document.body);
  } catch (error) {
    if (!(error instanceof InvalidDocumentError)) throw error;
    throw errorAt(element.location, `<${element.name}>: ${error.message}`, { cause: error });
  }
}

/** An unknown element is an error: without its natural key its document cannot be told from others or referred to. */
function resourceOf(element: XmlElement): Resource {
  const resource = findResource(endpointOf(element.name));
  if (resource) return resource;
  throw errorAt(element.location, `unknown element <${element.name}>`, {
    hint: `Known are descriptors and ${resourceEndpoints.length} resources; a new one needs its natural key in src/service/resources.ts.`,
  });
}

function declare(declared: Map<string, Location>, id: string, location: Location): void {
  const first = declared.get(id);
  if (first) throw errorAt(location, `id="${id}" is at line ${first.line} already`);
  declared.set(id, location);
}

function unresolved(ref: XmlElement, declared: ReadonlyMap<string, Location>): Error {
  const target = declared.get(ref.ref ?? '');
  if (!target) {
    const hint = 'A ref can only mean an element of its own file; across files use an <...Identity>.';
    return errorAt(ref.location, `<${ref.name}>: no element of this file has id="${ref.ref}"`, { hint });
  }
  return errorAt(
    ref.location,
    `<${ref.name}>: the element with id="${ref.ref}" at line ${target.line} waits for it in a circle`,
  );
}
