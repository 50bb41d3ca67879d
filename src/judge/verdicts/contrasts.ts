import type { LoadLevel, ResolvedScenario } from '../../journal/scenario-record.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';

/** Two sides to be compared under one load level. */
export interface Contrast {
  readonly control: readonly ArmCell[];
  readonly cell: ArmCell;
}

/** The arms of a scenario under a load level. */
interface Arms {
  /** The control's two. */
  readonly control: readonly [ArmCell, ArmCell];
  /** Those of the other variants. */
  readonly others: readonly ArmCell[];
}

const known = new WeakMap<ResolvedScenario, WeakMap<LoadLevel, Arms>>();

/** Arms are the same objects each time, so that caches of cells find them. */
function armsOf({ scenario }: Pick<RunData, 'scenario'>, load: LoadLevel): Arms {
  const byLoad = known.get(scenario) ?? new WeakMap<LoadLevel, Arms>();
  known.set(scenario, byLoad);
  const before = byLoad.get(load);
  if (before !== undefined) return before;
  const { control: variant, variants } = scenario;
  const arms: Arms = {
    control: [
      { variant, load, repeat: false },
      { variant, load, repeat: true },
    ],
    others: variants.flatMap(({ name }) => (name === variant ? [] : [{ variant: name, load, repeat: false }])),
  };
  byLoad.set(load, arms);
  return arms;
}

/** The control's two arms under a load level. */
export function controlArms(data: RunData, load: LoadLevel): readonly [ArmCell, ArmCell] {
  return armsOf(data, load).control;
}

/** The variants but the control. */
export function otherVariants({ scenario }: RunData): string[] {
  return scenario.variants.flatMap(({ name }) => (name === scenario.control ? [] : [name]));
}

/** Every variant but the control against both the control's arms, under every load level. */
export function variantContrasts(data: RunData): Contrast[] {
  return data.scenario.load.levels.flatMap((load) => {
    const { control, others } = armsOf(data, load);
    return others.map((cell) => ({ control, cell }));
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
  const { control, others } = armsOf(data, load);
  return [...control, ...others];
}
