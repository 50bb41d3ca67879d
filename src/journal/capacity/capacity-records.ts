import type { LoadLevel } from '../scenario-record.ts';

/** The search for capacities, as the journal holds it. */

/** Where a variant's limit is thought to be: load levels are placed by this. */
export interface CapacityGuess {
  readonly arm: string;
  /** The load at which it reaches a limit; the smallest or largest that is tried where that lies beyond. */
  readonly size: number;
  /** How far to either side levels are wanted, as a logarithm; 0 where one level there is enough. */
  readonly width: number;
}

/** The load levels of a round, which all arms share. */
export interface LevelsRecord {
  readonly type: 'levels';
  readonly round: number;
  /** Passes from this one on are of these levels. Those before, in the first round of a session, went up through the range to find them. */
  readonly fromPass: number;
  readonly levels: readonly LoadLevel[];
  readonly guesses: readonly CapacityGuess[];
}
