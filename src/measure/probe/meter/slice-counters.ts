import type { Clock } from '../../../base/clock.ts';
import { PgsweepError } from '../../../base/errors.ts';
import type { CountersRecord, DatabaseCounters, SliceRecord } from '../../../journal/records.ts';
import { type CountersReader, countersBetween, SETTLE_MS } from './database-counters.ts';

/** How long the connections of a service that has ended may still show. */
const CLOSE_MS = 3000;
const CLOSE_POLL_MS = 20;

export interface SliceCountersOptions {
  readonly reader: CountersReader;
  /** True if an arm's database exists to be counted; absent where all do. */
  readonly has?: (database: string) => boolean;
  readonly clock: Clock;
  /** After how long without load an arm's counters are complete. */
  readonly settleMs: number;
  readonly write: (record: CountersRecord) => void;
}

/**
 * Attributes an arm's database counters to its slices. A slice's closing counters are read as late as possible: just
 * before the arm's next load, when they have long been complete, or once its connections have closed. Before
 * Postgres 15 an idle backend keeps what it has not reported, so there it must not be used.
 */
export interface SliceCounters {
  /** How long `beforeLoad` would wait. */
  waitMs(database: string): number;
  /** Load of any kind is about to start on the arm; waits until what came before is completely counted. Returns the wait, in ms. */
  beforeLoad(database: string, onWait: (forMs: number) => void, signal?: AbortSignal): Promise<number>;
  /** Load has ended whose counters nobody wants: warm-up, or turns, which have their own (pass-counters.ts). `endedAtMs`: when it ended, on the clock. */
  afterUncounted(database: string, endedAtMs: number): void;
  /** `endedAtMs`: when its load ended, on the clock. */
  afterSlice(database: string, slice: SliceRecord, endedAtMs: number): void;
  /**
   * Does the bench's own work in databases: what it counts there, sessions that begin and end included, is in no slice.
   * `endedAtMs`: when each one's load ended, on the clock. Slices have no counters where it took so long that their sessions
   * may have reported meanwhile.
   */
  ownWork<T>(databases: readonly string[], endedAtMs: readonly number[], work: () => Promise<T>): Promise<T>;
  /** The arm's service has ended. */
  afterStop(database: string): Promise<void>;
}

interface ArmState {
  /** A complete reading with no load since, or null where there is none. */
  opening: DatabaseCounters | null;
  pending: SliceRecord | null;
  loadEndedAtMs: number | null;
  /** Counts of the bench's own work since the opening reading. */
  own: readonly DatabaseCounters[];
}

/** Sessions left idle report at about this time after they were: between two readings around it, theirs would count as the bench's own. */
const REPORT_MS = { from: SETTLE_MS - 800, to: SETTLE_MS };

export function createSliceCounters({
  reader,
  has = () => true,
  clock,
  settleMs,
  write,
}: SliceCountersOptions): SliceCounters {
  const arms = new Map<string, ArmState>();
  const stateOf = (database: string): ArmState => {
    const state = arms.get(database) ?? { opening: null, pending: null, loadEndedAtMs: null, own: [] };
    arms.set(database, state);
    return state;
  };
  const read = async (database: string): Promise<DatabaseCounters> => {
    const counters = (await reader.read([database])).get(database);
    if (counters === undefined) throw new PgsweepError('stack', `the database ${database} is gone`);
    return counters;
  };
  const settle = (state: ArmState, counters: DatabaseCounters, complete: CountersRecord['complete']): void => {
    const { pending, opening } = state;
    state.pending = null;
    if (pending === null || opening === null) return;
    const { round, slice, arm, loadMs } = pending;
    const delta = state.own.reduce((rest, own) => countersBetween(own, rest), countersBetween(opening, counters));
    write({ type: 'counters', round, slice, arm, complete, loadMs, delta });
  };

  const waitOf = ({ loadEndedAtMs }: ArmState): number =>
    Math.max(0, (loadEndedAtMs ?? Number.NEGATIVE_INFINITY) + settleMs - clock.nowMs());

  return {
    waitMs: (database) => (has(database) ? waitOf(stateOf(database)) : 0),
    async beforeLoad(database, onWait, signal) {
      if (!has(database)) return 0;
      const state = stateOf(database);
      const waitMs = waitOf(state);
      if (waitMs > 0) {
        onWait(waitMs);
        await clock.sleep(waitMs, signal);
      }
      const counters = await read(database);
      const isComplete = !(await reader.clockSet([database], clock.nowMs())).has(database);
      if (isComplete) settle(state, counters, 'idle');
      state.pending = null;
      state.opening = isComplete ? counters : null;
      state.own = [];
      return waitMs;
    },
    afterUncounted(database, endedAtMs) {
      const state = stateOf(database);
      state.loadEndedAtMs = endedAtMs;
      state.opening = null;
    },
    afterSlice(database, slice, endedAtMs) {
      const state = stateOf(database);
      state.loadEndedAtMs = endedAtMs;
      state.pending = slice;
    },
    async ownWork(databases, endedAtMs, work) {
      const counted = databases.filter((database) => arms.get(database)?.opening != null);
      if (counted.length === 0) return work();
      const sinceMs = (): number[] => endedAtMs.map((atMs) => clock.nowMs() - atMs);
      const reporting = (): number[] => sinceMs().filter((ms) => ms > REPORT_MS.from && ms < REPORT_MS.to);
      while (reporting().length > 0) await clock.sleep(REPORT_MS.to - Math.min(...reporting()));
      const begunMs = sinceMs();
      const before = await reader.read(counted);
      const result = await work();
      const after = await reader.read(counted);
      const haveReported = sinceMs().some((ms, place) => ms > REPORT_MS.from && (begunMs[place] ?? ms) < REPORT_MS.to);
      for (const database of counted) {
        const [state, from, to] = [arms.get(database), before.get(database), after.get(database)];
        if (state === undefined || from === undefined || to === undefined) continue;
        if (haveReported) state.opening = null;
        else state.own = [...state.own, countersBetween(from, to)];
      }
      return result;
    },
    async afterStop(database) {
      const state = stateOf(database);
      arms.delete(database);
      if (state.pending === null || state.opening === null) return;
      const end = clock.nowMs() + CLOSE_MS;
      while ((await reader.connectionCount(database)) > 0) {
        // Somebody still holds a connection: its counters are not complete, so there are none.
        if (clock.nowMs() >= end) return;
        await clock.sleep(CLOSE_POLL_MS);
      }
      settle(state, await read(database), 'closed');
    },
  };
}
