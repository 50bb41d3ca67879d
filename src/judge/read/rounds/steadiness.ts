import type { WarmupRecord } from '../../../journal/uncounted-records.ts';
import { runAways } from '../../stats/slopes.ts';

/**
 * An arm whose rate moves by more than three standard errors against the others' in the last third of its warm-up. Throughput
 * grows for minutes, but in all arms alike; a turn scatters by 20 %. With twelve turns in a third that is 25 %.
 */
const STANDARD_ERRORS = 3;
const TURN_SCATTER = 0.2;

function mostMove(turns: number): number {
  return STANDARD_ERRORS * TURN_SCATTER * Math.sqrt(2 / Math.max(1, Math.floor(turns / 3)));
}

/** The names of a round's arms that were not steady when the warm-up ended: their rate still ran away from the others'. */
export function unsteadyArms(warmups: readonly WarmupRecord[]): string[] {
  const moves = runAways(warmups.map(({ turns, turnsMs }) => turns.map((ok, turn) => ok / (turnsMs?.[turn] ?? 1))));
  const running = warmups.filter(({ turns }, arm) => Math.abs(moves[arm] ?? 0) > mostMove(turns.length));
  return running.map(({ arm }) => arm);
}
