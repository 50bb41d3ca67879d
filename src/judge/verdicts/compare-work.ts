import type { JudgementNote } from '../notes.ts';
import { type WorkMetric, workMetrics } from '../read/metrics/work-metrics.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { MIN_ROUNDS } from '../stats/looks.ts';
import { significant } from '../stats/rounding.ts';
import { type JudgedComparison, judgeTogether } from './compare.ts';
import { besideOf, type Contrast, controlContrasts, variantContrasts } from './contrasts.ts';
import type { Question } from './withholding.ts';

/** Where more of a metric follows time, on either side, a difference says nothing about requests. */
const MOST_BY_TIME_PERCENT = 1;

/** Rarer events are the luck of a few: fewer a request than this on both sides, */
const LEAST_PER_REQUEST = 0.01;
/** or fewer in a mean round on both sides: one more in each of four rounds would look like a sure effect. */
const LEAST_A_ROUND = 20;

/**
 * Compares the work per request of every variant with the control, under every load level, by every metric. All of it
 * is one family: the chance of any false `higher` or `lower` is up to 5 %.
 */
export function compareWork(data: RunData): JudgedComparison[] {
  return judgeWork(data, variantContrasts(data));
}

/** A/A: the same of the control's second arm against its first. */
export function compareControlWork(data: RunData): JudgedComparison[] {
  return judgeWork(data, controlContrasts(data));
}

interface WorkQuestion extends Question {
  readonly metric: WorkMetric;
  /** The sides that have any of it: the control, and the variant. */
  readonly sides: readonly Side[];
  readonly obstacle: JudgementNote | null;
}

/** Judges contrast by contrast, and metric by metric in each. A question that cannot have a verdict is no part of the family. */
function judgeWork(data: RunData, contrasts: readonly Contrast[]): JudgedComparison[] {
  const questions = contrasts.flatMap((contrast) =>
    workMetrics.map((metric): WorkQuestion => {
      const sides = [contrast.control, [contrast.cell]].flatMap((cells) => sideOf(data, metric, cells) ?? []);
      return { metric, contrast, sides, obstacle: obstacleOf(metric, sides) };
    }),
  );
  const judge = (some: readonly WorkQuestion[]): Map<WorkQuestion, JudgedComparison> => {
    const findings = judgeTogether(data, some);
    return new Map(some.flatMap((question, i) => (findings[i] === undefined ? [] : [[question, findings[i]]])));
  };
  const open = judge(questions.filter(({ obstacle }) => obstacle === null));
  const blocked = judge(questions.filter(({ obstacle }) => obstacle !== null));
  return questions.flatMap((question) => {
    const judged = open.get(question);
    if (judged !== undefined) return [settle(data, question, judged)];
    const without = blocked.get(question);
    return without === undefined || question.obstacle === null ? [] : [withoutVerdict(without, question.obstacle)];
  });
}

function withoutVerdict(finding: JudgedComparison, note: JudgementNote): JudgedComparison {
  return { ...finding, interval: null, verdict: 'noise', notes: [note] };
}

/** Why there can be no verdict, whatever the rounds say; null where there can. */
function obstacleOf(metric: WorkMetric, sides: readonly Side[]): JudgementNote | null {
  if (sides.length < 2 || sides.every(({ count }) => count === 0)) return null;
  if (metric.isCount && sides.every(isRare)) return { kind: 'rare' };
  const shares = sides.map(({ timePercent }) => timePercent);
  if (shares.includes(null)) return { kind: 'idle-unknown' };
  const most = mostByTime(sides);
  return most > MOST_BY_TIME_PERCENT ? followsTime(most) : null;
}

function mostByTime(sides: readonly Side[]): number {
  return Math.max(0, ...sides.map(({ timePercent }) => timePercent ?? 0));
}

function followsTime(sharePercent: number): JudgementNote {
  return { kind: 'follows-time', sharePercent: significant(sharePercent) };
}

interface Side {
  readonly count: number;
  readonly requests: number;
  readonly rounds: number;
  /** How much of it follows time, in percent (100 at most); null where that is not known. */
  readonly timePercent: number | null;
}

function sideOf(data: RunData, metric: WorkMetric, cells: readonly ArmCell[]): Side | null {
  const sample = data.merged(cells);
  const tally = sample === null ? null : metric.tally(sample);
  if (sample === null || tally === null || tally.requests === 0) return null;
  const rounds = cells.reduce((sum, cell) => sum + data.samples(cell).size, 0);
  const perMs = metric.idlePerMs(data.idle(cells), sample);
  const { count, requests, wallMs } = tally;
  return { count, requests, rounds, timePercent: timePercent(count, perMs, wallMs) };
}

/** Idle rate x the time that was covered, in percent of what was counted. */
function timePercent(count: number, perMs: number | null, wallMs: number | null): number | null {
  if (perMs === 0) return 0;
  if (perMs === null || wallMs === null) return null;
  return count === 0 ? 100 : Math.min(100, (100 * perMs * wallMs) / count);
}

function isRare({ count, requests, rounds }: Side): boolean {
  return count / requests < LEAST_PER_REQUEST || count / Math.max(1, rounds) < LEAST_A_ROUND;
}

/**
 * Settles cases that ratios alone do not. A difference no larger than what depends on time is no finding. If one side
 * has none in any round, and the other more than a rare event in each, there is no ratio and no doubt.
 */
function settle(data: RunData, { metric, contrast, sides }: WorkQuestion, finding: JudgedComparison): JudgedComparison {
  const { interval, verdict, rounds, logRatios } = finding;
  if (interval !== null && (verdict === 'higher' || verdict === 'lower')) {
    const nearest = verdict === 'higher' ? interval[0] : -interval[1];
    const most = mostByTime(sides);
    return nearest <= most ? withoutVerdict(finding, followsTime(most)) : finding;
  }
  if (data.quick || verdict === 'unfit' || rounds < MIN_ROUNDS || logRatios.length > 0) return finding;
  const valuesOf = (cells: readonly ArmCell[]): number[] =>
    [...data.series(metric, cells, besideOf(data, contrast)).byRound.values()].map(({ value }) => value);
  const [control, own] = [valuesOf(contrast.control), valuesOf([contrast.cell])];
  const isNone = (values: readonly number[]): boolean => values.every((value) => value === 0);
  const isSome = (values: readonly number[]): boolean => values.every((value) => value >= LEAST_PER_REQUEST);
  if (isNone(control) && isSome(own)) return { ...finding, verdict: 'higher' };
  return isNone(own) && isSome(control) ? { ...finding, verdict: 'lower' } : finding;
}
