import { amount, count, fields, type ValueOf } from '../shape.ts';

/** Rounds that were planned shorter than usual, so that the budget has room for as many as the answer needs. */
export interface ShortRounds extends ValueOf<typeof shortRounds> {}
export const shortRounds = fields({
  rounds: count,
  /** Turns of a slice, and as many as it has usually. */
  turns: count,
  usualTurns: count,
  warmupMs: amount,
  usualWarmupMs: amount,
  /** The budget that has room for rounds of the usual length. */
  roomyBudgetMs: amount,
});
