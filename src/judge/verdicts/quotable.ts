import { differenceInterval, type Evidence, excludesZero, inPercent, sameInterval } from '../stats/interval.ts';
import type { RunProgress } from '../stats/looks.ts';
import { laterLook } from '../stats/rounds-needed.ts';
import type { Judgement } from './judge.ts';

/** How narrow an interval must be before its size is quoted: this many percentage points to either side ... */
const QUOTABLE_POINTS = 2;

/** ... or this share of the change itself: "41 %, give or take 10" says enough. */
const QUOTABLE_SHARE = 0.25;

type Range = readonly [number, number];

/**
 * True where the size of a change may be quoted: half its interval is at most 2 percentage points, or a quarter of the
 * change if that is more. A change without a percentage (no 2xx at all) never becomes narrower, so the run does not
 * wait for it.
 */
export function isQuotable({ interval, deltaPercent }: Pick<Judgement, 'interval' | 'deltaPercent'>): boolean {
  if (interval === null || deltaPercent === null) return true;
  return halfOf(interval) <= mostHalf(deltaPercent);
}

/**
 * How many rounds in all a change needs until it has its verdict and its size may be quoted, if its estimate and its noise
 * stay as they are. Null where no look is late enough. By how much withheld verdicts have widened the interval, stays.
 */
export function roundsToQuote(
  { interval, deltaPercent, verdict, evidence, notes }: Judgement,
  marginPercent: number,
): number | null {
  if (interval === null || deltaPercent === null || evidence === null) return null;
  const wait = notes.find(({ kind }) => kind === 'rounds-needed');
  const toVerdict = wait?.kind === 'rounds-needed' ? wait.rounds : null;
  if (verdict === 'noise' && toVerdict === null) return null;
  const marginLog = Math.log1p(marginPercent / 100);
  const shown = (course: RunProgress): Range | null => shownAt(evidence, { verdict, marginLog }, course);
  const now = shown(evidence.course);
  const wider = now === null ? 0 : Math.max(0, halfOf(interval) - halfOf(now));
  const toSize = laterLook(evidence, (course) => {
    const range = shown(course);
    return range !== null && halfOf(range) + wider <= mostHalf(deltaPercent);
  });
  return toSize === null ? null : Math.max(toSize, toVerdict ?? 0);
}

/** The interval that a change is shown with after some rounds: with `same` its own, and so where noise becomes `same`. */
function shownAt(
  evidence: Evidence,
  { verdict, marginLog }: { readonly verdict: Judgement['verdict']; readonly marginLog: number },
  course: RunProgress,
): Range | null {
  const difference = differenceInterval(evidence, course);
  const becomesSame = verdict === 'same' || (verdict === 'noise' && !excludesZero(difference));
  const range = (becomesSame ? sameInterval(evidence, marginLog, course) : null) ?? difference;
  return range && inPercent(range);
}

function halfOf([low, high]: Range): number {
  return (high - low) / 2;
}

function mostHalf(deltaPercent: number): number {
  return Math.max(QUOTABLE_POINTS, QUOTABLE_SHARE * Math.abs(deltaPercent));
}
