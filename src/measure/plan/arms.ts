import { plannedVariants, slotCount } from '../../journal/line-up.ts';
import type { ResolvedScenario, Variant } from '../../journal/scenario-record.ts';
import { areOneProcess } from '../../journal/variant-parts.ts';
import { groupCount } from './groups.ts';

/** A variant to be brought to life in a round. */
export interface Arm {
  /** The variant's name; another arm of the control says which one it is. */
  readonly name: string;
  readonly variant: Variant;
  /** True for the second control arm of a group, whose difference from the first is noise by construction (A/A). */
  readonly repeat: boolean;
  /** Its place among the arms that the run is planned for, in every round: a variant that was proposed has that of its slot. */
  readonly slot: number;
}

/**
 * Every variant once and the control twice, the control arms first. Where arms take turns in several groups, two more
 * arms of the control for each further group come last: an arm in several groups would be warmer than the others.
 */
export function armsOf(scenario: ResolvedScenario): Arm[] {
  const isControl = (variant: Variant): boolean => variant.name === scenario.control;
  const once = scenario.variants.map((variant) => ({ name: variant.name, variant, repeat: false }));
  const others = once.filter((arm) => !isControl(arm.variant));
  const controls = once.filter((arm) => isControl(arm.variant));
  const pairs = Array.from({ length: groupCount(scenario) }, (_, group) => {
    const which = group === 0 ? [] : [`group ${group + 1}`];
    return controls.flatMap((arm) => [
      { ...arm, name: named(arm.name, which) },
      { ...arm, name: named(arm.name, ['A/A', ...which]), repeat: true },
    ]);
  });
  const [first = [], ...further] = pairs;
  const inOrder = [...first, ...others, ...further.flat()];
  const free = slotCount(scenario) - others.length;
  const taken = first.length + others.length;
  return inOrder.map((arm, place) => ({ ...arm, slot: place < taken ? place : place + free }));
}

/** The arms that a run is planned for, whoever holds its slots. */
export function plannedArms(scenario: ResolvedScenario): Arm[] {
  return armsOf({ ...scenario, variants: plannedVariants(scenario) });
}

/** How many services a round starts: one where all arms are one process, and none where another process serves them. */
export function servicesToStart(scenario: ResolvedScenario): number {
  if (scenario.target.kind === 'url') return 0;
  return areOneProcess(scenario) ? 1 : plannedArms(scenario).length;
}

function named(name: string, which: readonly string[]): string {
  return which.length === 0 ? name : `${name} (${which.join(', ')})`;
}
