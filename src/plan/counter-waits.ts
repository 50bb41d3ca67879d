import type { LoadSpec, ResolvedScenario } from '../journal/scenario-record.ts';
import { armsOf } from './arms.ts';
import { loadTimeMs, warmupTimeMs } from './load-time.ts';
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
  const { levels, slicesPerRound } = scenario.load;
  const order = orderSlices({ arms, levels, slicesPerRound, seed: 0, round: 1, gap: countersGap(scenario) });
  const waitMs = waitOf(order, scenario.load);
  const loadMs = order.reduce((sum, { load }) => sum + loadTimeMs(scenario.load, load), 0);
  const warmupMs = arms.length * warmupTimeMs(scenario.load);
  return { waitMs, worthwhile: waitMs <= MOST_WAIT_SHARE * (loadMs + warmupMs) };
}

/** Goes through a round as it would go, and adds up the waits. */
function waitOf(order: readonly PlannedSlice[], spec: LoadSpec): number {
  const endedAtMs = new Map<string, number>();
  let nowMs = 0;
  for (const { arm } of order) {
    if (spec.bulk !== undefined || endedAtMs.has(arm.name)) continue;
    nowMs += warmupTimeMs(spec);
    endedAtMs.set(arm.name, nowMs);
  }
  let waitMs = 0;
  for (const { arm, load } of order) {
    const wait = Math.max(0, (endedAtMs.get(arm.name) ?? -SETTLE_MS) + SETTLE_MS - nowMs);
    waitMs += wait;
    nowMs += wait + loadTimeMs(spec, load);
    endedAtMs.set(arm.name, nowMs);
  }
  return waitMs;
}
