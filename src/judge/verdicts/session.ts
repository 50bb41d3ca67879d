import { loadKey } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { SessionNote } from '../notes.ts';
import { hasLost } from '../read/cells/bulk-loads.ts';
import { judgedMetric } from '../read/metrics/judged-metric.ts';
import { type Disturbance, disturbanceOf } from '../read/rounds/disturbance.ts';
import type { RunData } from '../read/run-data.ts';
import { halfWidthOf } from '../stats/interval.ts';
import { mean, median } from '../stats/moments.ts';
import { significant, significantOrNull, toPercent } from '../stats/rounding.ts';
import { isAnswer } from './capacity/arm-capacity.ts';
import type { JudgedCapacities } from './capacity/judge-capacities.ts';
import { tooFewAnswers } from './capacity/too-few-answers.ts';
import type { JudgedComparison } from './compare.ts';
import { armsUnder } from './contrasts.ts';
import type { Judgement } from './judge.ts';
import { voidLevels, withFailures } from './void-levels.ts';

/** The run as a whole: can it be believed, and how small a change could it see? */
export interface Session {
  /** `unfit` where no load level has an answer: then no comparison has a verdict. */
  readonly verdict: 'fit' | 'unfit';
  /** Why it, or a load level of it, is unfit; those of a load level name it. */
  readonly reasons: readonly SessionNote[];
  readonly noiseFloorPercent: number | null;
  readonly minimumDetectablePercent: number | null;
  /** Noise from outside: it widens intervals, and makes no session unfit. */
  readonly disturbance: Disturbance;
  /** The comparisons of 2xx/s that are still open, and the time they would take; null where none is, or there can be no verdicts yet. */
  readonly open: OpenComparisons | null;
}

export interface OpenComparisons {
  readonly comparisons: number;
  /** Those of them that would take more rounds than the last look has. */
  readonly beyond: number;
  /** How many more rounds settle all the others, if estimates and noise stay as they are; null where there are no others. */
  readonly moreRounds: number | null;
  /** The time for this many rounds, each as long as those so far. */
  readonly moreMinutes: number | null;
}

/**
 * Judges the session from its discarded slices and the A/A findings. Unfit means that numbers are wrong, not that the
 * machine was disturbed, nor that the control's two arms stay apart: that makes intervals wider.
 */
export function judgeSession(
  data: RunData,
  comparisons: readonly JudgedComparison[],
  repeats: readonly JudgedComparison[],
  capacities: JudgedCapacities | null = null,
): Session {
  const rounds = data.rounds.length;
  const judged = judgedMetric(data.scenario).name;
  const headline = comparisons.filter(({ metric }) => metric.name === judged);
  const headlineRepeats = repeats.filter(({ metric }) => metric.name === judged);
  const reasons: SessionNote[] = [
    ...(rounds === 0 ? [{ kind: 'no-rounds' } as const] : []),
    ...voidLevels(data).map((note) => withFailures(data, note)),
    ...fewLoaded(data),
    ...(rounds === 0 || data.quick ? [] : noCapacity(data, capacities)),
  ];
  // A search for a capacity may have no load level that all its rounds had.
  const isUnfit = reasons.length > 0 && data.scenario.load.levels.every((load) => isUnfitUnder({ reasons }, load));
  return {
    verdict: isUnfit ? 'unfit' : 'fit',
    reasons,
    noiseFloorPercent: significantOrNull(noiseFloorPercent(headlineRepeats, rounds)),
    minimumDetectablePercent: significantOrNull(data.quick ? null : minimumDetectablePercent(headline)),
    disturbance: disturbanceOf(data.conditions),
    open: !isUnfit ? openOf(data, [...headline, ...(capacities?.changes ?? [])]) : null,
  };
}

function openOf({ rounds, roundMs }: RunData, headline: readonly Judgement[]): OpenComparisons | null {
  const waits = headline.flatMap(({ notes }) => notes.flatMap((note) => (note.kind === 'rounds-needed' ? [note] : [])));
  if (waits.length === 0) return null;
  const known = waits.flatMap((wait) => wait.rounds ?? []);
  const moreRounds = known.length === 0 ? null : Math.max(0, Math.max(...known) - rounds.length);
  const moreMinutes = moreRounds === null || roundMs === null ? null : significant((moreRounds * roundMs) / 60_000);
  return { comparisons: waits.length, beyond: waits.length - known.length, moreRounds, moreMinutes };
}

/** True where nothing can be judged under a load level. */
export function isUnfitUnder({ reasons }: Pick<Session, 'reasons'>, load: LoadLevel): boolean {
  return reasons.some(
    (reason) => !('load' in reason) || reason.load === undefined || loadKey(reason.load) === loadKey(load),
  );
}

/** Load levels under which every arm lost more documents than is allowed. */
function fewLoaded(data: RunData): SessionNote[] {
  const { load: spec } = data.scenario;
  return spec.levels.flatMap((load): SessionNote[] => {
    const own = armsUnder(data, load).flatMap((cell) => data.bulk([cell]) ?? []);
    if (own.length === 0 || !own.every((totals) => hasLost(totals, spec))) return [];
    return [
      {
        kind: 'few-loaded',
        load,
        loaded: own.reduce((sum, { loaded }) => sum + loaded, 0),
        documents: own.reduce((sum, { documents }) => sum + documents, 0),
      },
    ];
  });
}

/** A run that looked for capacities, and has no answer. */
function noCapacity({ scenario }: RunData, capacities: JudgedCapacities | null): SessionNote[] {
  if (capacities === null) return [];
  const unknown = capacities.arms.filter(({ outcome }) => !isAnswer(outcome));
  const ofControl = unknown.filter(({ variant }) => variant === scenario.control);
  const others = capacities.arms.filter(({ variant }) => variant !== scenario.control);
  const isLost = ofControl.length > 0 || (others.length > 0 && others.every(({ outcome }) => !isAnswer(outcome)));
  if (!isLost) return [];
  const lost = ofControl.length > 0 ? ofControl : unknown;
  const unmeasured = lost.filter(({ outcome }) => outcome === 'not-measured').map(({ arm }) => arm);
  // Another reason would stay with longer slices.
  const tooFew =
    unmeasured.length === lost.length ? tooFewAnswers(unmeasured, capacities.spec, scenario.load.sliceMs) : null;
  return [
    {
      kind: 'no-capacity',
      variants: [...new Set(lost.map(({ variant }) => variant))],
      outcomes: [...new Set(lost.map(({ outcome }) => outcome))],
      ...(tooFew && { tooFew }),
    },
  ];
}

/**
 * The noise floor in percent: the median of |ln(second arm / first arm)| of 2xx/s over all rounds and load levels, as a
 * percent change. By this much two starts of the same thing typically differ in one round. Null under 2 rounds.
 */
function noiseFloorPercent(repeats: readonly JudgedComparison[], rounds: number): number | null {
  const distances = repeats.flatMap((finding) => finding.logRatios.map(Math.abs));
  return rounds < 2 || distances.length < 2 ? null : toPercent(median(distances));
}

/**
 * The minimum detectable effect of 2xx/s, in percent: 100 (e^h - 1). h is the expected half-width of the intervals, the
 * root of the mean square over the comparisons. Half of such runs would see an effect of exactly this size. Null where
 * there are no verdicts.
 */
export function minimumDetectablePercent(comparisons: readonly JudgedComparison[]): number | null {
  // What left is known as well as it was then, and not as the run can tell things.
  const measured = comparisons.filter(({ notes }) => !notes.some(({ kind }) => kind === 'left'));
  const halves = measured.flatMap(({ evidence }) => (evidence && halfWidthOf(evidence)) ?? []);
  return halves.length === 0 ? null : toPercent(Math.sqrt(mean(halves.map((half) => half ** 2))));
}
