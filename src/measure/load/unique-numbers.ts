import { FIRST_UNIQUE } from '../../base/template.ts';
import type { Journal } from '../../journal/journal.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';

/** This many numbers of `${unique}` are set aside at a time, and the next when half of them are used. */
const BLOCK = 1_000_000;

/** Limit that the journal records before any number from `from` on is used: all of them are below it. */
export function setAside(from: number): number {
  return from + BLOCK;
}

/** Counts up from `from`, by one or in steps. `onSetAside` hears how far numbers may be used, while there are many left below that. */
export function uniqueNumbers(from: number, onSetAside: (below: number) => void, step = 1): () => number {
  let next = from;
  let below = setAside(from);
  return () => {
    if (next > below - BLOCK / 2) {
      below = setAside(below);
      onSetAside(below);
    }
    const own = next;
    next += step;
    return own;
  };
}

/** First number of a run; of a resumed run, above all numbers that it may have used. */
export function firstUnique({ load }: ResolvedScenario, resume: Pick<Journal, 'records'> | null): number {
  let from = load.uniqueFrom ?? FIRST_UNIQUE;
  for (const record of resume?.records ?? []) if (record.type === 'unique') from = Math.max(from, record.below);
  return from;
}
