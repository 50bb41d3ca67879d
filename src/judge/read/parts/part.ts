import type { RunNote } from '../../notes.ts';

/**
 * A part of variants that a run measures, as the judging half reads it from the records of links. It stands in
 * parts.ts under its key in a variant.
 */
export interface ReadPart<Reading, Measured> {
  /** All readings of a variant together; there is at least one. */
  measured(readings: readonly [Reading, ...Reading[]]): Measured;
  /** Notes on what is odd about it; absent where nothing can be. */
  notes?(variant: string, measured: Measured): RunNote[];
}
