import { type DocumentDescription, describeDocument, InvalidDocumentError } from '../../model/document.ts';
import { findResource, type Resource, resourceEndpoints } from '../../model/lookup.ts';
import { endpointOf } from '../edfi-names.ts';
import type { Document } from '../types.ts';
import type { DocumentGraph } from './graph.ts';
import type { IdentifiedElements } from './identified-elements.ts';
import { KeyTable } from './key-table.ts';
import { NumberList } from './number-list.ts';
import { bodyOf } from './to-body.ts';
import { type IdentifiedById, refsIn } from './to-reference.ts';
import { type EdFiFile, errorAt, readElements, type XmlElement } from './xml-element.ts';

/** Facts about a file that are kept. */
export interface IndexedFile {
  readonly file: EdFiFile;
  /** The place of its first document. */
  readonly firstPlace: number;
  /** How many documents it has. */
  documents: number;
  readonly identified: IdentifiedElements;
}

/**
 * Reads a file for its documents' keys and references. Which elements a `ref` means is known only at the end, so a file
 * with refs is read again until every element is understood; one without any, as large ones are, is read once.
 */
export async function indexFile(indexed: IndexedFile, graph: DocumentGraph): Promise<void> {
  const declared = new DeclaredIds();
  let left = await readFirst(indexed, graph, declared);
  while (left > 0) {
    const { understood, entered, waiting } = await readAgain(indexed, graph);
    left -= entered;
    if (understood === 0 && waiting) throw unresolved(waiting, declared);
  }
}

/** The document of an element of an indexed file. */
export function documentOf(element: XmlElement, identified: IdentifiedById): Document {
  return { resource: resourceOf(element).endpoint, body: bodyOf(element, identified) };
}

/** Description of an element's document, as the service would store it. Throws DatasetError with its place. */
export function describeElement(element: XmlElement, identified: IdentifiedById): DocumentDescription {
  const document = documentOf(element, identified);
  try {
    return describeDocument(document.resource, document.body);
  } catch (error) {
    if (!(error instanceof InvalidDocumentError)) throw error;
    throw errorAt(element.location, `<${element.name}>: ${error.message}`, { cause: error });
  }
}

/** Enters all elements without a ref. Returns how many have one. */
async function readFirst(indexed: IndexedFile, graph: DocumentGraph, declared: DeclaredIds): Promise<number> {
  let postponed = 0;
  for await (const element of readElements(indexed.file)) {
    const place = indexed.firstPlace + indexed.documents++;
    declared.add(element);
    const refs = refsIn(element);
    for (const { ref } of refs) indexed.identified.want(ref ?? '');
    if (refs.length > 0) postponed++;
    else enter(element, place, indexed, graph);
  }
  return postponed;
}

interface Reading {
  /** How many elements are known now that were not before: of all, and of the documents. */
  understood: number;
  entered: number;
  /** The first ref whose element is still unknown. */
  waiting: XmlElement | undefined;
}

async function readAgain(indexed: IndexedFile, graph: DocumentGraph): Promise<Reading> {
  const { file, firstPlace, identified } = indexed;
  const reading: Reading = { understood: 0, entered: 0, waiting: undefined };
  let place = firstPlace;
  for await (const element of readElements(file)) {
    const own = place++;
    if (graph.has(own)) {
      if (element.id === null || !identified.lacks(element.id)) continue;
      identified.put(element.id, resourceOf(element), describeElement(element, identified).identity);
      reading.understood++;
      continue;
    }
    const unknown = refsIn(element).find((each) => !identified.has(each.ref ?? ''));
    reading.waiting ??= unknown;
    if (unknown) continue;
    enter(element, own, indexed, graph);
    reading.understood++;
    reading.entered++;
  }
  return reading;
}

function enter(element: XmlElement, place: number, { identified }: IndexedFile, graph: DocumentGraph): void {
  const description = describeElement(element, identified);
  graph.add(place, description, element.location);
  if (element.id !== null && identified.lacks(element.id)) {
    identified.put(element.id, resourceOf(element), description.identity);
  }
}

/** An unknown element is an error: without its natural key its document cannot be distinguished from others or referred to. */
function resourceOf(element: XmlElement): Resource {
  const resource = findResource(endpointOf(element.name));
  if (resource) return resource;
  throw errorAt(element.location, `unknown element <${element.name}>`, {
    hint: `Known are descriptors and ${resourceEndpoints.length} resources; a new one needs its natural key in scenarios/services/documents/model/catalog.ts.`,
  });
}

/** The ids of a file's elements, each with its line. */
class DeclaredIds {
  private readonly ids = new KeyTable();
  private readonly lines = new NumberList();

  add({ id, location }: XmlElement): void {
    if (id === null) return;
    const line = this.lineOf(id);
    if (line !== null) throw errorAt(location, `id="${id}" is at line ${line} already`);
    this.lines.set(this.ids.add(id), location.line);
  }

  lineOf(id: string): number | null {
    const number = this.ids.find(id);
    return number < 0 ? null : this.lines.at(number);
  }
}

function unresolved(ref: XmlElement, declared: DeclaredIds): Error {
  const line = declared.lineOf(ref.ref ?? '');
  if (line === null) {
    const hint = 'A ref can only mean an element of its own file; across files use an <...Identity>.';
    return errorAt(ref.location, `<${ref.name}>: no element of this file has id="${ref.ref}"`, { hint });
  }
  return errorAt(
    ref.location,
    `<${ref.name}>: the element with id="${ref.ref}" at line ${line} waits for it in a circle`,
  );
}
