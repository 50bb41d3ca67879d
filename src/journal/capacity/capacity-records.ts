import { loadLevel } from '../load-record.ts';
import { amount, count, fields, list, oneOf, text, type ValueOf } from '../shape.ts';

/** The search for capacities, as the journal holds it. */

/** Where a variant's limit is thought to be: load levels are placed by this. */
export interface CapacityGuess extends ValueOf<typeof capacityGuess> {}
const capacityGuess = fields({
  arm: text,
  /** The load at which it reaches a limit; the smallest or largest that is tried where that lies beyond. */
  size: amount,
  /** How far to either side levels are wanted, as a logarithm; 0 where one level there is enough. */
  width: amount,
});

const MOST_LEVELS = 100;

/** The load levels of a round, which all arms share. */
export interface LevelsRecord extends ValueOf<typeof levelsRecord> {}
export const levelsRecord = fields({
  type: oneOf('levels'),
  round: count,
  /** Passes from this one on are of these levels. Those before, in the first round of a session, went up through the range to find them. */
  fromPass: count,
  levels: list(loadLevel, 0, MOST_LEVELS),
  guesses: list(capacityGuess),
});
