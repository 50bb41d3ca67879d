import { loadKey } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { Spread } from '../../stats/block-noise.ts';
import { memoizeBy } from '../read/memoize-by.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { Series } from '../read/metrics/series.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { armsUnder, type Contrast, controlContrasts, variantContrasts } from './contrasts.ts';
import { blockOf, familyOf } from './family.ts';
import { type Judgement, judge, type Rules } from './judge.ts';
import { judgedWithCarryOver } from './judged-with-carry-over.ts';
import { pairUp } from './pairs.ts';

/** One metric of one variant under one load level, against the control. */
export interface JudgedComparison extends Judgement {
  readonly contrast: Contrast;
  readonly variant: string;
  readonly load: LoadLevel;
  readonly metric: Metric;
}

/**
 * Judges every variant but the control, under every load level, by one metric: one family, so the chance of any false
 * `higher` or `lower` among them all is up to 5 %. Each metric is a family of its own.
 */
export function compareVariants(data: RunData, metric: Metric): JudgedComparison[] {
  return judgeFamily(data, metric, variantContrasts(data));
}

/** A/A: the control's second arm against its first, as if it were a variant; one family over the load levels. */
export function compareControlArms(data: RunData, metric: Metric): JudgedComparison[] {
  return judgeFamily(data, metric, controlContrasts(data));
}

/** Judges comparisons by one metric as one family. */
export function judgeFamily(data: RunData, metric: Metric, contrasts: readonly Contrast[]): JudgedComparison[] {
  return judgeTogether(
    data,
    contrasts.map((contrast) => ({ metric, contrast })),
  );
}

/** A comparison to be judged. */
export interface Question {
  readonly metric: Metric;
  readonly contrast: Contrast;
}

/**
 * Judges comparisons, also by several metrics, as one family: the chance of any false one among all is up to 5 %. By the
 * scenario's rules unless others are given. What else a question holds stands in its judged comparison, too.
 */
export function judgeTogether<Asked extends Question>(
  data: RunData,
  questions: readonly Asked[],
  rules: Rules = { marginPercent: data.scenario.marginPercent, quick: data.quick },
): (Asked & JudgedComparison)[] {
  const blockAround = memoizeBy(blockKey(data), (question: Question) =>
    blockOf(armsAround(data, question), noiseAround(data, question)),
  );
  const blocksOf = memoizeBy(
    ({ metric }: Question) => metric.name,
    ({ metric }) => [...new Set(questions.filter((one) => one.metric.name === metric.name).map(blockAround))],
  );
  const members = questions.map((question) => {
    const { metric, contrast } = question;
    return {
      paired: pairUp(
        data.series(metric, contrast.control, contrast.cell),
        data.series(metric, [contrast.cell], contrast.cell),
      ),
      block: blockAround(question),
      control: contrast.control.map(armName),
      variant: armName(contrast.cell),
      blocks: blocksOf(question),
    };
  });
  const evidence = familyOf(members, data.course, data.machineOf);
  return members.flatMap(({ paired }, i) => {
    const question = questions[i];
    if (question === undefined) return [];
    const { variant, load } = question.contrast.cell;
    const judgement = judge(paired, rules, evidence[i] ?? null);
    return [{ ...question, variant, load, ...judgedWithCarryOver(data, question.contrast, judgement, rules) }];
  });
}

function armName({ variant, repeat }: ArmCell): string {
  return repeat ? `${variant}#2` : variant;
}

/** Comparisons with the same key are judged from the same block of arms. */
function blockKey(data: RunData): (question: Question) => string {
  return ({ metric, contrast }) => {
    const { control, cell } = contrast;
    const apart = shareGroups(data, contrast) ? '' : [...control, cell].map(armName).join(' ');
    return `${metric.name} ${loadKey(cell.load)} ${data.groupsOf(cell)} ${apart}`;
  };
}

/**
 * The arms that took turns with the question's cell, by name. Where its two sides did not, these alone: through the
 * control of two groups the noise of more arms comes in.
 */
function armsAround(data: RunData, { metric, contrast }: Question): ReadonlyMap<string, Series> {
  const { control, cell } = contrast;
  const groups = data.groupsOf(cell);
  const arms = shareGroups(data, contrast)
    ? armsUnder(data, cell.load).filter((arm) => data.groupsOf(arm) === groups || arm.variant === data.scenario.control)
    : [...control, cell];
  return new Map(arms.map((arm) => [armName(arm), data.series(metric, [arm], cell)]));
}

/** Turns show the noise of rates and latencies; work a request is not disturbed by the same. */
function noiseAround(data: RunData, { metric, contrast }: Question): ReadonlyMap<number, Spread> | null {
  return metric.group === 'load' ? data.turnNoise(contrast.cell) : null;
}

/** True where both sides took turns with each other. Across two groups, through the control, the noise of more arms comes in. */
function shareGroups(data: RunData, { control, cell }: Contrast): boolean {
  const groups = data.groupsOf(cell);
  return control.every((side) => side.variant === data.scenario.control || data.groupsOf(side) === groups);
}
