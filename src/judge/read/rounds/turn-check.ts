import { closedLoopClients } from '../../../journal/load-level.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import { mean, sum } from '../../stats/moments.ts';
import { differsFromZero } from '../../stats/skewed-mean.ts';

/** The chance that turns which hide nothing seem to: some thirty arms and load levels are looked at in a run, after every round. */
export const CHANCE = 0.002;
/** A share of a turn: ends that hide less matter to nobody. */
export const LEAST_HIDDEN = 0.01;

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

/** All turns of a slice as one: over many rounds its turns would fill the memory. Null as in `checkedTurns`. */
export function asOneTurn(slice: Pick<SliceRecord, 'load' | 'turns' | 'windowMs'>): CheckedTurns | null {
  const turns = checkedTurns([slice]);
  if (turns === null) return null;
  const { ok, busyMs, okByTime, countedMs, clients } = turns;
  return { ok: [sum(ok)], busyMs: [sum(busyMs)], okByTime: [sum(okByTime)], countedMs: [sum(countedMs)], clients };
}

/** The gap between the two rates of an arm. */
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
 * The gap of some turns, with the linearised error of a ratio of sums over turns (Cochran, Sampling Techniques, 1977,
 * chapter 6). A turn moves ln(rate) by its share of the answers less its share of the time. Null where one of the rates
 * is 0.
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

/** How much of the time of turns their ends hide. */
export interface HiddenTime {
  /** In ms of each turn, the mean of all: what came within a turn is as if it were this much shorter, or (below 0) longer. */
  readonly ms: number;
  /** True where that is beyond noise, and beyond the share of a turn that was asked for. */
  readonly isCertain: boolean;
}

/**
 * Time that the ends of turns hide. It does not depend on the length of turns, so all rounds count. It is how much
 * longer a turn would be, by what came within it and the slice's rate of what was sent, linearised by turn as in
 * `turnGap`. Certain over the turns, few of which have a rare wait, where it is more than `leastShare` of the shortest of
 * them. Null where nothing was sent or came.
 */
export function hiddenTime(slices: readonly CheckedTurns[], leastShare = 0): HiddenTime | null {
  return hiddenBeside(
    slices.map((own) => ({ own, beside: [] })),
    leastShare,
  );
}

/**
 * Time that the ends of turns hide beyond what those of other arms hide in the same cycles. Of arms that share a CPU the last answers
 * of a turn all have less company: such a part is alike in all of them and cancels in every change. `beside` are the
 * slices of the other arms by the slice that they took turns with; where there are none it is all that is hidden.
 */
export function hiddenBeside(
  slices: readonly { readonly own: CheckedTurns; readonly beside: readonly CheckedTurns[] }[],
  leastShare: number,
): HiddenTime | null {
  const byTurn = slices.flatMap(({ own, beside }) => {
    const others = beside.map(hiddenByTurn).filter(({ length }) => length > 0);
    return hiddenByTurn(own).flatMap((ms, turn) => {
      const inCycle = others.flatMap((other) => other[turn] ?? []);
      return others.length === 0 ? [ms] : inCycle.length === 0 ? [] : [ms - mean(inCycle)];
    });
  });
  if (byTurn.length === 0) return null;
  const ms = mean(byTurn);
  const leastMs = leastShare * Math.min(...slices.flatMap(({ own }) => own.countedMs));
  const beyond = byTurn.map((one) => one - Math.sign(ms) * leastMs);
  return { ms, isCertain: Math.abs(ms) > leastMs && differsFromZero(beyond, CHANCE) };
}

function hiddenByTurn({ ok, busyMs, okByTime, countedMs, clients }: CheckedTurns): number[] {
  const sums = { ok: sum(ok), busyMs: sum(busyMs), within: sum(okByTime) };
  if (Math.min(sums.ok, sums.busyMs, sums.within) <= 0) return [];
  const perMs = (clients * sums.ok) / sums.busyMs;
  return ok.map((count, turn) => {
    const ofRate = count / sums.ok - (busyMs[turn] ?? 0) / sums.busyMs;
    return (countedMs[turn] ?? 0) - ((okByTime[turn] ?? 0) - sums.within * ofRate) / perMs;
  });
}
