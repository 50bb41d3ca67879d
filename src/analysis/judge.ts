import { isEquivalent } from '../stats/equivalence.ts';
import { hodgesLehmann } from '../stats/hodges-lehmann.ts';
import { ALONE, type Family, interval } from '../stats/interval.ts';
import { looks, MIN_ROUNDS } from '../stats/looks.ts';
import { mean } from '../stats/moments.ts';
import { roundsNeeded } from '../stats/rounds-needed.ts';
import { hasRatios, type Pair, type Paired } from './pairs.ts';

/**
 * `higher`, `lower`: the interval excludes 0. `same`: it lies within the margin. `unclear`: neither (yet).
 * `invalid`: the session was unfit, so nothing is said.
 */
export type Verdict = 'higher' | 'lower' | 'same' | 'unclear' | 'invalid';

/** The rules that a comparison is judged by. */
export interface Rules {
  readonly marginPercent: number;
  /** A quick run gives no verdicts, however many rounds it has. */
  readonly quick: boolean;
}

export interface Judgement {
  /** Percent against the control; null where that means nothing. */
  readonly deltaPercent: number | null;
  /** In percent: low, high. Null where there is no verdict to be had. */
  readonly interval: readonly [number, number] | null;
  readonly verdict: Verdict;
  /** How many rounds had a value for both. */
  readonly rounds: number;
  /** What a reader must know besides; empty if nothing. */
  readonly note: string;
  /** ln(variant / control) of the rounds in which neither is 0, in their order. */
  readonly logRatios: readonly number[];
  readonly family: Family;
}

/**
 * Judges one metric of a variant against its control, from the rounds that have both. `family` says what it may spend
 * and knows besides, being one of several comparisons.
 */
export function judge(paired: Paired, rules: Rules, family: Family = ALONE): Judgement {
  const { pairs, logRatios, tooFew } = paired;
  const common = { rounds: pairs.length, logRatios, family };
  if (tooFew !== null) {
    const note = `n/a: needs ${grouped(tooFew.needed)} samples an arm a round (had ${grouped(tooFew.samples)})`;
    return { ...common, deltaPercent: null, interval: null, verdict: 'unclear', note };
  }
  if (pairs.length === 0) {
    return { ...common, deltaPercent: null, interval: null, verdict: 'unclear', note: 'n/a: not measured' };
  }
  if (!hasRatios(paired)) return { ...common, ...judgeZeros(pairs, rules) };
  return { ...common, ...judgeRatios(logRatios, rules, family) };
}

type Outcome = Omit<Judgement, 'rounds' | 'logRatios' | 'family'>;

/**
 * Where a 0 occurs there is no ratio. Leaving such rounds out would keep only those in which the thing happened, so
 * none is left out, and the means stand alone: a percentage if the control's is not 0, but no interval and no
 * verdict. Only 0 against 0 in every round is judged: nothing happened in either.
 */
function judgeZeros(pairs: readonly Pair[], rules: Rules): Outcome {
  const control = mean(pairs.map((pair) => pair.control));
  const value = mean(pairs.map((pair) => pair.value));
  const none = { interval: null, verdict: 'unclear' } as const;
  if (control === 0 && value === 0) {
    const why = whyNoVerdict(pairs.length, rules);
    const note = why === null ? '0 in every round' : `0 in every round; ${why}`;
    return { deltaPercent: null, interval: null, verdict: why === null ? 'same' : 'unclear', note };
  }
  if (control === 0) return { ...none, deltaPercent: null, note: `n/a (0 -> ${short(value)})` };
  const zeros = pairs.filter(({ logRatio }) => logRatio === null).length;
  const note = `no verdict: 0 in ${zeros} of ${pairs.length} rounds`;
  return { ...none, deltaPercent: 100 * (value / control - 1), note };
}

function judgeRatios(logRatios: readonly number[], rules: Rules, family: Family): Outcome {
  const deltaPercent = toPercent(hodgesLehmann(logRatios));
  const range = interval(logRatios, family);
  const why = whyNoVerdict(logRatios.length, rules);
  if (why !== null || range === null) {
    return { deltaPercent, interval: null, verdict: 'unclear', note: why ?? '' };
  }
  // The margin is one distance of the logarithms, so that variant and control can change places.
  const marginLog = Math.log1p(rules.marginPercent / 100);
  const judged = { deltaPercent, interval: [toPercent(range.low), toPercent(range.high)] as const };
  if (range.low > 0) return { ...judged, verdict: 'higher', note: '' };
  if (range.high < 0) return { ...judged, verdict: 'lower', note: '' };
  if (isEquivalent(range, marginLog)) return { ...judged, verdict: 'same', note: '' };
  const needed = roundsNeeded(logRatios, marginLog, family);
  const note = needed === null ? `would take more than ${looks.at(-1)} rounds` : `would take about ${needed} rounds`;
  return { ...judged, verdict: 'unclear', note };
}

function whyNoVerdict(rounds: number, rules: Rules): string | null {
  if (rules.quick) return 'quick run: no verdicts';
  if (rounds >= MIN_ROUNDS) return null;
  return `no verdict: ${rounds} ${rounds === 1 ? 'round' : 'rounds'}, verdicts need ${MIN_ROUNDS}`;
}

/** A log ratio as a percent change: 100 (e^d - 1). */
export function toPercent(logRatio: number): number {
  return 100 * Math.expm1(logRatio);
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
