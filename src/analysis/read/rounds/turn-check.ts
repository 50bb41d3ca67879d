import { closedLoopClients } from '../../../journal/load-level.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import { mean, sum } from '../../../stats/moments.ts';

/** The turns of an arm under a load level, of one pass or of several. */
export interface CheckedTurns {
  /** By turn: answers as expected to what was sent in it, the busy time of these, and what came within it. */
  readonly ok: readonly number[];
  readonly busyMs: readonly number[];
  readonly okByTime: readonly number[];
  /** The part of a turn that counts, in ms; of each turn. */
  readonly countedMs: readonly number[];
  readonly clients: number;
}

/** How far the two rates of an arm are apart. */
export interface TurnGap {
  /** ln(rate of what was sent / rate of what came within the turns): below 0 where waits outlast turns. */
  readonly log: number;
  /** Its standard error; null where there is one turn. */
  readonly error: number | null;
}

/** The turns of some slices of an arm; null where the load is no closed loop or nothing counted. */
export function checkedTurns(slices: readonly Pick<SliceRecord, 'load' | 'turns' | 'windowMs'>[]): CheckedTurns | null {
  const [first] = slices;
  const clients = first === undefined ? null : closedLoopClients(first.load);
  const known = slices.flatMap(({ turns, windowMs }) =>
    turns?.busyMs === undefined || turns.busyMs.length === 0 ? [] : [{ ...turns, busyMs: turns.busyMs, windowMs }],
  );
  if (clients === null || known.length === 0) return null;
  return {
    ok: known.flatMap(({ ok }) => ok),
    busyMs: known.flatMap(({ busyMs }) => busyMs),
    okByTime: known.flatMap(({ okByTime }) => okByTime),
    countedMs: known.flatMap(({ okByTime, windowMs }) => okByTime.map(() => windowMs / okByTime.length)),
    clients,
  };
}

/**
 * The gap of some turns, with the linearised error of a ratio of sums over turns (Cochran, Sampling Techniques, 1977, chapter
 * 6): a turn moves ln(rate) by its share of the answers less its share of the time. Null where one of the rates is 0.
 */
export function turnGap({ ok, busyMs, okByTime, countedMs, clients }: CheckedTurns): TurnGap | null {
  const sums = { ok: sum(ok), busyMs: sum(busyMs), within: sum(okByTime), ms: sum(countedMs) };
  if (Math.min(sums.ok, sums.busyMs, sums.within, sums.ms) <= 0) return null;
  const log = Math.log((clients * sums.ok) / sums.busyMs) - Math.log(sums.within / sums.ms);
  const shares = ok.map(
    (count, turn) =>
      count / sums.ok -
      (busyMs[turn] ?? 0) / sums.busyMs -
      (okByTime[turn] ?? 0) / sums.within +
      (countedMs[turn] ?? 0) / sums.ms,
  );
  const turns = shares.length;
  if (turns < 2) return { log, error: null };
  const squares = sum(shares.map((share) => (share - mean(shares)) ** 2));
  return { log, error: Math.sqrt((turns / (turns - 1)) * squares) };
}
