import { groupBy } from '../../../base/group-by.ts';
import { cyclingClients, loadKey } from '../../../journal/load-level.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { mean, sum } from '../../stats/moments.ts';
import { type Spread, turnSpread } from '../../stats/variance.ts';
import type { CompleteRound, JudgedSlice } from './complete-rounds.ts';

type Slice = Pick<SliceRecord, 'load' | 'turns' | 'windowMs'>;

/** Answers as expected that came within each turn of a slice. Empty where there were no turns. */
export function cameWithin(turns: SliceRecord['turns']): readonly number[] {
  return turns?.okWithin ?? turns?.okByTime ?? [];
}

/** Turns of a slice from one to before another, counted from 0. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/**
 * Answers as expected a second over some turns of a slice, all by default. In a closed loop connections x answers /
 * busy time (Wald's identity, src/measure/load/tally.ts), and for k6's users the same by the time of their iterations. In
 * other loads the answers that came within the window, since later ones came at no rate. NaN where there was no load.
 */
export function turnRate({ load, turns, windowMs }: Slice, part?: Part): number {
  const { ok = [], busyMs = [] } = turns ?? {};
  const came = cameWithin(turns);
  const sumOf = (values: readonly number[]): number => sum(values.slice(part?.from, part?.to));
  const clients = cyclingClients(load);
  const isClosed = clients !== null && busyMs.length > 0;
  const [count, ms] = isClosed
    ? [clients * sumOf(ok), sumOf(busyMs)]
    : [sumOf(came), (windowMs * came.slice(part?.from, part?.to).length) / came.length];
  return ms > 0 ? (1000 * count) / ms : Number.NaN;
}

/** The time in which this many counted answers come at the rate of their slice, in ms. Without turns that is the window. */
export function rateMs(slice: Slice, ok: number): number {
  const rate = turnRate(slice);
  return rate > 0 && ok > 0 ? (1000 * ok) / rate : slice.windowMs;
}

/**
 * The contribution of each turn of a slice to its rate, as a count of answers. In a closed loop the rate is a ratio of
 * sums, and this is its linear part (Cochran, Sampling Techniques, 1977, chapter 6). So their scatter is the scatter of
 * the rate; a turn with a long wait may have less than 0. Empty where there were no turns.
 */
export function turnCounts({ load, turns }: Pick<Slice, 'load' | 'turns'>): readonly number[] {
  const { ok = [], busyMs = [] } = turns ?? {};
  if (cyclingClients(load) === null || busyMs.length === 0) return cameWithin(turns);
  const [meanOk, meanBusyMs] = [mean(ok), mean(busyMs)];
  if (meanOk === 0 || meanBusyMs === 0) return ok;
  return ok.map((count, turn) => count + meanOk * (1 - (busyMs[turn] ?? 0) / meanBusyMs));
}

/** By load level, then by round: the noise of a slice's ln(rate) in each pass, from the slice's turns. */
export type TurnNoise = Map<string, Map<number, PassNoise[]>>;

/** Arms of one pass, and the noise that their turns show; null where they had whole slices. */
interface PassNoise {
  readonly group: number;
  readonly noise: Spread | null;
}

/** Adds the passes of a round in which slices counted. */
export function addTurnNoise(known: TurnNoise, { round, slices }: CompleteRound): void {
  const counted = slices.filter(({ voided }) => voided.length === 0);
  const passOf = ({ slice }: JudgedSlice): string => `${loadKey(slice.load)} ${slice.pass} ${slice.group ?? 0}`;
  for (const members of groupBy(counted, passOf)) {
    const [first] = members;
    if (first === undefined) continue;
    const { load, group = 0 } = first.slice;
    const byRound = known.get(loadKey(load)) ?? new Map<number, PassNoise[]>();
    known.set(loadKey(load), byRound);
    const noise = turnSpread(members.map(({ slice }) => turnCounts(slice)));
    byRound.set(round, [...(byRound.get(round) ?? []), { group, noise }]);
  }
}

/**
 * Noise by round of the passes that a cell took part in (`groupOf`, empty where it took part in all). A round with a
 * pass without noise is left out.
 */
export function turnNoiseUnder(
  known: TurnNoise,
  load: LoadLevel,
  groupOf: ReadonlyMap<number, number>,
): ReadonlyMap<number, Spread> {
  const byRound = known.get(loadKey(load)) ?? new Map<number, PassNoise[]>();
  return new Map(
    [...byRound].flatMap(([round, passes]) => {
      const group = groupOf.get(round);
      const own = passes.filter((pass) => group === undefined || pass.group === group);
      const spreads = own.flatMap(({ noise }) => noise ?? []);
      if (spreads.length === 0 || spreads.length < own.length) return [];
      const together = { variance: mean(spreads.map((one) => one.variance)), df: sum(spreads.map((one) => one.df)) };
      return [[round, together] as const];
    }),
  );
}

/** NonInferiority to see a course in a pass, few enough to be kept of every slice of a long run. */
export const PARTS = 12;

/**
 * 2xx/s in up to twelve equal parts of the turns of a round's slices of one cell, in their order. Of several slices
 * (arms in groups) the first counts. Empty where there were no turns.
 */
export function turnRates(slices: readonly SliceRecord[]): number[] {
  const slice = slices.find(({ turns }) => (turns?.okByTime.length ?? 0) > 0);
  const turns = slice?.turns?.okByTime.length ?? 0;
  if (slice === undefined || slice.windowMs <= 0) return [];
  const parts = Math.min(PARTS, turns);
  const startOf = (part: number): number => Math.floor((part * turns) / parts);
  return Array.from({ length: parts }, (_, part) => turnRate(slice, { from: startOf(part), to: startOf(part + 1) }));
}
