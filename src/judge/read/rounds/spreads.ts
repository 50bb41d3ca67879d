import { groupBy } from '../../../base/group-by.ts';
import type { LevelSpread, Spreads, TurnWaits, WarmupSpread } from '../../../journal/length-records.ts';
import { loadKey, traitsOf } from '../../../journal/load-level.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import type { LoadLevel, LoadSpec } from '../../../journal/scenario-record.ts';
import type { WarmupRecord } from '../../../journal/uncounted-records.ts';
import { mean, sum } from '../../stats/moments.ts';
import { robustFit } from '../../stats/robust-fit.ts';
import { blockNoise, turnSpread } from '../../stats/variance.ts';
import type { CompleteRound, JudgedSlice } from './complete-rounds.ts';
import { addedMix, type CheckedMix, checkedMix, type DrawnShares, drawnShares, isMixed, mixGap } from './mix-check.ts';
import { type CheckedTurns, checkedTurns, hiddenBeside, hiddenTime, LEAST_HIDDEN } from './turn-check.ts';
import { turnCounts, turnRate } from './turn-rates.ts';
import { gatherTrends } from './workload-trends.ts';

/** A part that all arms hide alike cancels in changes: turns stay as they are up to this share of them. */
const MOST_ALIKE = 0.05;

/** A load level of one round, in which all arms of a group took turns. */
interface SeenPass {
  /** By arm. */
  readonly logRates: ReadonlyMap<string, number>;
  readonly sliceS: number;
  /** The variance of a slice's ln(rate), from its turns; null in whole slices. */
  readonly within: { readonly variance: number; readonly df: number } | null;
}

/** The turns of a slice without its histograms, which would not fit into memory in a long run. */
interface SeenTurns extends Pick<SliceRecord, 'arm' | 'turns'> {
  /** Names the pass that the arm had them in. */
  readonly pass: string;
  /** Null where the load is no closed loop. */
  readonly checked: CheckedTurns | null;
  readonly longestMs: number;
  readonly mix: CheckedMix | null;
}

/** Gathers the noise of a run, round by round. */
export interface SpreadsSeen {
  add(round: CompleteRound): void;
  spreads(): Spreads;
}

/**
 * How much arms scatter within a start and between starts, by load level, over complete rounds: what a run sets its
 * lengths by. Each arm's own rate is taken out, so that it does not say which arm is faster.
 */
export function gatherSpreads({ levels, workload }: Pick<LoadSpec, 'levels' | 'workload'>): SpreadsSeen {
  const drawn = drawnShares(workload);
  const seen = new Map(levels.map((load) => [loadKey(load), [] as SeenPass[]]));
  const slowest = new Map<string, number>();
  const ofTurns = new Map<string, SeenTurns[]>();
  const found: SeenTurns[] = [];
  let warmups: readonly WarmupSpread[] = [];
  const trends = gatherTrends();
  return {
    add(round) {
      trends.add(round);
      if (warmups.length === 0) warmups = warmupSpreads(round.warmups);
      const ofFound = counting(round).filter(({ slice }) => !seen.has(loadKey(slice.load)));
      found.push(...ofFound.map(({ slice }) => seenTurns(slice)));
      for (const load of levels) {
        const slices = slicesUnder(round, load);
        if (slices.length === 0) continue;
        slowest.set(loadKey(load), Math.min(...slices.map(countedPerS)));
        ofTurns.set(loadKey(load), [
          ...(ofTurns.get(loadKey(load)) ?? []),
          ...slices.map(({ slice }) => seenTurns(slice)),
        ]);
        for (const members of groupBy(slices, ({ slice }) => slice.group))
          seen.get(loadKey(load))?.push(seenPass(members));
      }
    },
    spreads: () => ({
      ...foundWaits(found, drawn),
      levels: levels.flatMap((load) => {
        const perS = slowest.get(loadKey(load));
        if (perS === undefined) return [];
        const passes = seen.get(loadKey(load)) ?? [];
        return [{ ...levelSpread(load, passes, perS), waits: turnWaits(ofTurns.get(loadKey(load)) ?? [], drawn) }];
      }),
      warmups,
      trends: trends.trends(),
    }),
  };
}

/** Slices that count; of bulk loads none, whose length is not the run's to choose. */
function counting({ slices }: CompleteRound): JudgedSlice[] {
  return slices.filter(({ slice, voided }) => traitsOf(slice.load).isTimed && voided.length === 0);
}

function slicesUnder(round: CompleteRound, load: LoadLevel): JudgedSlice[] {
  return counting(round).filter(({ slice }) => loadKey(slice.load) === loadKey(load));
}

function foundWaits(slices: readonly SeenTurns[], drawn: DrawnShares): Pick<Spreads, 'found'> {
  const found = turnWaits(slices, drawn);
  return found === null ? {} : { found };
}

/** How long a slice was meant to be: its drains and what of it does not count have their share in every second. */
function sliceS({ slice }: JudgedSlice): number {
  const { turns } = slice;
  return (turns === undefined ? slice.loadMs : turns.turnMs * turns.ok.length) / 1000;
}

function countedPerS(judged: JudgedSlice): number {
  return judged.slice.latency.count / sliceS(judged);
}

function seenPass(members: readonly JudgedSlice[]): SeenPass {
  // The control arms of all groups are one column, which they are compared through.
  const nameOf = ({ variant, repeat }: SliceRecord): string => JSON.stringify([variant, repeat]);
  const rates = members.map(({ slice }) => [nameOf(slice), turnRate(slice)] as const);
  return {
    logRates: new Map(rates.flatMap(([arm, rate]) => (rate > 0 ? [[arm, Math.log(rate)]] : []))),
    sliceS: mean(members.map(sliceS)),
    within: turnSpread(members.map(({ slice }) => turnCounts(slice))),
  };
}

function levelSpread(load: LoadLevel, passes: readonly SeenPass[], perS: number): Omit<LevelSpread, 'waits'> {
  const within = passes.flatMap((pass) => (pass.within === null ? [] : [{ ...pass.within, sliceS: pass.sliceS }]));
  const df = sum(within.map((one) => one.df));
  const perSecond = sum(within.map((one) => one.df * one.variance * one.sliceS)) / df;
  return {
    load,
    withinPerS: df === 0 ? null : perSecond,
    between: between(passes),
    countedPerS: perS,
  };
}

/**
 * The variance between rounds less the variance within them, of rounds that have all arms. If arms took turns in
 * groups, no round has, and groups differ in each.
 */
function between(passes: readonly SeenPass[]): LevelSpread['between'] {
  const known = passes.filter(({ within }) => within !== null);
  const arms = [...new Set(known.flatMap(({ logRates }) => [...logRates.keys()]))];
  const whole = known.filter(({ logRates }) => logRates.size === arms.length);
  const rows = whole.map(({ logRates }) => arms.map((arm) => logRates.get(arm) ?? Number.NaN));
  const gaps = known.map(({ logRates }) => arms.map((arm) => logRates.get(arm) ?? null));
  const [seen, total] = whole.length > 0 ? [whole, blockNoise(rows)] : [known, robustFit(gaps)?.noise ?? null];
  if (total === null) return null;
  const within = mean(seen.map((pass) => pass.within?.variance ?? 0));
  return { variance: total.variance - within, df: total.df };
}

function seenTurns(slice: SliceRecord): SeenTurns {
  const { arm, load, round, group, turns, latency } = slice;
  return {
    arm,
    pass: JSON.stringify([loadKey(load), round, group]),
    checked: checkedTurns([slice]),
    longestMs: latency.maxUs / 1000,
    mix: checkedMix([slice]),
    ...(turns && { turns }),
  };
}

/**
 * Waits that the turns of all rounds hid, for the arm with the most: beyond what its neighbours' turns hid beside it, or, where that
 * is more than ends do to any service, in all.
 */
function turnWaits(slices: readonly SeenTurns[], drawn: DrawnShares): TurnWaits | null {
  const passes = new Map(groupBy(slices, ({ pass }) => pass).map((members) => [members[0]?.pass, members]));
  const hidden = groupBy(slices, ({ arm }) => arm).flatMap((own) => {
    const checked = own.flatMap((slice) => slice.checked ?? []);
    const besides = own.flatMap(({ arm, pass, checked: turns }) => {
      const others = passes.get(pass)?.filter((one) => one.arm !== arm) ?? [];
      return turns === null ? [] : [{ own: turns, beside: others.flatMap((one) => one.checked ?? []) }];
    });
    const times = [hiddenBeside(besides, LEAST_HIDDEN), hiddenTime(checked, MOST_ALIKE)];
    const mix = own.map((one) => one.mix).reduce(addedMix, null);
    const mixed = mix && mixGap(mix, drawn);
    const countedMs = mean(checked.flatMap((turns) => turns.countedMs));
    return [
      ...times.flatMap((time) => (time === null ? [] : [time.isCertain ? Math.abs(time.ms) : 0])),
      ...(mixed !== null && isMixed(mixed) ? [Math.abs(mixed.gap) * countedMs] : []),
    ];
  });
  if (hidden.length === 0) return null;
  return {
    longestMs: Math.max(...slices.map((one) => one.longestMs)),
    turnMs: slices.at(-1)?.turns?.turnMs ?? 0,
    hiddenMs: Math.max(...hidden),
  };
}

/** One for each workload that arms were warmed for in turns. */
function warmupSpreads(warmups: readonly WarmupRecord[]): WarmupSpread[] {
  return groupBy(warmups, ({ load }) => load.workload).flatMap((own) => warmupSpread(own) ?? []);
}

/** Null where no arm was warmed in turns. */
function warmupSpread(warmups: readonly WarmupRecord[]): WarmupSpread | null {
  const workload = warmups[0]?.load.workload;
  const arms = warmups.flatMap((warmup) => (warmup.turns === undefined ? [] : [thirdsOf(warmup)]));
  if (arms.length === 0) return null;
  const rateOf = (third: number): number => {
    const part = arms.map((own) => own.thirds[third] ?? { ok: 0, ms: 0 });
    return sum(part.map(({ ok }) => ok)) / sum(part.map(({ ms }) => ms));
  };
  const [middle, last] = [rateOf(1), rateOf(2)];
  return {
    ...(workload !== undefined && { workload }),
    requests: Math.min(...arms.map(({ requests }) => requests)),
    growth: middle > 0 && last > 0 ? Math.log(last / middle) : null,
    perS: Math.min(...arms.map(({ perS }) => perS)),
  };
}

/** An arm's warm-up in three parts that are equally long, but for whole turns. */
function thirdsOf({ turns = [], turnsMs, durationMs, outcomes }: WarmupRecord) {
  const thirds = [0, 1, 2].map(() => ({ ok: 0, ms: 0 }));
  const lengths = turns.map((_, turn) => turnsMs?.[turn] ?? durationMs / turns.length);
  const allMs = sum(lengths);
  let startMs = 0;
  for (const [turn, ok] of turns.entries()) {
    const ms = lengths[turn] ?? 0;
    const third = thirds[Math.min(2, Math.floor((3 * (startMs + ms / 2)) / allMs))];
    startMs += ms;
    if (third === undefined) continue;
    third.ok += ok;
    third.ms += ms;
  }
  const requests = sum(Object.values(outcomes));
  return { thirds, requests, perS: requests / (durationMs / 1000) };
}
