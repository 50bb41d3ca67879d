import type { LoadSpec } from '../../journal/scenario-record.ts';
import { type TurnLength, turnLength, type Waits } from './turn-length.ts';
import { turnOrder } from './turn-order.ts';

/** Twice as many as for separate arms: in a block each arm has two, and short blocks keep the machine's moods out. */
const FEW_TURNS = 24;

/**
 * How long turns are where each follows a switch, which takes a part of the load that is not counted: as long as for
 * separate arms (turn-length.ts), and at least as long as that part. An arm has two turns in every block, and blocks come
 * in whole squares of their order where there are that many. Together an arm's turns take exactly `sliceMs`.
 */
export function blockTurns(
  { sliceMs, turn, settleMs = 0 }: Pick<LoadSpec, 'sliceMs' | 'turn' | 'settleMs'>,
  waits: Waits,
  arms: number,
): TurnLength {
  const { turnsPerArm = 2 } = turnLength({ sliceMs, ...(turn !== undefined && { turn }) }, waits, FEW_TURNS) ?? {};
  const most = typeof turn === 'number' ? turnsPerArm : Math.min(turnsPerArm, sliceMs / settleMs);
  const fitting = Math.max(1, Math.floor(most / 2));
  const square = arms + (arms % 2);
  const blocks = fitting > square ? fitting - (fitting % square) : fitting;
  return { turnMs: sliceMs / (2 * blocks), turnsPerArm: 2 * blocks };
}

/** The order of turns in blocks: every arm once forwards and once backwards, so that a drift in a block strikes all alike. */
export function blockCycles(arms: number, blocks: number, seed: number): number[][] {
  return turnOrder(arms, blocks, seed).flatMap((row) => [row, [...row].reverse()]);
}
