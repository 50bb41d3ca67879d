import type { LoadSpec, Variant } from '../journal/scenario-record.ts';
import type { TurnLength } from './turn-length.ts';
import { turnOrder } from './turn-order.ts';

/** Whether the arms are settings of one process and one database, which is switched before every turn. */
export function isSwitchedLive({ variants }: { readonly variants: readonly Variant[] }): boolean {
  return variants.some(({ live }) => live !== undefined);
}

/** In latencies, as of turns without a switch (turn-length.ts); and at least as long as a switch and its settling take. */
const LATENCIES = 25;
const LEAST_TURN_MS = 300;

/**
 * How long turns are where each follows a switch: an arm has two in every block. Blocks come in whole squares of the
 * order where there are that many. Together an arm's turns take exactly `sliceMs`, what is not counted after a switch
 * left out.
 */
export function blockTurns(
  { sliceMs, turn = 'auto' }: Pick<LoadSpec, 'sliceMs' | 'turn'>,
  latencyMs: number,
  arms: number,
): TurnLength {
  const leastMs = typeof turn === 'number' ? turn : Math.max(LEAST_TURN_MS, LATENCIES * latencyMs);
  const fitting = Math.max(1, Math.floor(sliceMs / 2 / leastMs));
  const square = arms + (arms % 2);
  const blocks = fitting > square ? fitting - (fitting % square) : fitting;
  return { turnMs: sliceMs / (2 * blocks), turnsPerArm: 2 * blocks };
}

/** The order of turns in blocks: every arm once forwards and once backwards, so that a drift in a block strikes all alike. */
export function blockCycles(arms: number, blocks: number, seed: number): number[][] {
  return turnOrder(arms, blocks, seed).flatMap((row) => [row, [...row].reverse()]);
}
