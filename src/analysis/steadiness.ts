import type { WarmupRecord } from '../journal/records.ts';
import { runAways } from '../stats/run-away.ts';

/**
 * An arm whose rate moves by more than this against the others' in the last third of its warm-up. Throughput grows for
 * minutes, but in all arms alike (NOISE.md); a third of an usual warm-up has some twelve turns an arm, which scatter by
 * 20 % each, so that 25 % between two thirds is far beyond chance (three standard errors of about 8 %).
 */
const MOST_MOVE = Math.log(1.25);

/**
 * The names of a round's arms that were not steady when the warm-up ended: their rate still ran away from the others'.
 * Old journals say themselves whose rate had not become flat.
 */
export function unsteadyArms(warmups: readonly WarmupRecord[]): string[] {
  const inTurns = warmups.filter(({ turns }) => turns !== undefined);
  const moves = runAways(inTurns.map(({ turns = [], turnsMs }) => turns.map((ok, turn) => ok / (turnsMs?.[turn] ?? 1))));
  const running = inTurns.filter((_, arm) => Math.abs(moves[arm] ?? 0) > MOST_MOVE);
  const notFlat = warmups.filter(({ turns, steady }) => turns === undefined && steady === false);
  return [...running, ...notFlat].map(({ arm }) => arm);
}
