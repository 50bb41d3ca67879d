import type { CapacityGuess } from '../../../journal/capacity/capacity-records.ts';
import type { CapacitySpec } from '../../../journal/capacity/capacity-spec.ts';
import { isWhole } from '../../../journal/load-level.ts';
import { plainIfMoved } from '../../odd-starts.ts';
import { controlSeries, type Series } from '../../read/metrics/series.ts';
import { doubledVariant } from '../../read/other-control.ts';
import type { CapacityArm } from '../../read/rounds/capacity-points.ts';
import type { RunData } from '../../read/run-data.ts';
import { excludesZero, type Interval, inPercent, isWithin, sameInterval, widthsAt } from '../../stats/interval.ts';
import { keptBy, USUALLY_KEPT } from '../../stats/kept.ts';
import { levelsOf, MIN_ROUNDS, MIN_SAME_ROUNDS, type RunProgress } from '../../stats/looks.ts';
import { mean } from '../../stats/moments.ts';
import { moderated, priorDf, type Spread, spreadOf } from '../../stats/variance.ts';
import { blockOf, familyOf } from '../family.ts';
import { type Judgement, judge, type Rules } from '../judge.ts';
import { apartIn } from '../kept-by-arms.ts';
import { pairUp } from '../pairs.ts';
import { without } from '../withholding.ts';
import { type ArmFinding, findCapacity, guessOf, isKnown, mostKnownLoad } from './arm-capacity.ts';

/** The load that one arm sustains. */
export interface JudgedCapacity extends ArmFinding {
  readonly variant: string;
  readonly repeat: boolean;
  readonly arm: CapacityArm;
  /** The load, the geometric mean over rounds; null but for `supports`. */
  readonly supports: number | null;
  /** Its interval at 95 %, which holds what a step hides; null under 4 rounds. */
  readonly interval: Interval | null;
}

/** The capacity of a variant against the control's. */
export interface CapacityChange extends Judgement {
  readonly variant: string;
  /** True for the control's second arm against its first (A/A). */
  readonly repeat: boolean;
}

export interface JudgedCapacities {
  readonly spec: CapacitySpec;
  /** The control first, then its second arm, then the others as in the scenario. */
  readonly arms: readonly JudgedCapacity[];
  /** With A/A one family: the chance of any false `higher` or `lower` among them is up to 5 %. */
  readonly changes: readonly CapacityChange[];
  /** A/A; null where the control runs once. */
  readonly repeat: CapacityChange | null;
  /** By which interval of a log ratio the control's two arms were taken for apart, so that intervals are wider; null where they were not. */
  readonly apart: Interval | null;
}

/** The data of a run that capacities are judged from. */
export type CapacityData = Pick<RunData, 'scenario' | 'quick' | 'rounds' | 'course' | 'capacity'>;

/** The load that every arm sustains, and how variants differ in it; null where that was not the question. */
export function judgeCapacities(data: CapacityData): JudgedCapacities | null {
  const spec = data.scenario.load.capacity;
  if (spec === undefined) return null;
  const levels = levelsOf(data.course, 1);
  const found = inOrder(data).map((arm) => ({ arm, ...findCapacity(arm, spec, levels && levels.difference / 2) }));
  const spreads = found.map(({ outcome, step, pseudoValues }) =>
    outcome === 'supports' && step === null ? spreadOf([...pseudoValues.values()]) : null,
  );
  const arms = found.map((finding, index): JudgedCapacity => {
    const { variant, repeat } = finding.arm;
    const hasNumber = finding.outcome === 'supports';
    const byNoise = hasNumber ? intervalOf(finding, spreads[index] ?? null, spreads, data.course) : null;
    return {
      ...finding,
      variant,
      repeat,
      supports: hasNumber ? Math.exp(finding.about) : null,
      interval: hasNumber ? (finding.step ?? withNear(byNoise, finding)) : null,
    };
  });
  const { control, variants } = data.scenario;
  const own = arms.filter(({ variant }) => variant === control);
  const others = variants.flatMap(({ name }) =>
    arms.filter(({ variant, repeat }) => name !== control && variant === name && !repeat),
  );
  const [first, second] = arms.filter(({ variant }) => variant === doubledVariant(data.scenario));
  const ofTwins = first === undefined || second === undefined ? [] : [{ control: [first], arm: second }];
  const { changes, apart } = compare(data, arms, [...ofTwins, ...others.map((arm) => ({ control: own, arm }))]);
  return {
    spec,
    arms,
    changes: changes.slice(ofTwins.length),
    repeat: (ofTwins.length > 0 && changes[0]) || null,
    apart,
  };
}

function inOrder({ scenario, capacity }: CapacityData): CapacityArm[] {
  const { control, variants } = scenario;
  const names = [control, ...variants.flatMap(({ name }) => (name === control ? [] : [name]))];
  return names.flatMap((name) =>
    [false, true].flatMap((repeat) => capacity.filter((arm) => arm.variant === name && arm.repeat === repeat)),
  );
}

/**
 * Student's interval of the mean over rounds at 95 %, by itself, all looks of the run included. The variance is
 * moderated by the other arms (src/judge/stats/variance.ts). Arms share what the machine does in a round, so all of
 * them together are no surer than one.
 */
function intervalOf(
  { about, pseudoValues }: ArmFinding,
  own: Spread | null,
  spreads: readonly (Spread | null)[],
  course: RunProgress,
): Interval | null {
  const levels = levelsOf(course, 1);
  if (own === null || levels === null || pseudoValues.size < MIN_ROUNDS) return null;
  const known = spreads.flatMap((spread) => spread ?? []);
  const pooled: Spread = { variance: mean(known.map(({ variance }) => variance)), df: own.df };
  const noise = moderated(own, pooled, priorDf([known]));
  const half = widthsAt(levels, noise, pseudoValues.size).difference;
  return { low: Math.exp(about - half), high: Math.exp(about + half) };
}

/** The interval of a curve that does not fit also holds the loads between which the limit probably lies by pass and fail alone. */
function withNear(interval: Interval | null, { near, misfits }: ArmFinding): Interval | null {
  if (interval === null || !misfits || !isKnown(near)) return interval;
  return { low: Math.min(interval.low, near.low), high: Math.max(interval.high, near.high) };
}

interface Question {
  readonly control: readonly JudgedCapacity[];
  readonly arm: JudgedCapacity;
}

/** By the rules of any metric: ln ratios by round, what is odd pulled in, all looks of the run included. */
function compare(
  data: CapacityData,
  arms: readonly JudgedCapacity[],
  questions: readonly Question[],
): { readonly changes: readonly CapacityChange[]; readonly apart: Interval | null } {
  const { scenario, quick, rounds, course } = data;
  const rules: Rules = { marginPercent: scenario.marginPercent, quick };
  const programs = new Map(arms.map((arm) => [armName(arm), arm.variant]));
  const block = blockOf(new Map(arms.map((arm) => [armName(arm), seriesOf(arm).byRound])), { programs });
  const [first, second] = arms.filter(({ variant }) => variant === doubledVariant(scenario)).map(armName);
  const apart = first === undefined || second === undefined ? [] : apartIn(block, first, second);
  const kept = keptBy(USUALLY_KEPT, apart, 0);
  const members = questions.map(({ control, arm }) => {
    // The control has two arms: one without a number may well sustain more, or less, than the other.
    const known = control.every(({ outcome }) => outcome === 'supports') ? control : [];
    const paired = pairUp(controlSeries(rounds, known.map(seriesOf)), seriesOf(arm));
    return { paired, block, control: known.map(armName), variant: armName(arm), kept: arm.repeat ? null : kept.spread };
  });
  const evidence = familyOf(members, course);
  const changes = questions.flatMap(({ control, arm }, index) => {
    const { variant, repeat } = arm;
    const member = members[index];
    if (member === undefined) return [];
    const judgement = judge(member.paired, rules, evidence[index] ?? null);
    const widened = withSteps(judgement, { control, arm }, rules);
    const sides = [...control, arm];
    const isExact = scenario.load.capacity !== undefined && areExact(sides, scenario.load.capacity);
    const judged = withTurns(isExact ? without(widened, { noRounds: true }) : widened, sides);
    return [{ variant, repeat, ...judged }];
  });
  return { changes, apart: kept.apart[0] ?? null };
}

/**
 * How far the limit of an arm may be from where its rounds have it, as a logarithm: they do not see within a step, and
 * the shape of a curve that does not fit is wrong in each of them alike.
 */
function hiddenByStep({ step, near, misfits, about }: JudgedCapacity): number {
  const within = step ?? (misfits && isKnown(near) ? near : null);
  return within === null ? 0 : Math.max(0, Math.log(within.high) - about, about - Math.log(within.low));
}

/**
 * A judgement whose interval also holds what steps hide: it is the same in each round, so rounds do not show it. Where
 * it then holds 0, it is `same` if the interval of `same` lies within the margin with what steps hide.
 */
function withSteps(judgement: Judgement, { control, arm }: Question, { marginPercent }: Rules): Judgement {
  const hidden = hiddenByStep(arm) + mean(control.map(hiddenByStep));
  const { interval, verdict } = judgement;
  if (interval === null || hidden === 0) return judgement;
  const [low = 0, high = 0] = interval.map((percent) => Math.log1p(percent / 100));
  const wide = widenedBy(hidden, { low, high });
  if (verdict !== 'same' && excludesZero(wide)) return { ...judgement, interval: inPercent(wide) };
  const same = sameWithSteps(judgement, hidden, Math.log1p(marginPercent / 100));
  return { ...judgement, interval: inPercent(same ?? wide), verdict: same === null ? 'noise' : 'same' };
}

/** The interval of `same` with what steps hide, where it lies within the margin. Odd rounds may withhold it as without steps. */
function sameWithSteps({ evidence, rounds, notes }: Judgement, hidden: number, marginLog: number): Interval | null {
  const isOdd = notes.some(({ kind }) => kind === 'flaky' || kind === 'mean-differs');
  if (evidence === null || isOdd || rounds < MIN_SAME_ROUNDS) return null;
  const ofMean = plainIfMoved(evidence, marginLog);
  const intervals = [evidence, ...(ofMean === null ? [] : [ofMean])].map((basis) => sameInterval(basis, marginLog));
  const wide = intervals.flatMap((one) => (one === null ? [] : [widenedBy(hidden, one)]));
  const isSame = wide.length === intervals.length && wide.every((one) => isWithin(one, marginLog));
  return (isSame && wide[0]) || null;
}

function widenedBy(hidden: number, { low, high }: Interval): Interval {
  return { low: low - hidden, high: high + hidden };
}

/** True of arms whose step lies between two neighbours of loads that are counted: more rounds tell nothing of it. */
function areExact(arms: readonly ArmFinding[], { of }: CapacitySpec): boolean {
  return arms.every(({ step }) => step !== null && isWhole(of) && step.high - step.low < 1.5);
}

/** Nothing is `same` where the turns of an arm hide waits: its queues were not full, and its limit may be nearer. */
function withTurns(judgement: Judgement, arms: readonly JudgedCapacity[]): Judgement {
  const { interval, verdict } = judgement;
  if (interval === null || arms.every(({ arm }) => arm.hiddenShare === 0)) return judgement;
  const note = { kind: 'outlast-turns', byTurnsPercent: null } as const;
  return without(judgement, { verdict: verdict === 'same' ? 'noise' : verdict, note });
}

function armName({ variant, repeat }: JudgedCapacity): string {
  return JSON.stringify([variant, repeat]);
}

/** Only of arms whose capacity is known. */
function seriesOf({ outcome, pseudoValues }: JudgedCapacity): Series {
  const known = outcome === 'supports' ? [...pseudoValues] : [];
  return { byRound: new Map(known.map(([round, log]) => [round, { value: Math.exp(log), log }])), tooFew: null };
}

/** Open questions of a capacity search, and where its next levels should be. */
export interface CapacityDecision {
  /** Comparisons without a verdict, and arms whose interval is wider than the margin to either side or that have not met a limit yet. */
  readonly open: number;
  readonly guesses: readonly CapacityGuess[];
}

/** Decides by all rounds so far. Both sides of a change have the width of a step, so half of it is wanted. */
export function decideCapacity({ spec, arms, changes }: JudgedCapacities, marginPercent: number): CapacityDecision {
  const margin = Math.log1p(marginPercent / 100);
  const isUnknown = (one: JudgedCapacity): boolean =>
    one.outcome === 'unstable' ||
    // A machine that lets the generator wait may be calmer later.
    (one.outcome === 'generator' && one.arm.points.some(({ machineBusy }) => machineBusy)) ||
    // It kept every limit as far as it went: the next levels are higher. At the last one its slices were too short.
    (one.outcome === 'not-measured' &&
      mostKnownLoad(one.arm.points, spec.until) > 0 &&
      !one.arm.points.some(({ wanted, generatorBusy, load }) => wanted && !generatorBusy && load >= spec.to)) ||
    (one.outcome === 'supports' && !areExact([one], spec) && widthOf(one) > (one.misfits ? margin : 2 * margin));
  const isOpen = ({ variant, verdict, logRatios }: CapacityChange): boolean => {
    const sides = arms.filter((arm) => arm.variant === variant || arm.variant === arms[0]?.variant);
    return verdict === 'noise' && logRatios.length > 0 && !areExact(sides, spec);
  };
  return {
    open: changes.filter(isOpen).length + arms.filter(isUnknown).length,
    guesses: arms.map((arm) => guessOf(armName(arm), arm, spec)),
  };
}

function widthOf({ interval }: JudgedCapacity): number {
  return interval === null ? Number.POSITIVE_INFINITY : Math.log(interval.high / interval.low);
}
