import { createRandom, seedOf } from '../../base/random.ts';
import { slotCount } from '../../journal/line-up.ts';
import { timedLevels } from '../../journal/load-level.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { areOneProcess } from '../../journal/variant-parts.ts';
import { mostArmsInTurns, turnLength } from './turn-length.ts';
import { takesWholeSlices } from './whole-slices.ts';

/** Assumed mean latency of the slowest arm until a run has measured it. A longer one makes longer turns. */
export const EXPECTED_LATENCY_MS = 10;

/**
 * In how many groups the arms of a round take turns with each other: 1 where none is idle for long between two of its
 * turns. Decided before the run, since each group has its own control arms, which are started with all others: by its slots,
 * whoever holds them.
 */
export function groupCount(scenario: Pick<ResolvedScenario, 'variants' | 'slots' | 'load'>): number {
  const { load } = scenario;
  const inTurns = timedLevels(load.levels).some((level) => !takesWholeSlices(load, level));
  const length = turnLength(load, { latencyMs: EXPECTED_LATENCY_MS });
  // Arms that are one process leave no gaps. A search names no levels: what an arm sustains is read from its own slices alone.
  if (areOneProcess(scenario) || !inTurns || length === null) return 1;
  const most = mostArmsInTurns(length.turnMs, EXPECTED_LATENCY_MS);
  const others = slotCount(scenario);
  return others + 2 <= most ? 1 : Math.ceil(others / (most - 2));
}

/**
 * The groups of a round: two arms of the control in each, and the others shared out evenly, drawn by the seed and the
 * round. So no variant is always in the last group, and every arm has as much load before its turns as the others.
 */
export function groupsOf<Arm extends { readonly variant: { readonly name: string } }>(
  arms: readonly Arm[],
  control: string,
  seed: number,
  round: number,
): Arm[][] {
  const ofControl = arms.filter(({ variant }) => variant.name === control);
  const count = ofControl.length / 2;
  if (count <= 1) return [[...arms]];
  const random = createRandom(seedOf(seed, round, 'groups'));
  const others = random.shuffle(arms.filter(({ variant }) => variant.name !== control));
  const placeOf = (group: number): number => Math.round((group * others.length) / count);
  return Array.from({ length: count }, (_, group) => [
    ...ofControl.slice(2 * group, 2 * group + 2),
    ...others.slice(placeOf(group), placeOf(group + 1)),
  ]);
}
