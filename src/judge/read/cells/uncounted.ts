import { byName, ofName } from '../../../base/by-name.ts';
import { traitsOf } from '../../../journal/load-level.ts';
import { countAll, countOk } from '../../../journal/outcomes.ts';
import type { OutcomesRecord, SliceRecord } from '../../../journal/records.ts';
import type { UncountedRecord } from '../../../journal/uncounted-records.ts';

/**
 * Outcomes of requests that no number of a cell counts: of the warm-up (in the cells of the load level that warmed), of
 * turns that were tried, of the first part of each turn, and of what was under way at its end.
 */
export interface Uncounted {
  readonly requests: number;
  /** Answers other than expected, and requests without an answer. */
  readonly failed: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly errors: number;
  readonly timeouts: number;
  /** Requests of an open loop that were due and were not sent. Absent where none. */
  readonly unsent?: number;
}

export const nothingUncounted: Uncounted = { requests: 0, failed: 0, statuses: {}, errors: 0, timeouts: 0 };

export function addUncounted(a: Uncounted, b: Uncounted): Uncounted {
  const statuses = byName(Object.entries(a.statuses));
  for (const [status, count] of Object.entries(b.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  return {
    requests: a.requests + b.requests,
    failed: a.failed + b.failed,
    statuses,
    errors: a.errors + b.errors,
    timeouts: a.timeouts + b.timeouts,
    ...unsentOf((a.unsent ?? 0) + (b.unsent ?? 0)),
  };
}

/** Requests of discarded slices, in the part that would count. */
export interface Discarded extends Uncounted {
  readonly slices: number;
}

/** Adds discarded slices; null where there are none. */
export function addDiscarded(before: Discarded | null, slices: readonly SliceRecord[]): Discarded | null {
  return slices.reduce<Discarded | null>((all, slice) => {
    const own = uncountedOfRecord({ outcomes: slice.outcomes, ok: countOk(slice) });
    return { slices: (all?.slices ?? 0) + 1, ...addUncounted(all ?? nothingUncounted, own) };
  }, before);
}

/** Adds to the uncounted part of a round. */
export function addToRound(rounds: Map<number, Uncounted> | undefined, round: number, more: Uncounted): void {
  rounds?.set(round, addUncounted(rounds.get(round) ?? nothingUncounted, more));
}

function unsentOf(unsent: number): Pick<Uncounted, 'unsent'> {
  return unsent > 0 ? { unsent } : {};
}

export function uncountedOfRecord({ outcomes, ok }: Pick<UncountedRecord, 'outcomes' | 'ok'>): Uncounted {
  const requests = countAll(outcomes);
  return { requests, failed: requests - ok, ...outcomes };
}

/** The uncounted part of a slice. */
export function uncountedOfSlice(slice: SliceRecord): Uncounted {
  const { whole, outcomes, wholeOk, load } = slice;
  // All of a load that ends by itself counts.
  if (!traitsOf(load).isTimed) return nothingUncounted;
  const besides: OutcomesRecord = {
    statuses: Object.fromEntries(
      Object.entries(whole.statuses).flatMap(([status, count]) => {
        const besides = count - (ofName(outcomes.statuses, status) ?? 0);
        return besides > 0 ? [[status, besides]] : [];
      }),
    ),
    errors: whole.errors - outcomes.errors,
    timeouts: whole.timeouts - outcomes.timeouts,
    ...unsentOf((whole.unsent ?? 0) - (outcomes.unsent ?? 0)),
  };
  const okWhole = wholeOk ?? countOk({ outcomes: whole });
  return uncountedOfRecord({ outcomes: besides, ok: okWhole - countOk(slice) });
}
