import type { ResolvedScenario, Variant } from '../journal/scenario-record.ts';

/** A variant to be brought to life in a round. */
export interface Arm {
  /** The variant's name; the second control arm says that it is one. */
  readonly name: string;
  readonly variant: Variant;
  /** True for the second control arm, whose difference from the first is noise by construction (A/A). */
  readonly repeat: boolean;
}

/** Every variant once and the control twice, the control arms first. */
export function armsOf(scenario: ResolvedScenario): Arm[] {
  const isControl = (variant: Variant): boolean => variant.name === scenario.control;
  const once = scenario.variants.map((variant) => ({ name: variant.name, variant, repeat: false }));
  const control = once.filter((arm) => isControl(arm.variant));
  const repeats = control.map((arm) => ({ ...arm, name: `${arm.name} (A/A)`, repeat: true }));
  return [...control, ...repeats, ...once.filter((arm) => !isControl(arm.variant))];
}
