import { groupBy } from '../../base/group-by.ts';
import { loadKey } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { marginOf, marginsOf } from '../read/metrics/margins.ts';
import { type Metric, requestsPerSecond } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import type { RunProgress } from '../stats/looks.ts';
import { orDiscarded } from './all-discarded.ts';
import { armName, blocksOfRun, lastRoundOf, rowsOf } from './blocks.ts';
import { type Contrast, controlContrasts, variantContrasts } from './contrasts.ts';
import { withControlApart } from './control-apart.ts';
import { familyOf } from './family.ts';
import { type Judgement, judge, type Rules } from './judge.ts';
import { keptByArms } from './kept-by-arms.ts';
import { notThrough } from './not-through.ts';
import { pairOf } from './pairs.ts';
import { stillMoves } from './steady-rates.ts';
import { turnSkew } from './turn-skew.ts';
import { carryOver, left, littleHousekeeping, outlastTurns, pageImages } from './withheld-verdicts.ts';
import { type Question, type WithholdingRule, withheldBy } from './withholding.ts';

/** One metric of one variant under one load level, against the control. */
export interface JudgedComparison extends Judgement {
  readonly contrast: Contrast;
  readonly variant: string;
  readonly load: LoadLevel;
  readonly metric: Metric;
}

/**
 * Judges every variant but the control, under every load level, by one metric. They are one family: the chance of any
 * false `higher` or `lower` is up to 5 %. Each metric is its own family.
 */
export function compareVariants(data: RunData, metric: Metric): JudgedComparison[] {
  const judged = judgeFamily(data, metric, variantContrasts(data));
  return groupBy(judged, ({ load }) => loadKey(load)).flatMap((own) => withControlApart(data, metric, own));
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

/** Rules that may withhold a verdict, in the order in which they are asked. */
const withholding: readonly WithholdingRule[] = [
  left,
  outlastTurns,
  stillMoves,
  carryOver,
  pageImages,
  littleHousekeeping,
  notThrough,
];

/**
 * Judges comparisons, also by several metrics of one kind, as one family: the chance of any false one among all is up to
 * 5 %. What else a question holds stands in its judged comparison, too.
 */
export function judgeTogether<Asked extends Question>(
  data: RunData,
  questions: readonly Asked[],
): (Asked & JudgedComparison)[] {
  const rules = rulesOf(data, questions);
  const blockAround = blocksOfRun(data);
  const members = questions.map(({ metric, contrast }) => {
    // What was known of an arm when it left stays as it was: rounds without it add nothing to its comparisons.
    const until = lastRoundOf(data, [...contrast.control, contrast.cell]);
    const asked = { metric, contrast, until };
    return {
      paired: pairOf(data, metric, contrast),
      block: blockAround(asked),
      ...rowsOf(data, contrast),
      control: contrast.control.map(armName),
      variant: armName(contrast.cell),
      // The control's two arms are what tells it: their comparison is of what stays and of noise.
      kept: contrast.cell.repeat ? null : keptByArms(data, metric, until),
      skew: turnSkew(data, metric, contrast, until),
      course: courseUntil(data, until),
    };
  });
  const evidence = familyOf(members, data.course, data.machineOf);
  const withhold = withheldBy(withholding, data, rules);
  return members.flatMap(({ paired }, i) => {
    const question = questions[i];
    if (question === undefined) return [];
    const { variant, load } = question.contrast.cell;
    const subject = { of: data.live.length > 0 ? 'rounds' : 'starts', rate: isRate(question.metric) } as const;
    const judged = judge(paired, { ...rules, subject }, evidence[i] ?? null);
    const judgement = orDiscarded(data, question.contrast, judged);
    return [{ ...question, variant, load, ...withhold(question, judgement) }];
  });
}

/** Work per request is `same` before it is anything else. */
function rulesOf({ scenario, quick }: RunData, [first]: readonly Question[]): Rules {
  const metric = first?.metric ?? requestsPerSecond;
  const isWork = metric.group === 'work';
  return { marginPercent: marginOf(metric, marginsOf(scenario)), quick, ...(isWork && { sameFirst: true }) };
}

function isRate({ name }: Metric): boolean {
  return name === requestsPerSecond.name;
}

/** How far the run had come when that round ended. */
function courseUntil({ rounds, course }: Pick<RunData, 'rounds' | 'course'>, lastRound: number): RunProgress {
  const done = rounds.filter((round) => round <= lastRound).length;
  return done === course.rounds ? course : { ...course, rounds: done, ends: course.ends.filter((end) => end <= done) };
}
