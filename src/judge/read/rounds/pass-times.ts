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

interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

interface PassTime extends Stretch {
  readonly round: number;
  readonly load: LoadLevel;
  /** By arm, where each had its time in one stretch. */
  readonly slices?: ReadonlyMap<string, Stretch>;
}

/** When the passes of complete rounds were, and which variants their arms are. */
export interface PassTimes {
  readonly passes: PassTime[];
  readonly arms: Map<string, { readonly variant: string; readonly repeat: boolean }>;
}

export function newPassTimes(): PassTimes {
  return { passes: [], arms: new Map() };
}

/** Adds the passes of a round. */
export function addPassTimes({ passes, arms }: PassTimes, { round, slices, passes: records }: CompleteRound): void {
  for (const { slice } of slices) arms.set(slice.arm, { variant: slice.variant, repeat: slice.repeat });
  for (const { pass, group, load, durationMs, wholeSlices } of records) {
    const stretches = slices
      .filter(({ slice }) => slice.pass === pass && slice.group === group && loadKey(slice.load) === loadKey(load))
      .map(({ slice }) => ({ arm: slice.arm, startMs: Date.parse(slice.startedAt), loadMs: slice.loadMs }))
      .filter(({ startMs }) => !Number.isNaN(startMs));
    if (stretches.length === 0) continue;
    const startMs = Math.min(...stretches.map((stretch) => stretch.startMs));
    const own = stretches.map((one): [string, Stretch] => [
      one.arm,
      { startMs: one.startMs, endMs: one.startMs + one.loadMs },
    ]);
    const whole = wholeSlices !== undefined && { slices: new Map(own) };
    passes.push({ round, load, startMs, endMs: startMs + durationMs, ...whole });
  }
}

/** Finds the place of a moment of an arm. */
export function placeIn({ passes, arms }: PassTimes): (arm: string, atMs: number) => PlaceInPass | null {
  const inOrder = [...passes].sort((a, b) => a.startMs - b.startMs);
  return (name, atMs) => {
    const arm = arms.get(name);
    const after = firstAfter(inOrder, atMs);
    const pass = inOrder[after - 1];
    if (arm === undefined || pass === undefined || atMs > pass.endMs) return null;
    const { round, load, slices } = pass;
    const { startMs, endMs } = slices?.get(name) ?? pass;
    // Outside of its whole slice an arm is at rest.
    if (atMs < startMs || atMs > endMs) return null;
    return { ...arm, round, load, share: endMs > startMs ? (atMs - startMs) / (endMs - startMs) : 0 };
  };
}

/** The index of the first pass that starts later, by halves. */
function firstAfter(passes: readonly PassTime[], atMs: number): number {
  let [low, high] = [0, passes.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((passes[middle]?.startMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
