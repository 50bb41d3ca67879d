import type { LinkReading } from '../../../journal/link/link-record.ts';
import type { RunNote } from '../../notes.ts';
import { distance } from './distance.ts';
import type { ReadPart } from './part.ts';
import { pooler } from './pooler.ts';

/** All parts that have readings. */
const parts = { distance, pooler };

type Parts = typeof parts;
/** Measurements of the parts of a variant, each absent where there are none. */
export type MeasuredParts = { readonly [Key in keyof Parts]?: ReturnType<Parts[Key]['measured']> };

const all = Object.entries(parts) as unknown as readonly (readonly [keyof Parts, ReadPart<unknown, unknown>])[];

/** Measurements of the parts of a variant, from all its readings. */
export function readParts(readings: readonly LinkReading[]): MeasuredParts {
  const measured = all.flatMap(([key, part]) => {
    const [first, ...others] = readings.flatMap((reading) => reading[key] ?? []);
    return first === undefined ? [] : [[key, part.measured([first, ...others])]];
  });
  return Object.fromEntries(measured);
}

/** Everything that is odd about the measured parts of a variant. */
export function notesOnParts(variant: string, measured: MeasuredParts): RunNote[] {
  return all.flatMap(([key, part]) => {
    const own = measured[key];
    return own === undefined ? [] : (part.notes?.(variant, own) ?? []);
  });
}
