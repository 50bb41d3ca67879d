import { loadKey } from '../../../journal/load-level.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { CompleteRound } from './complete-rounds.ts';

/** A moment of a run: who had load, and how much of the pass, or of its own whole slice, had gone by (0..1). */
export interface PlaceInPass {
  readonly variant: string;
  readonly repeat: boolean;
  readonly load: LoadLevel;
  readonly round: number;
  readonly share: number;
}

/** The slice that a sample was taken in, as its row names it. */
export interface SampledIn {
  readonly round: number;
  readonly slice: number;
  readonly arm: string;
}

interface SliceTime extends Omit<PlaceInPass, 'share'> {
  readonly arm: string;
  /** When its pass was; where each arm had its time in one stretch, that. */
  readonly startMs: number;
  readonly endMs: number;
}

/** When the passes of complete rounds were, by the round and number of each of their slices. */
export type PassTimes = Map<string, SliceTime>;

export function newPassTimes(): PassTimes {
  return new Map();
}

const keyOf = ({ round, slice }: Pick<SampledIn, 'round' | 'slice'>): string => `${round} ${slice}`;

/** Adds the passes of a round. */
export function addPassTimes(times: PassTimes, { round, slices, passes: records }: CompleteRound): void {
  for (const { pass, group, load, durationMs, wholeSlices } of records) {
    const own = slices
      .filter(({ slice }) => slice.pass === pass && slice.group === group && loadKey(slice.load) === loadKey(load))
      .map(({ slice }) => ({ slice, fromMs: Date.parse(slice.startedAt) }))
      .filter(({ fromMs }) => !Number.isNaN(fromMs));
    const passMs = Math.min(...own.map(({ fromMs }) => fromMs));
    for (const { slice, fromMs } of own) {
      const { arm, variant, repeat } = slice;
      // Outside of its whole slice an arm is at rest.
      const [startMs, lastsMs] = wholeSlices === undefined ? [passMs, durationMs] : [fromMs, slice.loadMs];
      times.set(keyOf(slice), { arm, variant, repeat, load, round, startMs, endMs: startMs + lastsMs });
    }
  }
}

/**
 * Finds the place of a moment in its slice; null where that slice was not under way then. The slice is looked up by its
 * number: a clock that is set back shows the same time in several passes.
 */
export function placeIn(times: PassTimes): (sampled: SampledIn, atMs: number) => PlaceInPass | null {
  return (sampled, atMs) => {
    const found = times.get(keyOf(sampled));
    if (found === undefined || found.arm !== sampled.arm) return null;
    const { variant, repeat, load, round, startMs, endMs } = found;
    if (!(atMs >= startMs && atMs <= endMs)) return null;
    return { variant, repeat, load, round, share: endMs > startMs ? (atMs - startMs) / (endMs - startMs) : 0 };
  };
}
