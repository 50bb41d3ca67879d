import type { LoadSpec } from '../../../journal/scenario-record.ts';
import type { BulkTurnResult } from '../../load/load-generator.ts';
import { bulkTurnMs } from '../../plan/turn-length.ts';

/**
 * An arm may lose at most this share of its time where its turns end. Its own time does not stand still then, so where one
 * document of 25 took 1.5 s, turns of 500 ms showed a load of 10.6 s as one of 19.1 s.
 */
const MOST_LOST = 0.05;
/** Turns get long enough to lose this share: the first ones, which are shorter, lose more. */
const WANTED_LOST = 0.025;
/** Most growth at once: the first turns of a cold process say little of those that follow. */
const MOST_GROWTH = 2;

/** How long the turns of a bulk load are, by what its turns so far have lost. */
export interface BulkTurns {
  /** The length of the next turn, for whichever arm; infinite where each load is one stretch. */
  readonly turnMs: number;
  /** An arm had a turn. */
  add(arm: number, turn: BulkTurnResult): void;
  /** The first arm that lost too much of its time where its turns end; null where none did. */
  lost(): number | null;
}

/** For this many arms. The user's own length of turns stays. */
export function createBulkTurns(turn: LoadSpec['turn'] = 'auto', arms = 1): BulkTurns {
  const leastMs = turn === 'off' ? Number.POSITIVE_INFINITY : turn === 'auto' ? bulkTurnMs(arms) : turn;
  const sums = Array.from({ length: arms }, () => ({ turns: 0, wallMs: 0, idleMs: 0, done: false }));
  let turnMs = leastMs;
  let cycle = 0;
  return {
    get turnMs() {
      return turnMs;
    },
    add(arm, { wallMs, idleMs, done }) {
      const own = sums[arm];
      if (own === undefined) return;
      own.turns++;
      own.wallMs += wallMs;
      own.idleMs += idleMs;
      own.done = done;
      const had = Math.min(...sums.flatMap((one) => (one.done ? [] : [one.turns])));
      // Turns of a cycle are alike.
      if (turn !== 'auto' || had <= cycle) return;
      cycle = had;
      const wantedMs = Math.max(...sums.map(({ turns, idleMs }) => idleMs / Math.max(1, turns))) / WANTED_LOST;
      turnMs = Math.max(leastMs, Math.round(Math.min(MOST_GROWTH * turnMs, wantedMs)));
    },
    lost() {
      const arm = sums.findIndex(({ wallMs, idleMs }) => idleMs > MOST_LOST * wallMs);
      return arm < 0 ? null : arm;
    },
  };
}
