import type { UncountedReason } from '../../../journal/pass-records.ts';
import type { CountersRecord, DatabaseCounters } from '../../../journal/records.ts';
import { type CountersReader, countersBetween } from './database-counters.ts';

/**
 * A Postgres backend (15 and later) reports its counters at the end of a transaction if its last report is a second old,
 * and 10 s after it was left idle with something to report. So where an arm had no load for longer than a second before
 * a turn that is shorter than one, each session that was used in that turn has reported all that it did before, and the
 * turn's first transaction. Between two such readings lies exactly the work of the turns from the first of them
 * (inclusive) to the last (exclusive): the one transaction a session stands in both.
 *
 * A session that is used in one of those two turns and not in the other is off by that transaction, and by what it did
 * in the turns before that. A pool that hands out the client that came back last (pg's) leaves few such sessions. Those
 * that nothing has used since before the pass may hold back a second's work of a warm-up, and Postgres is asked for them.
 * Rarely, on a busy machine, a session finds the counters locked by another's report and keeps its own until its next one.
 */
export const PAUSE_MS = 1050;

/** How long a session waits between two reports, at least. */
const REPORT_MS = 1000;
/** A turn with its drain has to end before a session's second report. */
const LONGEST_TURN_MS = 950;

export interface CountersPlanInput {
  /** In each, every arm has one turn. */
  readonly cycles: number;
  /** The time from a cycle's beginning to the next one's, at least. */
  readonly cycleMs: number;
  /** How long an arm has no load between two turns of the same order, at least: the turns of the others. */
  readonly betweenMs: number;
  /** How long a turn took, its drain included. */
  readonly turnMs: number;
  /**
   * From the end of the last load with more connections to the beginning of the pass. Only such a load leaves sessions that
   * the pass does not use: those of the same number, or of fewer, report in its turns.
   */
  readonly sinceLoadMs: number;
  /** From the end of the last load of any kind to the beginning of the pass. */
  readonly sinceAnyLoadMs: number;
  /** After how long without load a session has reported by its timer. */
  readonly settleMs: number;
}

/** Where the counters of a pass of turns are read. Cycles count from 0. */
export interface CountersPlan {
  /** To be waited before the first cycle, without load. */
  readonly waitMs: number;
  /** Before these cycles no arm has had load for `PAUSE_MS` when its turn comes; at their ends the counters are read. */
  readonly pauseBefore: readonly [firstCycle: number, lastCycle: number];
  /** How long nobody is under load there: what the turns of the others leave of `PAUSE_MS`. */
  readonly pauseMs: readonly [first: number, last: number];
  /** The turns whose work lies between the two readings. */
  readonly coveredCycles: readonly [from: number, toExclusive: number];
}

/** Why a pass has no counters. */
type NoCounters = Extract<UncountedReason, 'too few cycles' | 'turns of a second' | 'pass too short'>;

/** How much of a pass has to be covered at least. */
const LEAST_SHARE = 0.25;
/** Counters are not worth more of a round. */
const MOST_WAIT_MS = 1000;

/**
 * The first reading comes as soon as sessions that are not used in this pass have reported by their timer, at the
 * latest where a quarter of the cycles is left to be covered; then the pass begins with the wait that is missing.
 */
export function countersPlan(input: CountersPlanInput): CountersPlan | { readonly none: NoCounters } {
  const { cycles, cycleMs, turnMs, sinceLoadMs, settleMs } = input;
  if (turnMs > LONGEST_TURN_MS) return { none: 'turns of a second' };
  const last = cycles - 1;
  const latest = last - Math.max(1, Math.ceil(LEAST_SHARE * cycles));
  if (latest < 0) return { none: 'too few cycles' };
  // Ahead of the first cycle there are no turns of others: only the time since whatever load came before the pass.
  const pauseAt = (cycle: number): number =>
    Math.max(0, PAUSE_MS - (cycle === 0 ? input.sinceAnyLoadMs : input.betweenMs));
  const missingAt = (cycle: number): number => settleMs - sinceLoadMs - pauseAt(cycle) - (cycle + 1) * cycleMs;
  let first = 0;
  while (first < latest && missingAt(first) > 0) first++;
  const waitMs = Math.max(0, missingAt(first));
  if (waitMs > MOST_WAIT_MS) return { none: 'pass too short' };
  return {
    waitMs,
    pauseBefore: [first, last],
    pauseMs: [pauseAt(first), pauseAt(last)],
    coveredCycles: [first, last],
  };
}

/** True if a turn with its drain was so short that no session has reported twice in it. */
export function isShortTurn(wallMs: number): boolean {
  return wallMs < REPORT_MS;
}

/** Fields of a `CountersRecord` about the covered turns of an arm. */
export type PassDelta = Pick<CountersRecord, 'complete' | 'delta'>;

/** The counters of one pass. */
export interface PassCounters {
  /**
   * The first reading, at the end of its cycle. Returns the databases that it does not hold for: since the pass began,
   * `passMs` ago, a session was not used that may hold back work of before. Read these again later, or not at all.
   */
  open(databases: readonly string[], passMs: number): Promise<readonly string[]>;
  /**
   * The last reading: what was counted since the first, of databases that have both, and whose server's time was not set
   * since `sinceMs`, when the pass began.
   */
  close(databases: readonly string[], sinceMs: number): Promise<ReadonlyMap<string, PassDelta>>;
}

/** The readings of {@link PassCounters} in pg_stat_database. */
export function createPassCounters(reader: Pick<CountersReader, 'read' | 'holdingBack' | 'clockSet'>): PassCounters {
  const opening = new Map<string, DatabaseCounters>();
  return {
    async open(databases, passMs) {
      const held = await reader.holdingBack(databases, passMs);
      for (const [database, counters] of await reader.read(databases))
        if (!held.has(database)) opening.set(database, counters);
      return [...held];
    },
    async close(databases, sinceMs) {
      const closing = await reader.read(databases);
      const clockSet = await reader.clockSet(databases, sinceMs);
      const deltas = [...closing].flatMap(([database, to]): [string, PassDelta][] => {
        const from = opening.get(database);
        return from === undefined || clockSet.has(database)
          ? []
          : [[database, { complete: 'turns', delta: countersBetween(from, to) }]];
      });
      return new Map(deltas);
    },
  };
}
