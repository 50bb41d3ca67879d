import { ofName } from '../../base/by-name.ts';
import { closedLoopClients, loadAxis } from '../../journal/load-level.ts';
import type { CourseOfRequests, CourseRecord } from '../../journal/slice-record.ts';
import type { CourseOfSlice } from '../read/cells/cell.ts';
import { type Metric, meanLatency } from '../read/metrics/metrics.ts';
import type { ArmCell, RunData, SliceParts } from '../read/run-data.ts';
import { mean, sum } from '../stats/moments.ts';
import { type Skew, skewOf } from '../stats/skew.ts';
import { besideOf, type Contrast, isTwin, twinArms } from './contrasts.ts';

/**
 * The skewness of a round's ln(variant / control), by its parts up to the round `until`: by the difference of both sides'
 * shares of their own round in each part. So the change is not in it, nor, of turns, what the machine does to all arms of a
 * cycle: of a group, so arms are compared in one, or through the control in each of two. Parts are turns, and those of its
 * course where a slice is whole. Null for a metric that neither of them tells, and where no skewness is certain.
 */
export function turnSkew(data: PartsOfRounds, metric: Metric, contrast: Contrast, until: number): Skew | null {
  const { control, cell } = contrast;
  const beside = besideOf(data, contrast);
  // Values of variants in groups are compared through the control, too.
  const isThrough = data.groupOf(beside).size > 0 && ![cell, ...control].some((arm) => isTwin(data, arm));
  const twins = isThrough ? twinArms(data, cell.load) : [];
  const rounds = (asked: Metric): (readonly number[])[] => {
    const side = (arm: ArmCell): Parts => {
      const own = partsOf(data, asked, arm, beside);
      const ofGroup = twins.map((twin) => partsOf(data, asked, twin, arm));
      return isThrough ? minus(own, ofGroup) : own;
    };
    return [...minus(side(cell), control.map(side))].flatMap(([round, parts]) => (round > until ? [] : [parts]));
  };
  const found = skewOf(rounds(metric));
  const hidesInPauses = metric.follows === 'rate' && loadAxis(cell.load) === 'users';
  if (found !== null || !hidesInPauses) return found;
  // Users' rate is skewed as their latencies are, and pauses hide it.
  return skewOf(rounds(meanLatency)) && skewOf(rounds(metric), true);
}

type PartsOfRounds = Pick<RunData, 'scenario' | 'groupOf' | 'inParts'>;

/** By round, how much each part adds to ln(metric), besides what is the same for all parts. */
type Parts = ReadonlyMap<number, readonly number[]>;

/** Parts less the mean of the others'. Rounds without any of those, or with other parts, are left out. */
function minus(parts: Parts, others: readonly Parts[]): Parts {
  const found = [...parts].flatMap(([round, own]) => {
    const known = others.map((arm) => arm.get(round) ?? []).filter(isKnown);
    if (known.length === 0 || known.some(({ length }) => length !== own.length)) return [];
    return [[round, own.map((share, part) => share - mean(known.map((one) => one[part] ?? 0)))] as const];
  });
  return new Map(found);
}

function partsOf({ inParts }: PartsOfRounds, metric: Metric, cell: ArmCell, beside: ArmCell): Parts {
  if (metric.follows === undefined) return new Map();
  const isRate = metric.follows === 'rate';
  const sharesOf = ({ rates, course }: SliceParts): readonly number[] => {
    // A whole slice is a single turn.
    if (rates.length < 2) {
      if (course === undefined) return [];
      return isRate ? shares(wholeParts(course)) : latencyShares(courseOf(course, metric));
    }
    if (isRate) return shares(rates);
    // In a closed loop, connections = rate x mean latency.
    return closedLoopClients(cell.load) === null ? [] : shares(rates).map((share) => -share);
  };
  return new Map([...inParts(cell, beside)].map(([round, slice]) => [round, sharesOf(slice)]));
}

function isKnown({ length }: readonly number[]): boolean {
  return length > 0;
}

/**
 * Rates as shares of their mean; empty where there were none. A part has no rate where a stall covers all that counts of it.
 * It does not move the rate of all, as in `turnCounts`, so it has the share of the others' mean.
 */
function shares(rates: readonly number[]): readonly number[] {
  const usual = mean(rates.filter((rate) => !Number.isNaN(rate)));
  return usual > 0 ? rates.map((rate) => (Number.isNaN(rate) ? 1 : rate / usual)) : [];
}

/** A part of a course may lack this share of its time by rounding alone. */
const ROUNDING = 0.01;

/** Answers in the parts that the window holds in full: the end of a window within a part is no stall. */
function wholeParts({ ok, partMs, windowMs }: CourseOfSlice): readonly number[] {
  return ok.slice(0, Math.floor(windowMs / partMs + ROUNDING));
}

/** The course of the requests that a metric is of; undefined where there were none. The only kind of request has the course of all. */
function courseOf(course: CourseRecord, { request }: Metric): CourseOfRequests | undefined {
  const isOnly = request === undefined || Object.keys(course.byRequest).length === 0;
  return isOnly ? course : ofName(course.byRequest, request);
}

/** The linear part of ln(mean latency), a ratio of sums (Cochran, Sampling Techniques, 1977, chapter 6). */
function latencyShares({ ok, meanUs }: CourseOfRequests = { ok: [], meanUs: [] }): readonly number[] {
  const usual = sum(ok.map((count, part) => count * (meanUs[part] ?? 0))) / sum(ok);
  return usual > 0 ? ok.map((count, part) => (count * ((meanUs[part] ?? 0) / usual - 1)) / mean(ok)) : [];
}
