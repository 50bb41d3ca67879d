import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatasetError } from '../../errors.ts';
import { endpointOf } from '../edfi-names.ts';
import type { Document } from '../types.ts';
import { type Arrangement, arrange } from './arrange.ts';
import { changedError, explainProblem } from './explain-problem.ts';
import { DocumentGraph, GraphProblemError } from './graph.ts';
import { IdentifiedElements } from './identified-elements.ts';
import { documentOf, type IndexedFile, indexFile } from './index-file.ts';
import { type EdFiFile, readElements } from './xml-element.ts';

export interface ReadEdFiOptions {
  /** Told what was done beyond reading: which descriptors were added. */
  onNotice?: (message: string) => void;
  /** Told how many documents will come, once that is known and ahead of the first. */
  onIndexed?: (documents: number) => void;
}

/**
 * Reads all Ed-Fi interchange files below a folder: each document after all that it refers to. The files are read
 * once for natural keys and references, of which hashes are kept, and again for the bodies, of which nothing is: some
 * 30 bytes a document, so a folder of any usual size can be read. Throws DatasetError with file, line and
 * column ahead of the first document, so bad data is never half loaded.
 *
 * Descriptors that are referred to but in no file are added: Ed-Fi's own template leaves out those of a district's own
 * namespace, and a document could not be stored without them.
 */
export async function* readEdFiFolder(folder: string, options: ReadEdFiOptions = {}): AsyncGenerator<Document> {
  const { files, arrangement } = await indexFolder(folder);
  const added = arrangement.missingDescriptors;
  if (added.length > 0) options.onNotice?.(noticeOf(arrangement));
  options.onIndexed?.(added.length + arrangement.rounds.length);
  for (const { reference } of added) {
    const body = { ...reference.identity, shortDescription: reference.identity.codeValue ?? null };
    yield { resource: endpointOf(reference.resourceName), body };
  }
  const last = arrangement.rounds.reduce((max, round) => Math.max(max, round), 0);
  for (let round = 0; round <= last; round++) yield* readRound(files, arrangement.rounds, round);
}

/** The graph ends with this function: the bodies are read with the memory that it had. */
async function indexFolder(folder: string): Promise<{ files: IndexedFile[]; arrangement: Arrangement }> {
  const graph = new DocumentGraph();
  const files: IndexedFile[] = [];
  try {
    for (const file of await findFiles(folder)) {
      const indexed = { file, firstPlace: graph.size, documents: 0, identified: new IdentifiedElements() };
      files.push(indexed);
      await indexFile(indexed, graph);
    }
    if (graph.size === 0) throw new DatasetError(`There are no documents in ${folder}`);
    return { files, arrangement: arrange(graph) };
  } catch (error) {
    throw error instanceof GraphProblemError ? await explainProblem(error, files, graph) : error;
  }
}

async function findFiles(folder: string): Promise<EdFiFile[]> {
  const hint = 'Give a folder with Ed-Fi interchange files (.xml), which may be in their own folders.';
  let names: string[];
  try {
    names = await readdir(folder, { recursive: true });
  } catch (error) {
    throw new DatasetError(`Cannot read the data set's folder ${folder}`, { hint, cause: error });
  }
  // Sorted by code unit, for the order decides the fingerprint and a folder's own order differs by machine.
  const files = names.filter((name) => name.toLowerCase().endsWith('.xml')).sort();
  if (files.length === 0) throw new DatasetError(`There is no .xml file in ${folder}`, { hint });
  return files.map((name) => ({ path: join(folder, name), name }));
}

async function* readRound(files: readonly IndexedFile[], rounds: Int32Array, round: number): AsyncGenerator<Document> {
  for (const { file, firstPlace, documents, identified } of files) {
    const ofFile = rounds.subarray(firstPlace, firstPlace + documents);
    if (!ofFile.includes(round)) continue;
    let index = 0;
    for await (const element of readElements(file)) {
      if (ofFile[index++] === round) yield documentOf(element, identified);
    }
    if (index !== documents) throw changedError(file.name);
  }
}

function noticeOf({ missingDescriptors: added }: Arrangement): string {
  const shown = added.slice(0, 5).map(({ reference, location }) => {
    const { namespace, codeValue } = reference.identity;
    return `${namespace}#${codeValue} (${location.file}:${location.line})`;
  });
  const more = added.length > shown.length ? `, and ${added.length - shown.length} more` : '';
  return `${added.length} descriptors were added, since documents refer to them and no file has them: ${shown.join(', ')}${more}`;
}
