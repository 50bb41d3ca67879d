import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';

/** Two sides to be compared under one load level. */
export interface Contrast {
  readonly control: readonly ArmCell[];
  readonly cell: ArmCell;
}

/** The control's two arms under a load level. */
export function controlArms(data: RunData, load: LoadLevel): readonly [ArmCell, ArmCell] {
  const variant = data.scenario.control;
  return [
    { variant, load, repeat: false },
    { variant, load, repeat: true },
  ];
}

/** The variants but the control. */
export function otherVariants({ scenario }: RunData): string[] {
  return scenario.variants.flatMap(({ name }) => (name === scenario.control ? [] : [name]));
}

/** Every variant but the control against both the control's arms, under every load level. */
export function variantContrasts(data: RunData): Contrast[] {
  return data.scenario.load.levels.flatMap((load) => {
    const control = controlArms(data, load);
    return otherVariants(data).map((variant) => ({ control, cell: { variant, load, repeat: false } }));
  });
}

/**
 * The control's second arm against its first, under every load level. Where arms had their turns in groups both were in
 * each of them, so that all groups together are paired as one is.
 */
export function controlContrasts(data: RunData): Contrast[] {
  return data.scenario.load.levels.flatMap((load) => {
    const [first, second] = controlArms(data, load);
    return data.samples(second).size === 0 ? [] : [{ control: [first], cell: second }];
  });
}

/** Every arm under every load level: the control first, then its repeat, then the others as in the scenario. */
export function cellsOf(data: RunData): ArmCell[] {
  return data.scenario.load.levels.flatMap((load) => armsUnder(data, load));
}

/** The arms under a load level, in the same order. */
export function armsUnder(data: RunData, load: LoadLevel): ArmCell[] {
  const others = otherVariants(data).map((variant) => ({ variant, load, repeat: false }));
  return [...controlArms(data, load), ...others];
}
