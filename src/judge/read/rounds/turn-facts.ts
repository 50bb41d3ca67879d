import { groupBy } from '../../../base/group-by.ts';
import { loadKey } from '../../../journal/load-level.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { significant, significantOrNull } from '../../stats/rounding.ts';
import type { CompleteRound } from './complete-rounds.ts';
import {
  addedMix,
  type CheckedMix,
  checkedMix,
  type DrawnShares,
  isMixed,
  type MixShares,
  mixGap,
} from './mix-check.ts';
import { asOneTurn, type CheckedTurns, turnGap } from './turn-check.ts';

/** Counts of a load level's turns, and how much they may have hidden. */
export interface TurnFacts {
  /** Which share of the passes' time the counted parts of turns were, 0 to 1; null without passes. */
  readonly countedShare: number | null;
  /**
   * The rate of what was sent against the rate of what came within turns, in percent, with its standard error over
   * rounds. It is of the arm in which they differ most; null where the load is no closed loop.
   */
  readonly turnGap: { readonly percent: number; readonly errorPercent: number | null } | null;
  /** The kind of request that came within turns or was sent more or less often than it should be, for certain; null where none was. */
  readonly mixGap: MixShares | null;
  /** The longest latency of any answer, in ms; null where nothing was answered. */
  readonly longestMs: number | null;
}

interface LevelTurns {
  countedMs: number;
  passMs: number;
  longestMs: number;
  /** By arm, a row for each slice, which is the sum of its turns. */
  readonly slices: { readonly arm: string; readonly sums: CheckedTurns }[];
  /** By arm. */
  readonly mixes: Map<string, CheckedMix | null>;
}

/** By load level. */
export type TurnsSeen = Map<string, LevelTurns>;

/** Adds the passes of a round. */
export function addTurnFacts(seen: TurnsSeen, { passes, slices }: Pick<CompleteRound, 'passes' | 'slices'>): void {
  const levelOf = (load: LoadLevel): LevelTurns => {
    const level = seen.get(loadKey(load)) ?? { countedMs: 0, passMs: 0, longestMs: 0, slices: [], mixes: new Map() };
    seen.set(loadKey(load), level);
    return level;
  };
  for (const { load, durationMs } of passes) levelOf(load).passMs += durationMs;
  for (const { slice, pass } of slices) {
    if (pass === null) continue;
    const level = levelOf(slice.load);
    level.countedMs += slice.windowMs;
    level.longestMs = Math.max(level.longestMs, slice.latency.maxUs / 1000);
    level.mixes.set(slice.arm, addedMix(level.mixes.get(slice.arm) ?? null, checkedMix([slice])));
    const sums = asOneTurn(slice);
    if (sums !== null) level.slices.push({ arm: slice.arm, sums });
  }
}

/** The facts of a load level, whose kinds of request are drawn like that. */
export function turnFacts(seen: TurnsSeen, load: LoadLevel, drawn: DrawnShares): TurnFacts {
  const level = seen.get(loadKey(load));
  if (level === undefined) return { countedShare: null, turnGap: null, mixGap: null, longestMs: null };
  const gaps = groupBy(level.slices, ({ arm }) => arm).flatMap(
    (own) => turnGap(joined(own.map(({ sums }) => sums))) ?? [],
  );
  const [most] = gaps.sort((one, other) => Math.abs(other.log) - Math.abs(one.log));
  return {
    countedShare: level.passMs > 0 ? significant(level.countedMs / level.passMs) : null,
    turnGap:
      most === undefined
        ? null
        : {
            percent: significant(100 * Math.expm1(most.log)),
            errorPercent: most.error === null ? null : significant(100 * most.error),
          },
    mixGap: mostMixed([...level.mixes.values()], drawn),
    longestMs: level.longestMs > 0 ? significant(level.longestMs) : null,
  };
}

function mostMixed(mixes: readonly (CheckedMix | null)[], drawn: DrawnShares): TurnFacts['mixGap'] {
  const gaps = mixes.flatMap((mix) => (mix && mixGap(mix, drawn)) ?? []).filter(isMixed);
  const [most] = gaps.sort((one, other) => Math.abs(other.gap) - Math.abs(one.gap));
  if (most === undefined) return null;
  const { request, sentShare, withinShare, drawnShare } = most;
  return {
    request,
    sentShare: significant(sentShare),
    withinShare: significant(withinShare),
    drawnShare: significantOrNull(drawnShare),
  };
}

function joined(all: readonly CheckedTurns[]): CheckedTurns {
  return {
    ok: all.flatMap(({ ok }) => ok),
    busyMs: all.flatMap(({ busyMs }) => busyMs),
    okByTime: all.flatMap(({ okByTime }) => okByTime),
    countedMs: all.flatMap(({ countedMs }) => countedMs),
    clients: all[0]?.clients ?? 1,
  };
}
