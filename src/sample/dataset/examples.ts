import type { JsonObject } from '../model/document.ts';
import type { Document } from './types.ts';

/** Keeps some documents of a stream whose length is not known, spread evenly over it, in bounded memory. */
export interface Examples<T extends Document = Document> {
  add(document: T, isDescriptor: boolean): void;
  /** By endpoint in order of first appearance, then in order of the stream. */
  list(): T[];
}

interface Shelf<T> {
  kept: T[];
  seen: number;
  /** Every so manieth document is kept. */
  stride: number;
}

const perResourceMax = 200;
const descriptorsMax = 50;

export function createExamples<T extends Document = Document>(): Examples<T> {
  const shelves = new Map<string, Shelf<T>>();
  return {
    add: (document, isDescriptor) => {
      // All descriptors share one shelf: there are 200 kinds of them, and the load hardly touches any.
      const name = isDescriptor ? 'descriptors' : document.resource;
      const shelf: Shelf<T> = shelves.get(name) ?? { kept: [], seen: 0, stride: 1 };
      shelves.set(name, shelf);
      place(shelf, document, isDescriptor ? descriptorsMax : perResourceMax);
    },
    list: () => [...shelves.values()].flatMap((shelf) => shelf.kept),
  };
}

/** A full shelf gives up every second document and from then on takes half as many: always between half and all of max. */
function place<T extends Document>(shelf: Shelf<T>, document: T, max: number): void {
  if (shelf.seen % shelf.stride === 0) {
    if (shelf.kept.length === max) {
      shelf.kept = shelf.kept.filter((_, index) => index % 2 === 0);
      shelf.stride *= 2;
    }
    if (shelf.seen % shelf.stride === 0) shelf.kept.push(ownCopy(document));
  }
  shelf.seen++;
}

/** A text that was cut out of a file keeps the file's whole chunk in memory; one that was parsed again does not. */
function ownCopy<T extends Document>(document: T): T {
  return { ...document, body: JSON.parse(JSON.stringify(document.body)) as JsonObject };
}
