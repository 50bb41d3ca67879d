import { groupBy } from '../../base/group-by.ts';
import { loadKey, underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { memoizeBy } from '../read/memoize-by.ts';
import { type Metric, requestsPerSecond } from '../read/metrics/metrics.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import type { RunProgress } from '../stats/looks.ts';
import type { Spread } from '../stats/variance.ts';
import { armsUnder, besideOf, type Contrast, controlContrasts, isTwin, variantContrasts } from './contrasts.ts';
import { withControlApart } from './control-apart.ts';
import { type Block, blockOf, familyOf } from './family.ts';
import { type Judgement, judge, type Rules } from './judge.ts';
import { pairOf } from './pairs.ts';
import { createTrendsJudge } from './steady-rates.ts';
import { judgedWithImages } from './wal-images.ts';
import { createTurnsJudge, judgedWithCarryOver, judgedWithHousekeeping } from './withheld-verdicts.ts';

/** More than a round can have. */
const MOST_GROUPS = 1000;

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
  const blockAround = memoizeBy(blockKey(data), (asked: AskedUntil) => blockFor(data, asked));
  const blocksOf = memoizeBy(
    ({ metric, until }: AskedUntil) => `${metric.name} ${until}`,
    ({ metric, until }) => {
      const alike = questions.filter((one) => one.metric.name === metric.name);
      return [...new Set(alike.map(({ contrast }) => blockAround({ metric, contrast, until })))];
    },
  );
  const members = questions.map(({ metric, contrast }) => {
    // What was known of an arm when it left stays as it was: rounds without it add nothing to its comparisons.
    const until = lastRoundOf(data, [...contrast.control, contrast.cell]);
    const asked = { metric, contrast, until };
    return {
      paired: pairOf(data, metric, contrast),
      block: blockAround(asked),
      rowOf: rowIn(data.groupOf(besideOf(data, contrast))),
      control: contrast.control.map(armName),
      variant: armName(contrast.cell),
      blocks: blocksOf(asked),
      course: courseUntil(data, until),
    };
  });
  const evidence = familyOf(members, data.course, data.machineOf);
  const byTurns = createTurnsJudge(data);
  const byTrends = createTrendsJudge(data);
  return members.flatMap(({ paired }, i) => {
    const question = questions[i];
    if (question === undefined) return [];
    const { variant, load } = question.contrast.cell;
    const subject = { of: data.live.length > 0 ? 'rounds' : 'starts', rate: isRate(question.metric) } as const;
    const own = withoutWait(data, question.contrast, judge(paired, { ...rules, subject }, evidence[i] ?? null));
    const judgement = byTrends(question, byTurns(question.metric, question.contrast, own));
    const carried = judgedWithCarryOver(data, question.contrast, judgement, rules);
    const imaged = judgedWithImages(data, question, carried, rules);
    return [{ ...question, variant, load, ...judgedWithHousekeeping(data, question.contrast, imaged) }];
  });
}

/** A comparison as of one of the rounds of the run, after which one side was not measured; infinite where both always were. */
interface AskedUntil extends Question {
  readonly until: number;
}

/** An arm that left waits for no round, whatever its verdict was. */
function withoutWait(data: RunData, { control, cell }: Contrast, judgement: Judgement): Judgement {
  const [ofControl, own] = [lastRoundOf(data, control), lastRoundOf(data, [cell])];
  const after = Math.min(ofControl, own);
  if (!Number.isFinite(after)) return judgement;
  const notes = judgement.notes.filter(({ kind }) => kind !== 'rounds-needed');
  return { ...judgement, notes: [...notes, { kind: 'left', after, ...(ofControl < own && { control: true }) }] };
}

function isRate({ name }: Metric): boolean {
  return name === requestsPerSecond.name;
}

function armName({ variant, repeat }: ArmCell): string {
  return repeat ? `${variant}#2` : variant;
}

/** Comparisons with the same key are judged from the same block of arms. */
function blockKey(data: RunData): (asked: AskedUntil) => string {
  return ({ metric, contrast, until }) => {
    const { control, cell } = contrast;
    const alone = standsAlone(data, contrast) ? [...control, cell].map(armName).join(' ') : '';
    return `${metric.name} ${loadKey(cell.load)} ${until} ${alone}`;
  };
}

function blockFor(data: RunData, { metric, contrast, until }: AskedUntil): Block {
  const { control, cell } = contrast;
  // Work for a request is not disturbed by what makes turns noisy. A percentile is of all answers, in odd starts too.
  const inFull = metric.percentile !== undefined;
  const noisy = metric.group === 'load' && !inFull;
  if (!standsAlone(data, contrast)) return blockUnder(data, metric, cell.load, { noisy, inFull, until });
  const beside = besideOf(data, contrast);
  const arms = new Map([...control, cell].map((arm) => [armName(arm), data.series(metric, [arm], beside).byRound]));
  const rowOf = rowIn(data.groupOf(beside));
  const byRow = <T>(byRound: ReadonlyMap<number, T>): Map<number, T> => addRows(new Map(), byRound, rowOf, until);
  const noise = noisy ? byRow(data.turnNoise(beside)) : null;
  return blockOf(new Map([...arms].map(([name, byRound]) => [name, byRow(byRound)])), { noise, inFull });
}

/**
 * All arms of a load level, each in the rows that it took turns in: a row is a round, or a group of a round. The control
 * is in every row, so that the others are compared through it and share what is known of the noise.
 */
function blockUnder(
  data: RunData,
  metric: Metric,
  load: LoadLevel,
  { noisy, inFull, until }: { readonly noisy: boolean; readonly inFull: boolean; readonly until: number },
): Block {
  const all = armsUnder(data, load);
  const others = all.filter((arm) => !isTwin(data, arm));
  const noise = new Map<number, Spread>();
  const arms = new Map(all.map((arm) => [armName(arm), new Map<number, { readonly log: number | null }>()]));
  // Where there are groups, of the arms that are in each what they did in the group of each other arm.
  const inGroups = others.some((arm) => data.groupOf(arm).size > 0);
  for (const beside of inGroups ? others : all.slice(0, 1)) {
    const groupOf = data.groupOf(beside);
    const rowOf = rowIn(groupOf);
    // The group of an arm that left is known up to then.
    const last = groupOf.size > 0 ? Math.min(until, lastRoundOf(data, [beside])) : until;
    for (const arm of all) {
      const rows = arms.get(armName(arm));
      if (rows === undefined || (inGroups && !isTwin(data, arm) && arm !== beside)) continue;
      addRows(rows, data.series(metric, [arm], beside).byRound, rowOf, last);
    }
    if (noisy) addRows(noise, data.turnNoise(beside), rowOf, last);
  }
  return blockOf(arms, { noise: noisy ? noise : null, inFull });
}

/** The row of a round: where arms took turns in groups, the row of its group. */
function rowIn(groupOf: ReadonlyMap<number, number>): (round: number) => number {
  return (round) => round * MOST_GROUPS + (groupOf.get(round) ?? 0);
}

/** Adds values to rows, up to the round `until`. */
function addRows<T>(
  rows: Map<number, T>,
  byRound: ReadonlyMap<number, T>,
  rowOf: (round: number) => number,
  until: number,
): Map<number, T> {
  for (const [round, value] of byRound) if (round <= until) rows.set(rowOf(round), value);
  return rows;
}

/**
 * True where the block of all arms does not hold both sides in one row. So it is for variants of different groups, one
 * of which is moved to the other's group, and for A/A over all groups.
 */
function standsAlone(data: RunData, { control, cell }: Contrast): boolean {
  const inGroups = armsUnder(data, cell.load).some((arm) => data.groupOf(arm).size > 0);
  return inGroups && isTwin(data, cell) === control.every((arm) => isTwin(data, arm));
}

/** The round that a comparison of these arms ends with: the last one of the arm that left first. Infinite where all stay. */
function lastRoundOf(data: Pick<RunData, 'left'>, arms: readonly ArmCell[]): number {
  if (data.left.length === 0) return Number.POSITIVE_INFINITY;
  const own = arms.flatMap(({ variant, load }) =>
    underLoad(data.left, load).filter((cell) => cell.variant === variant),
  );
  return Math.min(...own.map(({ after }) => after));
}

/** How far the run had come when that round ended. */
function courseUntil({ rounds, course }: Pick<RunData, 'rounds' | 'course'>, lastRound: number): RunProgress {
  const done = rounds.filter((round) => round <= lastRound).length;
  return done === course.rounds ? course : { ...course, rounds: done, ends: course.ends.filter((end) => end <= done) };
}
