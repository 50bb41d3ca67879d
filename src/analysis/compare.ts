import { loadKey } from '../journal/load-level.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';
import { armNoise, familyOf, ratioNoise } from './family.ts';
import { type Judgement, judge, type Rules } from './judge.ts';
import type { Metric } from './metrics.ts';
import type { ArmCell, Observations } from './observations.ts';
import { pairUp } from './pairs.ts';
import { remembered } from './remembered.ts';
import type { Series } from './series.ts';

/** Two sides to be compared under one load level. */
export interface Contest {
  readonly control: readonly ArmCell[];
  readonly cell: ArmCell;
}

/** One metric of one variant under one load level, against the control. */
export interface Finding extends Judgement {
  readonly contest: Contest;
  readonly variant: string;
  readonly load: LoadLevel;
  readonly metric: Metric;
}

/** The control's two arms under a load level. */
export function controlArms(observations: Observations, load: LoadLevel): readonly [ArmCell, ArmCell] {
  const variant = observations.scenario.control;
  return [
    { variant, load, repeat: false },
    { variant, load, repeat: true },
  ];
}

/** The variants but the control. */
export function otherVariants({ scenario }: Observations): string[] {
  return scenario.variants.flatMap(({ name }) => (name === scenario.control ? [] : [name]));
}

/**
 * Judges every variant but the control, under every load level, by one metric: one family, so the chance of any false
 * `higher` or `lower` among them all is up to 5 %. Each metric is a family of its own.
 */
export function compareVariants(observations: Observations, metric: Metric): Finding[] {
  const contests = observations.scenario.load.levels.flatMap((load) => {
    const control = controlArms(observations, load);
    return otherVariants(observations).map((variant) => ({ control, cell: { variant, load, repeat: false } }));
  });
  return judgeFamily(observations, metric, contests);
}

/** A/A: the control's second arm against its first, as if it were a variant; one family over the load levels. */
export function compareControlArms(observations: Observations, metric: Metric): Finding[] {
  const contests = observations.scenario.load.levels.flatMap((load) => {
    const [first, second] = controlArms(observations, load);
    return observations.samples(second).size === 0 ? [] : [{ control: [first], cell: second }];
  });
  return judgeFamily(observations, metric, contests);
}

/** Judges comparisons by one metric as one family. */
export function judgeFamily(observations: Observations, metric: Metric, contests: readonly Contest[]): Finding[] {
  const rules: Rules = { marginPercent: observations.scenario.marginPercent, quick: observations.quick };
  const read = (cell: ArmCell): Series => observations.series(metric, [cell]);
  const noise = remembered(loadKey, (load: LoadLevel) => armNoise(armsUnder(observations, load).map(read)));
  const members = contests.map(({ control, cell }) => {
    const sides = control.filter((side) => read(side).byRound.size > 0).length;
    return {
      paired: pairUp(observations.series(metric, control), read(cell)),
      pooled: ratioNoise(noise(cell.load), sides),
    };
  });
  const families = familyOf(members);
  return members.flatMap(({ paired }, i) => {
    const contest = contests[i];
    if (contest === undefined) return [];
    const { variant, load } = contest.cell;
    return [{ contest, variant, load, metric, ...judge(paired, rules, families[i]) }];
  });
}

/** Every arm under every load level: the control first, then its repeat, then the others as in the scenario. */
export function cellsOf(observations: Observations): ArmCell[] {
  return observations.scenario.load.levels.flatMap((load) => armsUnder(observations, load));
}

function armsUnder(observations: Observations, load: LoadLevel): ArmCell[] {
  const others = otherVariants(observations).map((variant) => ({ variant, load, repeat: false }));
  return [...controlArms(observations, load), ...others];
}
