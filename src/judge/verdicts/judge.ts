import type { JudgementNote } from '../notes.ts';
import { judgeOddStarts, type OddSubject, skewedIn } from '../odd-starts.ts';
import {
  differenceInterval,
  type Evidence,
  estimateOf,
  hullOf,
  type Interval,
  inPercent,
  isWithin,
  sameInterval,
} from '../stats/interval.ts';
import { looks, MIN_ROUNDS, MIN_SAME_ROUNDS } from '../stats/looks.ts';
import { mean } from '../stats/moments.ts';
import { significant, toPercent } from '../stats/rounding.ts';
import { roundsNeeded } from '../stats/rounds-needed.ts';
import { hasRatios, type Pair, type Paired } from './pairs.ts';

/**
 * `higher`, `lower`: the interval excludes 0. `same`: it lies within the margin, and holds 0. `noise`: neither (yet).
 * If both apply, work per request is `same`, and a rate `higher` or `lower`. The interval belongs to the verdict:
 * `higher`, `lower` and `noise` share an error of 5 % among a family's comparisons, each `same` has its own 5 %. After
 * few rounds that of `same` may be the wider one: a `noise` that would lie within the margin shows both.
 * `unfit`: the numbers cannot be judged. The session was unfit, a job failed, or a side was faster by losing documents.
 */
export type Verdict = 'higher' | 'lower' | 'same' | 'noise' | 'unfit';

/** True where a verdict would also be that of another interval, in percent. A margin of null: nothing is `same` by it. */
export function wouldStand(
  verdict: Verdict,
  [low, high]: readonly [number, number],
  marginPercent: number | null,
): boolean {
  const logs = { low: Math.log1p(low / 100), high: Math.log1p(high / 100) };
  const isSame = marginPercent !== null && isWithin(logs, marginLogOf({ marginPercent }));
  return { higher: low > 0, lower: high < 0, same: isSame, noise: true, unfit: true }[verdict];
}

/** The rules that a comparison is judged by. */
export interface Rules {
  readonly marginPercent: number;
  /** A quick run gives no verdicts, however many rounds it has. */
  readonly quick: boolean;
  /** True: a change within the margin is `same` even where the interval excludes 0. */
  readonly sameFirst?: true;
  /** The name of odd values: starts or rounds. */
  readonly subject?: OddSubject;
}

export interface Judgement {
  /** Percent against the control; null where that means nothing. */
  readonly deltaPercent: number | null;
  /** In percent: low, high. Null where there is no verdict to be had. */
  readonly interval: readonly [number, number] | null;
  readonly verdict: Verdict;
  /** How many rounds had a value for both. */
  readonly rounds: number;
  readonly notes: readonly JudgementNote[];
  /** ln(variant / control) of the rounds in which neither is 0, in their order. */
  readonly logRatios: readonly number[];
  /** The data behind the verdict; null where there are no ratios. */
  readonly evidence: Evidence | null;
}

/**
 * Judges one metric of a variant against its control, from the rounds that have both. `evidence` are its ratios as the
 * arms around let them be seen, and what it may spend, being one of several comparisons.
 */
export function judge(paired: Paired, rules: Rules, evidence: Evidence | null): Judgement {
  const { pairs, logRatios, tooFew } = paired;
  const common = { rounds: pairs.length, logRatios, evidence };
  if (tooFew !== null) {
    return { ...common, ...withoutPercent({ kind: 'few-samples', needed: tooFew.needed, samples: tooFew.samples }) };
  }
  if (pairs.length === 0) return { ...common, ...withoutPercent({ kind: 'not-measured' }) };
  if (!hasRatios(paired)) return { ...common, ...judgeZeros(pairs, rules) };
  return { ...common, ...judgeRatios(logRatios, rules, evidence) };
}

type Outcome = Omit<Judgement, 'rounds' | 'logRatios' | 'evidence'>;

function withoutPercent(note: JudgementNote): Outcome {
  return { deltaPercent: null, interval: null, verdict: 'noise', notes: [note] };
}

/**
 * Judges rounds in which a 0 occurs, so that there is no ratio. Without these rounds only those would be left in which
 * the thing happened, so none is left out. The means stand alone: a percentage if the control's is not 0, but no
 * interval and no verdict. Only 0 against 0 in every round is judged: nothing happened in either.
 */
function judgeZeros(pairs: readonly Pair[], rules: Rules): Outcome {
  const control = mean(pairs.map((pair) => pair.control));
  const value = mean(pairs.map((pair) => pair.value));
  if (control === 0 && value === 0) {
    const why = whyNoVerdict(pairs.length, rules, fewestForSame(rules));
    const notes: JudgementNote[] = [{ kind: 'both-zero' }, ...why];
    return { deltaPercent: null, interval: null, verdict: why.length === 0 ? 'same' : 'noise', notes };
  }
  if (control === 0) return withoutPercent({ kind: 'from-zero', value: significant(value) });
  const zeros = pairs.filter(({ logRatio }) => logRatio === null).length;
  const deltaPercent = 100 * (value / control - 1);
  const notes = [{ kind: 'zeros', zeros, rounds: pairs.length }] as const;
  return { deltaPercent, interval: null, verdict: 'noise', notes };
}

function judgeRatios(logRatios: readonly number[], rules: Rules, evidence: Evidence | null): Outcome {
  const deltaPercent = toPercent(evidence === null ? mean(logRatios) : estimateOf(evidence));
  const why = whyNoVerdict(logRatios.length, rules);
  const marginLog = marginLogOf(rules);
  const [difference, same] = [evidence && differenceInterval(evidence), evidence && sameInterval(evidence, marginLog)];
  if (why.length > 0 || evidence === null || difference === null) {
    return { deltaPercent, interval: null, verdict: 'noise', notes: why };
  }
  const odd = judgeOddStarts(evidence, { ...rules, marginLog }, verdictOf({ difference, same }, rules).verdict);
  const tooFew = logRatios.length < fewestForSame(rules);
  const judged = verdictOf({ difference, same: odd?.withholdsSame || tooFew ? null : same }, rules);
  const oddNotes = [...(odd === null ? [] : [odd.note]), ...skewedIn(evidence)];
  const { machines, course } = evidence;
  if (machines?.disagree) {
    const note = { kind: 'machines-disagree', machines: machines.machines, p: significant(machines.p) } as const;
    return { deltaPercent, ...judged, notes: [...oddNotes, note] };
  }
  if (judged.verdict !== 'noise' || odd?.note.kind === 'flaky' || course.once) {
    return { deltaPercent, ...judged, notes: oddNotes };
  }
  const rounds = roundsNeeded(odd?.withholdsSame ? odd.plain : evidence, marginLog);
  return { deltaPercent, ...judged, notes: [...oddNotes, { kind: 'rounds-needed', rounds, most: looks.at(-1) ?? 0 }] };
}

/**
 * The verdict that both intervals of a log ratio allow, and the interval shown with it, in percent. `same` is null
 * where it is withheld.
 */
export function verdictOf(
  { difference, same }: { readonly difference: Interval; readonly same: Interval | null },
  rules: Pick<Rules, 'marginPercent' | 'sameFirst'>,
): { readonly verdict: Exclude<Verdict, 'unfit'>; readonly interval: readonly [number, number] } {
  const marginLog = marginLogOf(rules);
  const differs = difference.low > 0 || difference.high < 0;
  if (same !== null && isWithin(same, marginLog) && (rules.sameFirst || !differs))
    return { verdict: 'same', interval: inPercent(same) };
  if (differs) return { verdict: difference.low > 0 ? 'higher' : 'lower', interval: inPercent(difference) };
  // An interval within the margin would contradict `noise`: what keeps it from `same` is a part of it.
  const isContradicting = same !== null && isWithin(difference, marginLog);
  return { verdict: 'noise', interval: inPercent(isContradicting ? hullOf(difference, same) : difference) };
}

/** Fewer rounds than this never give `same`. */
export function fewestForSame({ sameFirst }: Pick<Rules, 'sameFirst'>): number {
  return sameFirst ? MIN_ROUNDS : MIN_SAME_ROUNDS;
}

/** The margin is one distance of the logarithms, so that variant and control can change places. */
function marginLogOf({ marginPercent }: Pick<Rules, 'marginPercent'>): number {
  return Math.log1p(marginPercent / 100);
}

/** Why there can be no verdict yet; empty where there can. */
function whyNoVerdict(rounds: number, rules: Rules, needed = MIN_ROUNDS): JudgementNote[] {
  if (rules.quick) return [{ kind: 'quick' }];
  return rounds >= needed ? [] : [{ kind: 'few-rounds', rounds, needed }];
}
