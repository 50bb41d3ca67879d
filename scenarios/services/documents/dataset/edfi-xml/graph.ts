import type { DocumentDescription, DocumentReference } from '../../model/document.ts';
import { KeyTable } from './key-table.ts';
import { NumberList } from './number-list.ts';
import type { Location } from './xml-element.ts';

/** A descriptor that is referred to and is in no file, with the place that names it first. */
export interface MissingDescriptor {
  readonly reference: DocumentReference;
  readonly location: Location;
}

/** Problem of the documents as a whole. Each document is named by its number in the folder. */
export type GraphProblem =
  | { readonly kind: 'same key'; readonly place: number; readonly first: number; readonly key: 'natural' | 'inherited' }
  | { readonly kind: 'missing'; readonly place: number }
  | { readonly kind: 'circle'; readonly place: number; readonly target: number };

/** Thrown with places; who can read the files makes an error with file and line of it. */
export class GraphProblemError extends Error {
  readonly problem: GraphProblem;

  constructor(problem: GraphProblem) {
    super(problem.kind);
    this.problem = problem;
  }
}

/** A descriptor that no document is known for so far. */
interface Awaited extends MissingDescriptor {
  place: number;
  /** Its turn among the references of that document. */
  turn: number;
}

/**
 * Remembered facts of a folder's documents: a hash of each key, and only those references that look forward, since nearly all
 * look back. A document can come out in the reading of everything ahead of it that it refers to, but needs one reading (a
 * round) more than what stands behind it. So a folder is read again only as often as references look forward in a row, and
 * its documents are never kept.
 */
export class DocumentGraph {
  /** Every id under which a document is referred to, its superclass's too, whether its document is there yet or not. */
  readonly keys = new KeyTable();
  /** By key: the place of its document + 1, or 0. */
  private readonly placeOfKey = new NumberList();
  /** By place: the round + 1; 0 where the document is still to come; for one that waits -1 and its number in `waiting`. */
  private readonly rounds = new NumberList();
  /** Where the edges of each waiting document begin, and the round that its other references ask for. */
  readonly waiting = { firstEdge: new NumberList(), round: new NumberList() };
  /** Keys that waiting documents refer to. */
  readonly edges = new NumberList();
  private readonly awaited = new Map<number, Awaited>();

  /** How many places there are. */
  get size(): number {
    return this.rounds.length;
  }

  /** True if the document at a place was taken in. */
  has(place: number): boolean {
    return this.rounds.at(place) !== 0;
  }

  /** Takes in the document at a place. Throws GraphProblemError where its key is taken. */
  add(place: number, description: DocumentDescription, location: Location): void {
    for (const id of description.aliasIds) this.claim(id, place, id === description.documentId);
    let round = 0;
    const firstEdge = this.edges.length;
    for (const [turn, reference] of description.references.entries()) {
      const key = this.keys.add(reference.documentId);
      const target = this.placeOfKey.at(key) - 1;
      const known = target < 0 ? 0 : this.rounds.at(target);
      if (known > 0) round = Math.max(round, known - 1 + (target < place ? 0 : 1));
      else this.edges.push(key);
      if (target < 0 && reference.resourceName.endsWith('Descriptor')) {
        this.await(key, { reference, location, place, turn });
      }
    }
    if (this.edges.length === firstEdge) this.rounds.set(place, round + 1);
    else {
      this.rounds.set(place, -1 - this.waiting.round.length);
      this.waiting.firstEdge.push(firstEdge);
      this.waiting.round.push(round);
    }
  }

  private claim(id: string, place: number, isOwn: boolean): void {
    const key = this.keys.add(id);
    const other = this.placeOfKey.at(key) - 1;
    if (other >= 0) {
      const [first, second] = other < place ? [other, place] : [place, other];
      throw new GraphProblemError({ kind: 'same key', place: second, first, key: isOwn ? 'natural' : 'inherited' });
    }
    this.placeOfKey.set(key, place + 1);
    this.awaited.delete(key);
  }

  private await(key: number, found: Awaited): void {
    const known = this.awaited.get(key);
    if (!known || known.place > found.place) this.awaited.set(key, found);
  }

  /** The place of the document that a key means, -1 where it is in no file. */
  placeOf(key: number): number {
    return this.placeOfKey.at(key) - 1;
  }

  /** The round of a document, or -1 where that is not known yet. */
  roundOf(place: number): number {
    return Math.max(-1, this.rounds.at(place) - 1);
  }

  /** The number of a document in `waiting`, or -1 where its round is known. */
  waitingOf(place: number): number {
    return -1 - Math.min(0, this.rounds.at(place));
  }

  /** Says the round of a document that waited for it. */
  settle(place: number, round: number): void {
    this.rounds.set(place, round + 1);
  }

  /** True for the key of a descriptor that is in no file. */
  isMissingDescriptor(key: number): boolean {
    return this.awaited.has(key);
  }

  /** In the order in which documents name them. */
  missingDescriptors(): MissingDescriptor[] {
    return [...this.awaited.values()].sort((a, b) => a.place - b.place || a.turn - b.turn);
  }
}
