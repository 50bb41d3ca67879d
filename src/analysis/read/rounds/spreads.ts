import { groupBy } from '../../../base/group-by.ts';
import type { LevelSpread, Spreads, WarmupSpread } from '../../../journal/length-records.ts';
import { loadKey } from '../../../journal/load-level.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { WarmupRecord } from '../../../journal/uncounted-records.ts';
import { blockNoise } from '../../../stats/block-noise.ts';
import { mean, sum } from '../../../stats/moments.ts';
import { turnSpread } from '../../../stats/turn-spread.ts';
import type { CompleteRound, JudgedSlice } from './complete-rounds.ts';

/** A load level of one round, in which all arms of a group took turns. */
interface SeenPass {
  /** By arm. */
  readonly logRates: ReadonlyMap<string, number>;
  readonly sliceS: number;
  /** The variance of a slice's ln(rate), from its turns; null in whole slices. */
  readonly within: { readonly variance: number; readonly df: number } | null;
}

/** What is seen of a run's noise, round by round. */
export interface SpreadsSeen {
  add(round: CompleteRound): void;
  spreads(): Spreads;
}

/**
 * How much arms scatter within a start and between starts, by load level, over complete rounds: what a run sets its
 * lengths by. Each arm's own rate is taken out, so that it does not say which arm is faster.
 */
export function gatherSpreads(levels: readonly LoadLevel[]): SpreadsSeen {
  const seen = new Map(levels.map((load) => [loadKey(load), new Map<number, SeenPass[]>()]));
  const slowest = new Map<string, number>();
  let warmup: WarmupSpread | null = null;
  return {
    add(round) {
      warmup ??= warmupSpread(round.warmups);
      for (const load of levels) {
        const slices = slicesUnder(round, load);
        if (slices.length === 0) continue;
        slowest.set(loadKey(load), Math.min(...slices.map(countedPerS)));
        for (const members of groupBy(slices, ({ slice }) => slice.group)) {
          const passes = seen.get(loadKey(load));
          const group = members[0]?.slice.group ?? 0;
          passes?.set(group, [...(passes.get(group) ?? []), seenPass(members)]);
        }
      }
    },
    spreads: () => ({
      levels: levels.flatMap((load) => {
        const perS = slowest.get(loadKey(load));
        return perS === undefined ? [] : [levelSpread(load, [...(seen.get(loadKey(load))?.values() ?? [])], perS)];
      }),
      warmup,
    }),
  };
}

/** Slices that count; of bulk loads none, whose length is not the run's to choose. */
function slicesUnder({ slices }: CompleteRound, load: LoadLevel): JudgedSlice[] {
  return slices.filter(
    ({ slice, voided }) => !load.bulk && voided.length === 0 && loadKey(slice.load) === loadKey(load),
  );
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
  const rates = members.map(({ slice }) => [slice.arm, sum(countsOf(slice)) / slice.windowMs] as const);
  return {
    logRates: new Map(rates.flatMap(([arm, rate]) => (rate > 0 ? [[arm, Math.log(rate)]] : []))),
    sliceS: mean(members.map(sliceS)),
    within: turnSpread(members.map(({ slice }) => countsOf(slice))),
  };
}

/** The counts that rates are made of, turn by turn. */
function countsOf({ turns }: SliceRecord): readonly number[] {
  return turns?.okByTime ?? [];
}

function levelSpread(load: LoadLevel, groups: readonly (readonly SeenPass[])[], perS: number): LevelSpread {
  const passes = groups.flat();
  const within = passes.flatMap((pass) => (pass.within === null ? [] : [{ ...pass.within, sliceS: pass.sliceS }]));
  const df = sum(within.map((one) => one.df));
  const perSecond = sum(within.map((one) => one.df * one.variance * one.sliceS)) / df;
  return {
    load,
    withinPerS: df === 0 ? null : perSecond,
    between: between(groups),
    countedPerS: perS,
  };
}

/** The variance between rounds less that within them. Each group counts by itself, since all have the control. */
function between(groups: readonly (readonly SeenPass[])[]): LevelSpread['between'] {
  const parts = groups.flatMap((passes) => {
    const known = passes.filter(({ within }) => within !== null);
    const arms = [...(known[0]?.logRates.keys() ?? [])];
    const rows = known.map(({ logRates }) => arms.flatMap((arm) => logRates.get(arm) ?? []));
    const whole = rows.flatMap((row, index) => (row.length === arms.length ? [{ row, pass: known[index] }] : []));
    const total = blockNoise(whole.map(({ row }) => row));
    if (total === null) return [];
    const within = mean(whole.map(({ pass }) => pass?.within?.variance ?? 0));
    return [{ variance: total.variance - within, df: total.df }];
  });
  const df = sum(parts.map((part) => part.df));
  return df === 0 ? null : { variance: sum(parts.map((part) => part.df * part.variance)) / df, df };
}

/** Null where no arm was warmed in turns. */
function warmupSpread(warmups: readonly WarmupRecord[]): WarmupSpread | null {
  const arms = warmups.flatMap((warmup) => (warmup.turns === undefined ? [] : [thirdsOf(warmup)]));
  if (arms.length === 0) return null;
  const rateOf = (third: number): number => {
    const part = arms.map((own) => own.thirds[third] ?? { ok: 0, ms: 0 });
    return sum(part.map(({ ok }) => ok)) / sum(part.map(({ ms }) => ms));
  };
  const [middle, last] = [rateOf(1), rateOf(2)];
  return {
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
