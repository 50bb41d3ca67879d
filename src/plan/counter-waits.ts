import type { ResolvedScenario } from '../journal/scenario-record.ts';
import { armsOf } from './arms.ts';
import { orderSlices, type PlannedSlice } from './order.ts';

/**
 * A Postgres backend reports its counters at most once a second, and what is left when it has been idle for 10 s
 * (Postgres 15 and later) or when it ends. Read earlier, up to a second's work is missing.
 */
export const SETTLE_MS = 10_300;

/** Waiting for counters may take at most this share of the time under load; beyond it, they are not worth their price. */
const MOST_WAIT_SHARE = 0.25;

/** How many other slices between two of one arm make its counters complete without waiting. */
export function countersGap(scenario: ResolvedScenario): number {
  return Math.ceil(SETTLE_MS / scenario.load.sliceMs);
}

/** What a round would wait until its arms' counters are complete, and whether that is worth it. */
export function counterWaits(scenario: ResolvedScenario): { readonly waitMs: number; readonly worthwhile: boolean } {
  const arms = armsOf(scenario);
  const { levels, slicesPerRound, sliceMs, warmupMs } = scenario.load;
  const order = orderSlices({ arms, levels, slicesPerRound, seed: 0, round: 1, gap: countersGap(scenario) });
  const waitMs = waitOf(order, sliceMs, warmupMs);
  return { waitMs, worthwhile: waitMs <= MOST_WAIT_SHARE * (order.length * sliceMs + arms.length * warmupMs) };
}

/** Goes through a round as it would go, and adds up the waits. */
function waitOf(order: readonly PlannedSlice[], sliceMs: number, warmupMs: number): number {
  const endedAtMs = new Map<string, number>();
  let nowMs = 0;
  for (const { arm } of order) {
    if (endedAtMs.has(arm.name)) continue;
    nowMs += warmupMs;
    endedAtMs.set(arm.name, nowMs);
  }
  let waitMs = 0;
  for (const { arm } of order) {
    const wait = Math.max(0, (endedAtMs.get(arm.name) ?? 0) + SETTLE_MS - nowMs);
    waitMs += wait;
    nowMs += wait + sliceMs;
    endedAtMs.set(arm.name, nowMs);
  }
  return waitMs;
}
