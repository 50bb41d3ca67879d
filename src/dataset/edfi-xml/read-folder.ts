import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import { endpointOf } from '../edfi-names.ts';
import type { Document } from '../types.ts';
import { type Arrangement, arrange } from './arrange.ts';
import { documentOf, type IndexedFile, indexFile } from './index-file.ts';
import { type EdFiFile, readElements } from './xml-element.ts';

export interface ReadEdFiOptions {
  /** Told what was done beyond reading: which descriptors were added. */
  onNotice?: (message: string) => void;
  /** Told how many documents there are, ahead of the first of them. */
  onTotal?: (documents: number) => void;
}

/**
 * Reads all Ed-Fi interchange files below a folder: each document after all that it refers to. The files are read
 * once for ids, natural keys and references, which are kept, and again for the bodies, which are not. Throws
 * PgsweepError('dataset') with file, line and column ahead of the first document, so bad data is never half loaded.
 *
 * Descriptors that are referred to but in no file are added: Ed-Fi's own template leaves out those of a district's own
 * namespace, and a document could not be stored without them.
 */
export async function* readEdFiFolder(folder: string, options: ReadEdFiOptions = {}): AsyncGenerator<Document> {
  const files: IndexedFile[] = [];
  for (const file of await findFiles(folder)) files.push(await indexFile(file));
  const arrangement = arrange(files.flatMap((each) => each.entries));
  if (arrangement.rounds.length === 0) throw new PgsweepError('dataset', `There are no documents in ${folder}`);

  const added = arrangement.missingDescriptors;
  options.onTotal?.(arrangement.rounds.length + added.length);
  if (added.length > 0) options.onNotice?.(noticeOf(arrangement));
  for (const { reference } of added) {
    const body = { ...reference.identity, shortDescription: reference.identity.codeValue ?? null };
    yield { resource: endpointOf(reference.resourceName), body };
  }
  const last = arrangement.rounds.reduce((max, round) => Math.max(max, round), 0);
  for (let round = 0; round <= last; round++) yield* readRound(files, arrangement.rounds, round);
}

async function findFiles(folder: string): Promise<EdFiFile[]> {
  const hint = 'Give a folder with Ed-Fi interchange files (.xml), which may be in folders of their own.';
  let names: string[];
  try {
    names = await readdir(folder, { recursive: true });
  } catch (error) {
    throw new PgsweepError('dataset', `Cannot read the data set's folder ${folder}`, { hint, cause: error });
  }
  // Sorted by code unit, for the order decides the fingerprint and a folder's own order differs by machine.
  const files = names.filter((name) => name.toLowerCase().endsWith('.xml')).sort();
  if (files.length === 0) throw new PgsweepError('dataset', `There is no .xml file in ${folder}`, { hint });
  return files.map((name) => ({ path: join(folder, name), name }));
}

async function* readRound(files: readonly IndexedFile[], rounds: Int32Array, round: number): AsyncGenerator<Document> {
  let first = 0;
  for (const { file, entries, identified } of files) {
    const ofFile = rounds.subarray(first, first + entries.length);
    first += entries.length;
    if (!ofFile.includes(round)) continue;
    let index = 0;
    for await (const element of readElements(file)) {
      if (ofFile[index++] === round) yield documentOf(element, identified);
    }
    if (index !== entries.length) {
      throw new PgsweepError('dataset', `${file.name} was changed while it was read`, { hint: 'Load it again.' });
    }
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
