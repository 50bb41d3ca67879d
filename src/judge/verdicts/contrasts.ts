import type { NonEmpty } from '../../base/present.ts';
import type { LoadLevel, ResolvedScenario } from '../../journal/scenario-record.ts';
import { doubledVariant } from '../read/other-control.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';

/** Two sides to be compared under one load level. */
export interface Contrast {
  readonly control: readonly ArmCell[];
  readonly cell: ArmCell;
}

/** The arms of a scenario under a load level. */
interface Arms {
  /** The control's: two, or one where the run was planned with another control. */
  readonly control: NonEmpty<ArmCell>;
  /** Those of the other variants, one each. */
  readonly others: readonly ArmCell[];
  /** The two arms of one variant. */
  readonly twins: readonly [first: ArmCell, second: ArmCell];
  /** All of them: the control's first. */
  readonly all: readonly ArmCell[];
}

const known = new WeakMap<ResolvedScenario, WeakMap<LoadLevel, Arms>>();

/** Arms are the same objects each time, so that caches of cells find them. */
function armsOf({ scenario }: Pick<RunData, 'scenario'>, load: LoadLevel): Arms {
  const byLoad = known.get(scenario) ?? new WeakMap<LoadLevel, Arms>();
  known.set(scenario, byLoad);
  const before = byLoad.get(load);
  if (before !== undefined) return before;
  const doubled = doubledVariant(scenario);
  const second: ArmCell = { variant: doubled, load, repeat: true };
  const firstOf = (variant: string): ArmCell => ({ variant, load, repeat: false });
  const own = firstOf(scenario.control);
  const others = scenario.variants.flatMap(({ name }) => (name === scenario.control ? [] : [firstOf(name)]));
  const both = (arm: ArmCell): NonEmpty<ArmCell> => (arm.variant === doubled ? [arm, second] : [arm]);
  const first = [own, ...others].find(({ variant }) => variant === doubled) ?? own;
  const arms: Arms = { control: both(own), others, twins: [first, second], all: [own, ...others].flatMap(both) };
  byLoad.set(load, arms);
  return arms;
}

/** The control's arms under a load level. */
export function controlArms(data: Pick<RunData, 'scenario'>, load: LoadLevel): NonEmpty<ArmCell> {
  return armsOf(data, load).control;
}

/** The two arms of the variant that was measured twice, which A/A compares. */
export function twinArms(data: Pick<RunData, 'scenario'>, load: LoadLevel): readonly [first: ArmCell, second: ArmCell] {
  return armsOf(data, load).twins;
}

/** True for an arm of the variant with two, which are in each of the groups that arms took turns in. */
export function isTwin({ scenario }: Pick<RunData, 'scenario'>, { variant }: ArmCell): boolean {
  return variant === doubledVariant(scenario);
}

/** The arm beside which both sides of a comparison are read: one that was in one group, where arms took turns in groups. */
export function besideOf(data: Pick<RunData, 'scenario'>, { control, cell }: Contrast): ArmCell {
  const [first = cell] = control;
  return isTwin(data, cell) ? first : cell;
}

/** The variants but the control. */
export function otherVariants({ scenario }: Pick<RunData, 'scenario'>): string[] {
  return scenario.variants.flatMap(({ name }) => (name === scenario.control ? [] : [name]));
}

/** Every variant but the control against the control's arms, under every load level. */
export function variantContrasts(data: RunData): Contrast[] {
  return data.scenario.load.levels.flatMap((load) => {
    const { control, others } = armsOf(data, load);
    return others.map((cell) => ({ control, cell }));
  });
}

/**
 * A/A: of the variant with two arms the second against the first, under every load level. Where arms had their turns in
 * groups both were in each of them, so that all groups together are paired as one is.
 */
export function controlContrasts(data: RunData): Contrast[] {
  return data.scenario.load.levels.flatMap((load) => {
    const [first, second] = twinArms(data, load);
    return data.samples(second).size === 0 ? [] : [{ control: [first], cell: second }];
  });
}

/** Every arm under every load level: the control's first, then the others as in the scenario; a second arm after the first. */
export function cellsOf(data: RunData): ArmCell[] {
  return data.scenario.load.levels.flatMap((load) => armsUnder(data, load));
}

/** The arms under a load level, in the same order. */
export function armsUnder(data: RunData, load: LoadLevel): readonly ArmCell[] {
  return armsOf(data, load).all;
}
