import { closedLoopClients } from '../../../journal/load-level.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import { mean, sum } from '../../stats/moments.ts';

type Slice = Pick<SliceRecord, 'load' | 'turns' | 'windowMs'>;

/** Turns of a slice from one to before another, counted from 0. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/**
 * Answers as expected a second over some turns of a slice, all by default. In a closed loop connections x answers / busy time
 * (Wald's identity, src/measure/load/tally.ts); in other loads the answers that came within the window, since what comes later came
 * at no rate. NaN where there was no load.
 */
export function turnRate({ load, turns, windowMs }: Slice, part?: Part): number {
  const { ok = [], okByTime = [], busyMs = [] } = turns ?? {};
  const sumOf = (values: readonly number[]): number => sum(values.slice(part?.from, part?.to));
  const clients = closedLoopClients(load);
  const isClosed = clients !== null && busyMs.length > 0;
  const [count, ms] = isClosed
    ? [clients * sumOf(ok), sumOf(busyMs)]
    : [sumOf(okByTime), (windowMs * okByTime.slice(part?.from, part?.to).length) / okByTime.length];
  return ms > 0 ? (1000 * count) / ms : Number.NaN;
}

/** The time in which so many counted answers come at the rate of their slice, in ms. Without turns that is the window. */
export function rateMs(slice: Slice, ok: number): number {
  const rate = turnRate(slice);
  return rate > 0 && ok > 0 ? (1000 * ok) / rate : slice.windowMs;
}

/**
 * What each turn of a slice adds to its rate, as a count of answers. In a closed loop the rate is a ratio of sums, and this its
 * linear part (Cochran, Sampling Techniques, 1977, chapter 6), so that their scatter is that of the rate; a turn with a long
 * wait may have less than 0. Empty where there were no turns.
 */
export function turnCounts({ load, turns }: Pick<Slice, 'load' | 'turns'>): readonly number[] {
  const { ok = [], okByTime = [], busyMs = [] } = turns ?? {};
  if (closedLoopClients(load) === null || busyMs.length === 0) return okByTime;
  const [meanOk, meanBusyMs] = [mean(ok), mean(busyMs)];
  if (meanOk === 0 || meanBusyMs === 0) return ok;
  return ok.map((count, turn) => count + meanOk * (1 - (busyMs[turn] ?? 0) / meanBusyMs));
}
