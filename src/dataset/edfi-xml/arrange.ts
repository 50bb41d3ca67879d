import type { DocumentReference } from '../../service/document.ts';
import type { IndexEntry } from './index-file.ts';
import { errorAt, type Location } from './xml-element.ts';

/** In which reading of the folder each document comes out, so that what it refers to has come out before. */
export interface Arrangement {
  /** By the entry's place in the folder. */
  rounds: Int32Array;
  /** Descriptors that are referred to and are in no file, with the place that names them first. */
  missingDescriptors: { reference: DocumentReference; location: Location }[];
}

const unvisited = -1;
const underWay = -2;

/**
 * A document can come out in the reading of everything ahead of it that it refers to, but needs one reading more than
 * what stands behind it. So a folder is read again only as often as references look forward in a row, and never kept.
 */
export function arrange(entries: readonly IndexEntry[]): Arrangement {
  const places = placesById(entries);
  const missing = new Map<string, { reference: DocumentReference; location: Location }>();
  const targets = entries.map((entry) => targetsOf(entry, places, missing));
  const rounds = new Int32Array(entries.length).fill(unvisited);
  for (let start = 0; start < entries.length; start++) {
    if (rounds[start] === unvisited) visit(start, targets, rounds, entries);
  }
  return { rounds, missingDescriptors: [...missing.values()] };
}

function placesById(entries: readonly IndexEntry[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [place, entry] of entries.entries()) {
    for (const id of entry.aliasIds) {
      const first = entries[places.get(id) ?? -1];
      if (first) {
        const { file, line, column } = first.location;
        const what = id === entry.documentId ? 'the same natural key' : 'the same education organization id';
        throw errorAt(entry.location, `a document with ${what} is at ${file}:${line}:${column} already`);
      }
      places.set(id, place);
    }
  }
  return places;
}

function targetsOf(
  entry: IndexEntry,
  places: ReadonlyMap<string, number>,
  missing: Map<string, { reference: DocumentReference; location: Location }>,
): number[] {
  const targets: number[] = [];
  for (const reference of entry.references) {
    const place = places.get(reference.documentId);
    if (place !== undefined) {
      targets.push(place);
      continue;
    }
    if (!reference.resourceName.endsWith('Descriptor')) {
      const key = JSON.stringify(reference.identity);
      throw errorAt(entry.location, `refers to a ${reference.resourceName} that is in no file: ${key}`);
    }
    if (!missing.has(reference.documentId)) missing.set(reference.documentId, { reference, location: entry.location });
  }
  return targets;
}

/** Depth first with a stack of its own: a chain of references may be longer than the call stack is deep. */
function visit(start: number, targets: readonly number[][], rounds: Int32Array, entries: readonly IndexEntry[]): void {
  const stack = [start];
  for (let place = stack.at(-1); place !== undefined; place = stack.at(-1)) {
    const own = targets[place] ?? [];
    if (rounds[place] === unvisited) {
      rounds[place] = underWay;
      for (const target of own) {
        if (rounds[target] === unvisited) stack.push(target);
        else if (rounds[target] === underWay) throw circle(place, target, entries);
      }
      continue;
    }
    stack.pop();
    if (rounds[place] !== underWay) continue;
    let round = 0;
    for (const target of own) round = Math.max(round, (rounds[target] ?? 0) + (target < place ? 0 : 1));
    rounds[place] = round;
  }
}

function circle(place: number, target: number, entries: readonly IndexEntry[]): Error {
  const [from, to] = [entries[place]?.location, entries[target]?.location];
  if (!from || !to) throw new RangeError(`no entry at ${place} or ${target}`);
  return errorAt(from, `refers to the document at ${to.file}:${to.line}, which needs this one first`);
}
