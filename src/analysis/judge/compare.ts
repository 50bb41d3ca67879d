import { loadKey } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { Spread } from '../../stats/block-noise.ts';
import type { ArmCell, Observations } from '../read/aggregate-run.ts';
import { remembered } from '../read/memoize-by.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { Series } from '../read/metrics/series.ts';
import { blockOf, familyOf } from './family.ts';
import { type Judgement, judge, type Rules } from './judge.ts';
import { judgedWithCarryOver } from './judged-with-carry-over.ts';
import { pairUp } from './pairs.ts';

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
  return judgeFamily(observations, metric, variantContests(observations));
}

/** A/A: the control's second arm against its first, as if it were a variant; one family over the load levels. */
export function compareControlArms(observations: Observations, metric: Metric): Finding[] {
  return judgeFamily(observations, metric, controlContests(observations));
}

/** Every variant but the control against both the control's arms, under every load level. */
export function variantContests(observations: Observations): Contest[] {
  return observations.scenario.load.levels.flatMap((load) => {
    const control = controlArms(observations, load);
    return otherVariants(observations).map((variant) => ({ control, cell: { variant, load, repeat: false } }));
  });
}

/**
 * The control's second arm against its first, under every load level. Where arms had their turns in groups both were in
 * each of them, so that all groups together are paired as one is.
 */
export function controlContests(observations: Observations): Contest[] {
  return observations.scenario.load.levels.flatMap((load) => {
    const [first, second] = controlArms(observations, load);
    return observations.samples(second).size === 0 ? [] : [{ control: [first], cell: second }];
  });
}

/** Judges comparisons by one metric as one family. */
export function judgeFamily(observations: Observations, metric: Metric, contests: readonly Contest[]): Finding[] {
  const rules: Rules = { marginPercent: observations.scenario.marginPercent, quick: observations.quick };
  return judgeTogether(
    observations,
    contests.map((contest) => ({ metric, contest })),
    rules,
  );
}

/** A comparison to be judged. */
export interface Question {
  readonly metric: Metric;
  readonly contest: Contest;
}

/** Judges comparisons, also by several metrics, as one family: the chance of any false one among all is up to 5 %. */
export function judgeTogether(observations: Observations, questions: readonly Question[], rules: Rules): Finding[] {
  const blockAround = remembered(blockKey(observations), (question: Question) =>
    blockOf(armsAround(observations, question), noiseAround(observations, question)),
  );
  const blocksOf = remembered(
    ({ metric }: Question) => metric.name,
    ({ metric }) => [...new Set(questions.filter((one) => one.metric.name === metric.name).map(blockAround))],
  );
  const members = questions.map((question) => {
    const { metric, contest } = question;
    return {
      paired: pairUp(
        observations.series(metric, contest.control, contest.cell),
        observations.series(metric, [contest.cell], contest.cell),
      ),
      block: blockAround(question),
      control: contest.control.map(armName),
      variant: armName(contest.cell),
      blocks: blocksOf(question),
    };
  });
  const evidence = familyOf(members, observations.course);
  return members.flatMap(({ paired }, i) => {
    const question = questions[i];
    if (question === undefined) return [];
    const { variant, load } = question.contest.cell;
    const judgement = judge(paired, rules, evidence[i] ?? null);
    return [{ ...question, variant, load, ...judgedWithCarryOver(observations, question.contest, judgement, rules) }];
  });
}

function armName({ variant, repeat }: ArmCell): string {
  return repeat ? `${variant}#2` : variant;
}

/** Comparisons with the same key are judged from the same block of arms. */
function blockKey(observations: Observations): (question: Question) => string {
  return ({ metric, contest }) => {
    const { control, cell } = contest;
    const apart = shareGroups(observations, contest) ? '' : [...control, cell].map(armName).join(' ');
    return `${metric.name} ${loadKey(cell.load)} ${observations.groupsOf(cell)} ${apart}`;
  };
}

/**
 * The arms that took turns with the question's cell, by name. Where its two sides did not, these alone: through the
 * control of two groups the noise of more arms comes in.
 */
function armsAround(observations: Observations, { metric, contest }: Question): ReadonlyMap<string, Series> {
  const { control, cell } = contest;
  const groups = observations.groupsOf(cell);
  const arms = shareGroups(observations, contest)
    ? armsUnder(observations, cell.load).filter(
        (arm) => observations.groupsOf(arm) === groups || arm.variant === observations.scenario.control,
      )
    : [...control, cell];
  return new Map(arms.map((arm) => [armName(arm), observations.series(metric, [arm], cell)]));
}

/** What turns show is the noise of rates and latencies; work a request is not disturbed by the same. */
function noiseAround(observations: Observations, { metric, contest }: Question): ReadonlyMap<number, Spread> | null {
  return metric.group === 'load' ? observations.turnNoise(contest.cell) : null;
}

/** Whether both sides took turns with each other. Through the control of two groups, the noise of more arms comes in. */
function shareGroups(observations: Observations, { control, cell }: Contest): boolean {
  const groups = observations.groupsOf(cell);
  return control.every(
    (side) => side.variant === observations.scenario.control || observations.groupsOf(side) === groups,
  );
}

/** Every arm under every load level: the control first, then its repeat, then the others as in the scenario. */
export function cellsOf(observations: Observations): ArmCell[] {
  return observations.scenario.load.levels.flatMap((load) => armsUnder(observations, load));
}

function armsUnder(observations: Observations, load: LoadLevel): ArmCell[] {
  const others = otherVariants(observations).map((variant) => ({ variant, load, repeat: false }));
  return [...controlArms(observations, load), ...others];
}
