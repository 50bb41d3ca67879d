import type { Document } from './types.ts';

/** Some documents of a stream whose length is not known, spread evenly over it, in bounded memory. */
export interface Examples {
  /** Takes in the next document; between half of `most` and `most` of its kind are kept. */
  add(document: Document, kind: string, most?: number): void;
  /** By kind in order of first appearance, then in order of the stream. */
  list(): Document[];
}

interface Shelf {
  kept: Document[];
  seen: number;
  /** The distance between documents that are kept. */
  stride: number;
}

const MOST_OF_A_KIND = 200;

export function createExamples(): Examples {
  const shelves = new Map<string, Shelf>();
  return {
    add(document, kind, most = MOST_OF_A_KIND) {
      const shelf = shelves.get(kind) ?? { kept: [], seen: 0, stride: 1 };
      shelves.set(kind, shelf);
      if (shelf.seen % shelf.stride === 0 && shelf.kept.length === most) {
        shelf.kept = shelf.kept.filter((_, index) => index % 2 === 0);
        shelf.stride *= 2;
      }
      // A text that was cut out of a file keeps the file's whole chunk in memory; a copy does not.
      if (shelf.seen % shelf.stride === 0) shelf.kept.push(JSON.parse(JSON.stringify(document)));
      shelf.seen++;
    },
    list: () => [...shelves.values()].flatMap(({ kept }) => kept),
  };
}
