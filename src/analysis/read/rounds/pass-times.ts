import { loadKey } from '../../../journal/load-level.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { CompleteRound } from './complete-rounds.ts';

/** A moment of a run: who had load, and how much of the pass (0..1) had gone by. */
export interface PlaceInPass {
  readonly variant: string;
  readonly repeat: boolean;
  readonly load: LoadLevel;
  readonly round: number;
  readonly share: number;
}

interface PassTime {
  readonly round: number;
  readonly load: LoadLevel;
  readonly startMs: number;
  readonly endMs: number;
}

/** When the passes of complete rounds were, and which variants their arms are. */
export interface PassTimes {
  readonly passes: PassTime[];
  readonly arms: Map<string, { readonly variant: string; readonly repeat: boolean }>;
}

export function newPassTimes(): PassTimes {
  return { passes: [], arms: new Map() };
}

/** Adds the passes of a round; a journal of version 0.1 has none. */
export function addPassTimes({ passes, arms }: PassTimes, { round, slices, passes: records }: CompleteRound): void {
  for (const { slice } of slices) arms.set(slice.arm, { variant: slice.variant, repeat: slice.repeat });
  for (const { pass, group, load, durationMs } of records) {
    const starts = slices
      .filter(({ slice }) => slice.pass === pass && slice.group === group && loadKey(slice.load) === loadKey(load))
      .map(({ slice }) => Date.parse(slice.startedAt))
      .filter((startMs) => !Number.isNaN(startMs));
    const startMs = Math.min(...starts);
    if (starts.length > 0) passes.push({ round, load, startMs, endMs: startMs + durationMs });
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
    const { round, load, startMs, endMs } = pass;
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
