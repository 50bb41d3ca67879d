import { groupBy } from '../../base/group-by.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { BetweenNote, ComparisonNote, SideCaveat } from '../notes.ts';
import { type Margins, marginOf } from '../read/metrics/margins.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import { type Bounds, boundsAround, type Interval, sameWithin, widthsAt } from '../stats/interval.ts';
import { type Levels, levelsOf, levelsOfOneLook, MIN_SAME_ROUNDS } from '../stats/looks.ts';
import { mean, sum } from '../stats/moments.ts';
import { significantOrNull, significantRange, toPercent } from '../stats/rounding.ts';
import { differenceOfMeans, type Estimate } from '../stats/welch.ts';
import { percentBounds } from '../verdicts/gates.ts';
import { type Verdict, verdictOf } from '../verdicts/judge.ts';
import { changeKey, isUnfitFor } from './session-facts.ts';
import {
  type ChangeDifference,
  type OfSides,
  type SessionChange,
  type SessionEstimate,
  type SessionFacts,
  type Side,
  sides,
} from './types.ts';

/** Metrics that are compared, of variants and load levels that all sessions have. */
export interface Common {
  /** Those of every run, and what only the kind of load of these has. */
  readonly metrics: readonly Metric[];
  /** Without the control. */
  readonly variants: readonly string[];
  readonly loads: readonly LoadLevel[];
  readonly margins: Margins;
}

/**
 * The difference between the sides in the change of each variant against the control. A session's own change is free of
 * machine drift, since its arms took turns. Two of them are independent estimates, each with its own noise. Each metric
 * is its own family, work per request is one together. The chance of any false `higher` or `lower` in a family is up to
 * 5 %.
 */
export function compareChanges(sessions: OfSides<readonly SessionFacts[]>, common: Common): ChangeDifference[] {
  const questions = common.loads.flatMap((load) =>
    common.variants.flatMap((variant) => common.metrics.map((metric) => questionOf(sessions, variant, load, metric))),
  );
  const families = groupBy(questions, ({ metric }) => (metric.group === 'work' ? 'work' : metric.name));
  const judged = new Map(families.flatMap((family) => judgeFamily(sessions, family, common)));
  return questions.flatMap((question) => judged.get(question) ?? []);
}

interface Question {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly metric: Metric;
  readonly found: OfSides<readonly SessionChange[]>;
  /** Null where some session gives no interval, so that there is no difference to be judged. */
  readonly estimates: OfSides<readonly SessionEstimate[]> | null;
}

function questionOf(
  sessions: OfSides<readonly SessionFacts[]>,
  variant: string,
  load: LoadLevel,
  metric: Metric,
): Question {
  const key = changeKey(variant, load, metric.name);
  const foundIn = (side: Side): SessionChange[] => sessions[side].flatMap(({ changes }) => changes.get(key) ?? []);
  const found = { base: foundIn('base'), head: foundIn('head') };
  const estimatesIn = (side: Side): SessionEstimate[] => found[side].flatMap(({ estimate }) => estimate ?? []);
  const estimates = { base: estimatesIn('base'), head: estimatesIn('head') };
  const isWhole = sides.every((side) => estimates[side].length === sessions[side].length);
  return { variant, load, metric, found, estimates: isWhole ? estimates : null };
}

function judgeFamily(
  sessions: OfSides<readonly SessionFacts[]>,
  family: readonly Question[],
  { margins }: Common,
): [Question, ChangeDifference][] {
  const comparisons = family.filter(({ estimates }) => estimates !== null).length;
  const levels = strictest([...sessions.base, ...sessions.head], Math.max(1, comparisons));
  return family.map((question) => {
    const { metric, estimates, found } = question;
    const isWork = metric.group === 'work';
    const rules = { marginPercent: marginOf(metric, margins), ...(isWork && { sameFirst: true as const }) };
    const difference = estimates && differenceBetween(estimates);
    const caveats = caveatsOf(found);
    const isOpen = withholdsSame(caveats) || (!isWork && hasFewRounds(found));
    const judged = difference && levels && judgeDifference(difference, levels, { ...rules, isOpen });
    const notes = [...(judged === null ? [whyNot(sessions, question)] : []), ...caveats];
    return [question, toDifference(question, { difference, judged, notes })];
  });
}

/** The difference of changes between the sides. */
interface DifferenceOfChanges {
  readonly typical: Estimate;
  /** By plain means, where values that were pulled in move some of them; else the typical one. */
  readonly inFull: Estimate;
  /** How far it may be off besides noise. */
  readonly off: Interval;
}

function differenceBetween({ base, head }: OfSides<readonly SessionEstimate[]>): DifferenceOfChanges {
  const inFull = (one: SessionEstimate): Estimate => one.inFull ?? one;
  const off = (side: readonly SessionEstimate[], end: keyof Interval): number =>
    mean(side.map((one) => one.off?.[end] ?? 0));
  return {
    typical: differenceOfMeans(head, base),
    inFull: differenceOfMeans(head.map(inFull), base.map(inFull)),
    off: { low: off(head, 'low') - off(base, 'high'), high: off(head, 'high') - off(base, 'low') },
  };
}

/**
 * Runs that ended by their budget or largest number of rounds are compared at one look. If the end depended on the
 * results (all was settled), estimates are a little further out than their noise says. A run that continues, or was
 * extended, may have been compared before. Then the levels of its looks apply.
 */
function strictest(sessions: readonly SessionFacts[], comparisons: number): Levels | null {
  const all = sessions.map(({ course, complete, extended }) => {
    const looks = levelsOf(course, comparisons);
    const isOneLook = complete && !extended && course.ends.includes(course.rounds);
    return looks && isOneLook ? levelsOfOneLook(comparisons) : looks;
  });
  if (all.includes(null)) return null;
  const known = all.flatMap((levels) => levels ?? []);
  return {
    difference: Math.min(...known.map(({ difference }) => difference)),
    own: Math.min(...known.map(({ own }) => own)),
  };
}

type Judged = ReturnType<typeof verdictOf> & { readonly bounds: Bounds };

/**
 * The verdict on a difference of log ratios at these levels. Null where its noise exceeds all numbers. `isOpen`: it is not
 * `same`, whatever the numbers say.
 */
function judgeDifference(
  { typical, inFull, off }: DifferenceOfChanges,
  levels: Levels,
  { isOpen, ...rules }: Parameters<typeof verdictOf>[1] & { readonly isOpen: boolean },
): Judged | null {
  const around = ({ value, ...noise }: Estimate): Bounds => boundsAround(value, widthsAt(levels, noise, 1));
  const [{ shared, own }, plain] = [around(typical), around(inFull).own];
  // As in a session, what is `same` or passes a gate must hold for the plain mean as well.
  const both = { low: Math.min(own.low, plain.low), high: Math.max(own.high, plain.high) };
  const widened = ({ low, high }: Interval): Interval => ({ low: low + off.low, high: high + off.high });
  const bounds = { shared: widened(shared), own: widened(both) };
  const judged = verdictOf({ difference: bounds.shared, same: isOpen ? null : sameWithin(bounds) }, rules);
  return judged.interval.every(Number.isFinite) ? { ...judged, bounds } : null;
}

/** Notes of a session that keep a difference from being `same`: what is odd, hidden or still moves in one run may be otherwise in another. */
const withholding: ReadonlySet<SideCaveat['kind']> = new Set(['outlast-turns', 'flaky', 'mean-differs', 'still-moves']);

function withholdsSame(caveats: readonly BetweenNote[]): boolean {
  return caveats.some((note) => note.kind === 'caveats' && note.notes.some(({ kind }) => withholding.has(kind)));
}

/** True where all sessions of a side have fewer rounds together than `same` takes. */
function hasFewRounds(found: OfSides<readonly SessionChange[]>): boolean {
  return sides.some((side) => sum(found[side].map(({ comparison }) => comparison.rounds)) < MIN_SAME_ROUNDS);
}

function whyNot(
  { base, head }: OfSides<readonly SessionFacts[]>,
  { load, found }: Pick<Question, 'load' | 'found'>,
): BetweenNote {
  const all = [...base, ...head];
  if (all.some(({ run }) => run.quick)) return { kind: 'quick-session' };
  if (all.some((one) => isUnfitFor(one, load))) return { kind: 'unfit-session' };
  for (const side of sides) {
    const without = found[side].find(({ estimate }) => estimate === null);
    if (without !== undefined) return { kind: 'no-interval', side, notes: without.comparison.notes };
  }
  return { kind: 'not-measured' };
}

/** Caveats of a side: the variant looks better there than it is, or a verdict did not stand. Each kind is listed once. */
function caveatsOf(found: OfSides<readonly SessionChange[]>): BetweenNote[] {
  return sides.flatMap((side): BetweenNote[] => {
    const all = found[side].flatMap(({ comparison }) => comparison.notes.flatMap(caveatIn));
    const notes = groupBy(all, ({ kind }) => kind).flatMap(([first]) => first ?? []);
    return notes.length === 0 ? [] : [{ kind: 'caveats', side, notes }];
  });
}

function caveatIn(note: ComparisonNote): SideCaveat[] {
  switch (note.kind) {
    case 'not-sustained':
    case 'not-kept':
    case 'more-failures':
    case 'more-uncounted-failures':
    case 'lost-documents':
    case 'database-differs':
    case 'control-lost-documents':
    case 'control-database-differs':
    case 'unequal-voiding':
    case 'outlast-turns':
    case 'flaky':
    case 'mean-differs':
    case 'still-moves':
    case 'page-images':
      return [note];
    default:
      return [];
  }
}

function toDifference(
  { variant, load, metric, found }: Question,
  {
    difference,
    judged,
    notes,
  }: {
    readonly difference: DifferenceOfChanges | null;
    readonly judged: Judged | null;
    readonly notes: readonly BetweenNote[];
  },
): ChangeDifference {
  const verdict: Verdict = notes.some(({ kind }) => kind === 'unfit-session') ? 'unfit' : 'noise';
  return {
    variant,
    load,
    metric: metric.name,
    unit: metric.unit,
    deltaPercent: { base: meanChange(found.base), head: meanChange(found.head) },
    own: { base: ownOf(found.base), head: ownOf(found.head) },
    differencePercent: difference ? significantOrNull(toPercent(difference.typical.value)) : roughDifference(found),
    interval: judged && significantRange(judged.interval),
    verdict: judged?.verdict ?? verdict,
    sessions: { base: found.base.length, head: found.head.length },
    bounds: judged && percentBounds(judged.bounds),
    notes,
  };
}

/** The difference of what sessions show, where none of it can be judged. */
function roughDifference(found: OfSides<readonly SessionChange[]>): number | null {
  const [base, head] = [logChange(found.base), logChange(found.head)];
  return base === null || head === null ? null : significantOrNull(toPercent(head - base));
}

function meanChange(found: readonly SessionChange[]): number | null {
  const log = logChange(found);
  return log === null ? null : significantOrNull(toPercent(log));
}

function logChange(found: readonly SessionChange[]): number | null {
  const logs = found.map(({ estimate, comparison: { deltaPercent } }) =>
    deltaPercent === null ? null : (estimate?.value ?? Math.log1p(deltaPercent / 100)),
  );
  const known = logs.flatMap((log) => log ?? []);
  return known.length < found.length || known.length === 0 || !known.every(Number.isFinite) ? null : mean(known);
}

function ownOf(found: readonly SessionChange[]): ChangeDifference['own']['base'] {
  const [only] = found;
  if (only === undefined || found.length > 1) return null;
  const { interval, verdict } = only.comparison;
  return { interval, verdict };
}
