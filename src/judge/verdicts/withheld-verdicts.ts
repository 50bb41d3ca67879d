import { loadKey, traitsOf, underLoad } from '../../journal/load-level.ts';
import type { LoadTraits } from '../../journal/load-traits.ts';
import {
  type HousekeepingWork,
  isWithoutAutovacuum,
  LEAST_HOUSEKEEPING,
  workBetween,
} from '../../journal/postgres/housekeeping.ts';
import { type LoadLevel, type Variant, variantNamed } from '../../journal/scenario-record.ts';
import type { JudgementNote } from '../notes.ts';
import { memoizeBy } from '../read/memoize-by.ts';
import { innerMetric, type Metric, readingOf } from '../read/metrics/metrics.ts';
import { isCertain } from '../read/parts/live.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { excludesZero, tInterval } from '../stats/interval.ts';
import { mean } from '../stats/moments.ts';
import { toPercent } from '../stats/rounding.ts';
import { lastRoundOf } from './blocks.ts';
import { besideOf, type Contrast } from './contrasts.ts';
import { wouldStand } from './judge.ts';
import { pairOf } from './pairs.ts';
import type { Question, WithholdingRule } from './withholding.ts';

/** An arm or level that left waits for no round, whatever its verdict was. */
export const left: WithholdingRule =
  (data) =>
  ({ contrast: { control, cell } }) => {
    const [ofControl, own] = [lastRoundOf(data, control), lastRoundOf(data, [cell])];
    const after = Math.min(ofControl, own);
    if (!Number.isFinite(after)) return null;
    const decided = underLoad(data.left.levels, cell.load).some((level) => level.after === after);
    const why = decided ? { decided } : ofControl < own && { control: true as const };
    return { noRounds: true, note: { kind: 'left', after, ...why } };
  };

/**
 * A verdict does not stand that would not if the change were off, either way, by what carries over from turn to turn. Only
 * what is certain counts, and only of settings that are switched live is anything known.
 */
export const carryOver: WithholdingRule<Pick<RunData, 'live'>> =
  (data, { marginPercent }) =>
  ({ contrast }, { verdict, interval }) => {
    const percent = certainCarryOver(data, contrast);
    if (interval === null || percent === 0) return null;
    const stands = wouldStand(verdict, [interval[0] - percent, interval[1] + percent], marginPercent);
    return stands ? null : { verdict: 'unfit', note: { kind: 'carry-over', percent } };
  };

/** By how many percent a change may be off, either way, by what carries over from turn to turn and is certain. */
export function certainCarryOver({ live }: Pick<RunData, 'live'>, { control, cell }: Contrast): number {
  const level = live.find(({ load }) => loadKey(load) === loadKey(cell.load));
  const sides = new Set([...control, cell].map(({ variant }) => variant));
  const seen = (level?.carryOver ?? []).filter((one) => sides.has(one.variant) && isCertain(one));
  return seen.reduce((sum, one) => sum + Math.abs(one.percent), 0);
}

type Data = Pick<RunData, 'scenario' | 'housekeeping'>;

/**
 * There is no verdict where the two sides differ by settings that show only in Postgres's own work, and some arm had too
 * little of it. The number then depends on the part of a cycle that the slices fell into.
 */
export const littleHousekeeping: WithholdingRule<Data> =
  (data) =>
  ({ contrast }, { notes }) => {
    const note = tooFewOf(data, contrast);
    if (note === null || notes.some(({ kind }) => kind === 'quick')) return null;
    return { interval: null, verdict: 'noise', evidence: null, noRounds: true, note };
  };

function tooFewOf({ scenario, housekeeping }: Data, { control, cell }: Contrast): JudgementNote | null {
  const { stack } = scenario;
  const variantOf = ({ variant }: ArmCell): Variant => variantNamed(scenario, variant);
  const [first = cell] = control;
  for (const work of workBetween(variantOf(first), variantOf(cell))) {
    const fewest = (arms: readonly ArmCell[]): number | null => {
      const due = arms.filter((arm) => work === 'checkpoints' || !isWithoutAutovacuum(variantOf(arm), stack.postgres));
      return due.length === 0 ? null : Math.min(...due.map((arm) => housekeeping(arm)?.[work] ?? 0));
    };
    const had = { variant: fewest([cell]), control: fewest(control) };
    if (isTooFew(had.variant) || isTooFew(had.control)) return noteOf(work, had);
  }
  return null;
}

function isTooFew(count: number | null): boolean {
  return count !== null && count < LEAST_HOUSEKEEPING;
}

function noteOf(work: HousekeepingWork, had: { variant: number | null; control: number | null }): JudgementNote {
  return { kind: 'little-housekeeping', work, needed: LEAST_HOUSEKEEPING, ...had };
}

/** The rate of what was sent over the rate of what came within the turns: 1 where no wait outlasts a turn. */
const turnGap = innerMetric(
  'turn_gap',
  ({ ok, rateMs, came, windowMs }) => readingOf(!came || rateMs === 0 ? null : ok / rateMs / (came / windowMs)),
  { group: 'load' },
);

/**
 * For users: requests sent in the slice over answers that came within it. Above 1 their queue still grows, and latency
 * with it.
 */
const usersGap = innerMetric('users_gap', ({ ok, came }) => readingOf(!came || ok === 0 ? null : ok / came), {
  group: 'load',
});

/** Changes that differ by no more, as a log ratio, are the same for every purpose. */
const MOST_GAP = Math.log(1.01);
/** The chance that two counts seem to differ which do not. */
const ERROR = 0.05;

/**
 * Direction in which the other count moves a metric: a rate goes by answers within turns, a latency by connections /
 * that rate.
 */
const shifts: Readonly<Record<string, 1 | -1>> = {
  requests_per_s: -1,
  throughput_bytes_per_s: -1,
  latency_mean_ms: 1,
};

/** Direction of the other count for users: a rate by what was sent. How far latencies are off is not known. */
const usersShifts: Readonly<Record<string, 1>> = { requests_per_s: 1, throughput_bytes_per_s: 1 };

/** Two counts of a rate, and how a metric shifts by the other one. */
interface TwoCounts {
  readonly gap: Metric;
  readonly shifts: Readonly<Record<string, 1 | -1>>;
}

const twoCounts: Readonly<Record<Exclude<LoadTraits['secondCount'], null>, TwoCounts>> = {
  'within turns': { gap: turnGap, shifts },
  'within slices': { gap: usersGap, shifts: usersShifts },
};

/** Effect of both counts of a closed loop on a change. */
interface TurnsFinding {
  /** By how much ln(variant / control) of the metric differs by the other count; 0 where it does not, or where that is not known. */
  readonly shift: number;
  /** True where turns hide something for certain, and by how much the metric is off is not known: no gate passes by it. */
  readonly isUnsure: boolean;
}

/**
 * Judges by both counts of a closed loop. The count of what was sent is right where waits do not depend on other
 * requests. The count of what came within the turns is right where the CPU is the limit and turns are long. If the two
 * changes of a variant differ by more than 1 % beyond noise, the truth lies between them: the interval then holds both,
 * and it is not `same`. Nor is it `same` where kinds of request within turns differ from those drawn: then queues have
 * not filled.
 */
export const outlastTurns: WithholdingRule = (data) => {
  const findingOf = createTurnsFinder(data);
  return ({ metric, contrast }, { interval, deltaPercent, verdict }) => {
    if (interval === null || deltaPercent === null) return null;
    const { shift, isUnsure } = findingOf(metric, contrast);
    if (shift === 0 && !isUnsure) return null;
    const both = holdingBoth(interval, shift);
    const byTurnsPercent = shift === 0 ? null : shifted(deltaPercent, shift);
    return {
      interval: both,
      verdict: wouldStand(verdict, both, null) ? verdict : 'noise',
      note: { kind: 'outlast-turns', byTurnsPercent },
    };
  };
};

/** Finds what turns hide in a change, remembering what it has found. */
export function createTurnsFinder(data: RunData): (metric: Metric, contrast: Contrast) => TurnsFinding {
  const gapOf = memoizeBy(
    ({ control, cell }: Contrast) =>
      JSON.stringify([loadKey(cell.load), ...[...control, cell].map(({ variant, repeat }) => [variant, repeat])]),
    (contrast) => certainGap(data, contrast),
  );
  const mixed = new Set(data.passes.flatMap(({ load, mixGap }) => (mixGap === null ? [] : [loadKey(load)])));
  return (metric, contrast) => {
    if (metric.group !== 'load') return { shift: 0, isUnsure: false };
    const gap = gapOf(contrast);
    const shift = (countsOf(contrast.cell.load)?.shifts[metric.name] ?? 0) * gap;
    return { shift, isUnsure: mixed.has(loadKey(contrast.cell.load)) || (gap !== 0 && shift === 0) };
  };
}

/** The range, in percent, with what it is by the other count. */
export function holdingBoth([low, high]: readonly [number, number], shift: number): readonly [number, number] {
  return [Math.min(low, shifted(low, shift)), Math.max(high, shifted(high, shift))];
}

function shifted(percent: number, shift: number): number {
  return toPercent(Math.log1p(percent / 100) + shift);
}

/**
 * By how much ln(variant / control) differs between the two counts of a rate; 0 where that may be noise, or no more than 1 %.
 * Where turns got longer since they hid waits, it is no noise: it was large in the rounds before, and is none in those after.
 */
function certainGap(data: RunData, contrast: Contrast): number {
  const { cell } = contrast;
  const counts = countsOf(cell.load);
  if (counts === null) return 0;
  const { logRatios } = pairOf(data, counts.gap, contrast);
  const gap = mean(logRatios);
  const isCertain = data.hidWaits.has(loadKey(cell.load)) || excludesZero(tInterval(logRatios, ERROR));
  return isCertain && Math.abs(gap) > MOST_GAP ? gap : 0;
}

function countsOf(load: LoadLevel): TwoCounts | null {
  const { secondCount } = traitsOf(load);
  return secondCount === null ? null : twoCounts[secondCount];
}

/** The most that an image takes: a page. Without the page's free space it takes less. */
const PAGE_BYTES = 8192;

/** Images of whole pages in the WAL, for a request. */
const walImages = innerMetric('wal_images', ({ work: { walImages: images } }) =>
  readingOf(images === undefined || images.requests === 0 ? null : images.count / images.requests),
);

/**
 * WAL bytes a request hold images of whole pages. A page has one for its first change after a checkpoint, so that an arm which
 * serves more requests has fewer for each. The interval then holds the change with them and without them, and a verdict that
 * needs them does not stand.
 */
export const pageImages: WithholdingRule =
  (data, { marginPercent }) =>
  ({ metric, contrast }, { interval, verdict }) => {
    const percent = imagesPercent(data, { metric, contrast });
    if (interval === null || percent === 0) return null;
    const both = holdingImages(interval, percent);
    if (wouldStand(verdict, both, marginPercent)) return { interval: both };
    return { interval: both, verdict: 'noise', note: { kind: 'page-images', percent } };
  };

/**
 * Up to how many percent of the control's WAL bytes a change of them may be of images of whole pages. 0 of other metrics, and
 * where images are not counted.
 */
export function imagesPercent(data: RunData, { metric, contrast }: Question): number {
  if (metric.name !== 'wal_bytes_per_request') return 0;
  const { control, cell } = contrast;
  const meanOf = (of: Metric, arms: readonly ArmCell[]): number =>
    mean([...data.series(of, arms, besideOf(data, contrast)).byRound.values()].map(({ value }) => value));
  const moreImages = meanOf(walImages, [cell]) - meanOf(walImages, control);
  const percent = (100 * PAGE_BYTES * moreImages) / meanOf(metric, control);
  return Math.abs(percent) > 0 ? percent : 0;
}

/** The range, in percent, with what it is without so many percent of images. */
export function holdingImages([low, high]: readonly [number, number], percent: number): readonly [number, number] {
  return [low - Math.max(0, percent), high - Math.min(0, percent)];
}
