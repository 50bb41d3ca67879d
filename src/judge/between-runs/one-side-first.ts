import type { InTurn } from '../external/in-turn.ts';
import type { OneSideFirst } from '../notes.ts';
import { type Side, sides } from './types.ts';

/**
 * A side that ran first in a larger share of pairs is not compared. Where the machine slows down by 1 % from session to
 * session, and sessions scatter by 0.5 %, there were false verdicts in 41 % of comparisons with four pairs of four, 34 %
 * with seven of eight, 11 % with five of six, and 3 % with four of five (400 each).
 */
const MOST_FIRST = 0.8;

/** The side that ran first too often; null where none did. */
export function oneSideFirst({ rounds }: InTurn): OneSideFirst | null {
  const among = rounds.length;
  const pairsOf = (side: Side): number => rounds.filter(([first]) => first?.variant === side).length;
  const found = sides.find((side) => pairsOf(side) > MOST_FIRST * among);
  return found === undefined ? null : { kind: 'one-side-first', side: found, pairs: pairsOf(found), among };
}
