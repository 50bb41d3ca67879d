import type { CapacityGuess } from '../../../journal/capacity/capacity-records.ts';
import type { CapacitySpec } from '../../../journal/capacity/capacity-spec.ts';
import { controlSeries, type Series } from '../../read/metrics/series.ts';
import type { CapacityArm } from '../../read/rounds/capacity-points.ts';
import type { RunData } from '../../read/run-data.ts';
import { type Interval, widthsAt } from '../../stats/interval.ts';
import { levelsOf, MIN_ROUNDS, type RunProgress } from '../../stats/looks.ts';
import { mean } from '../../stats/moments.ts';
import { moderated, priorDf, type Spread, spreadOf } from '../../stats/variance.ts';
import { blockOf, familyOf } from '../family.ts';
import { type Judgement, judge, type Rules } from '../judge.ts';
import { pairUp } from '../pairs.ts';
import { type ArmFinding, findCapacity, guessOf } from './arm-capacity.ts';

/** The load that one arm sustains. */
export interface JudgedCapacity extends ArmFinding {
  readonly variant: string;
  readonly repeat: boolean;
  readonly arm: CapacityArm;
  /** The load, the geometric mean over rounds; null but for `supports`. */
  readonly supports: number | null;
  /** Its interval at 95 %; null under 4 rounds. */
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
}

/** The data of a run that capacities are judged from. */
export type CapacityData = Pick<RunData, 'scenario' | 'quick' | 'rounds' | 'course' | 'capacity'>;

/** The load that every arm sustains, and how variants differ in it; null where that was not the question. */
export function judgeCapacities(data: CapacityData): JudgedCapacities | null {
  const spec = data.scenario.load.capacity;
  if (spec === undefined) return null;
  const found = inOrder(data).map((arm) => ({ arm, ...findCapacity(arm, spec) }));
  const spreads = found.map(({ outcome, pseudoValues }) => (outcome === 'supports' ? spreadOf(pseudoValues) : null));
  const arms = found.map((finding, index): JudgedCapacity => {
    const { variant, repeat } = finding.arm;
    const isKnown = finding.outcome === 'supports';
    return {
      ...finding,
      variant,
      repeat,
      supports: isKnown ? Math.exp(finding.about) : null,
      interval: isKnown ? intervalOf(finding, spreads[index] ?? null, spreads, data.course) : null,
    };
  });
  const { control, variants } = data.scenario;
  const both = arms.filter(({ variant }) => variant === control);
  const others = variants.flatMap(({ name }) => arms.filter(({ variant }) => name !== control && variant === name));
  const [first, second] = both;
  const ofControl = first === undefined || second === undefined ? [] : [{ control: [first], arm: second }];
  const changes = compare(data, arms, [...ofControl, ...others.map((arm) => ({ control: both, arm }))]);
  return {
    spec,
    arms,
    changes: changes.slice(ofControl.length),
    repeat: (ofControl.length > 0 && changes[0]) || null,
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
  if (own === null || levels === null || pseudoValues.length < MIN_ROUNDS) return null;
  const known = spreads.flatMap((spread) => spread ?? []);
  const pooled: Spread = { variance: mean(known.map(({ variance }) => variance)), df: own.df };
  const noise = moderated(own, pooled, priorDf([known]));
  const half = widthsAt(levels, noise, pseudoValues.length).difference;
  return { low: Math.exp(about - half), high: Math.exp(about + half) };
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
): CapacityChange[] {
  const { scenario, quick, rounds, course } = data;
  const rules: Rules = { marginPercent: scenario.marginPercent, quick };
  const block = blockOf(new Map(arms.map((arm) => [armName(arm), seriesOf(arm).byRound])));
  const members = questions.map(({ control, arm }) => {
    // The control has two arms: one without a number may well sustain more, or less, than the other.
    const known = control.every(({ outcome }) => outcome === 'supports') ? control : [];
    const paired = pairUp(controlSeries(rounds, known.map(seriesOf)), seriesOf(arm));
    return { paired, block, control: known.map(armName), variant: armName(arm), blocks: [block] };
  });
  const evidence = familyOf(members, course);
  return questions.flatMap(({ control, arm }, index) => {
    const { variant, repeat } = arm;
    const member = members[index];
    if (member === undefined) return [];
    const judgement = judge(member.paired, rules, evidence[index] ?? null);
    return [{ variant, repeat, ...withTurns(judgement, [...control, arm]) }];
  });
}

/** A judgement that is not `same` where the turns of an arm hide waits: its queues were not full, and its limit may be nearer. */
function withTurns(judgement: Judgement, arms: readonly JudgedCapacity[]): Judgement {
  const { interval, verdict, notes } = judgement;
  if (interval === null || arms.every(({ arm }) => arm.hiddenShare === 0)) return judgement;
  return {
    ...judgement,
    verdict: verdict === 'same' ? 'noise' : verdict,
    notes: [...notes, { kind: 'outlast-turns', byTurnsPercent: null }],
  };
}

function armName({ variant, repeat }: JudgedCapacity): string {
  return JSON.stringify([variant, repeat]);
}

/** Only of arms whose capacity is known. */
function seriesOf({ outcome, byRound }: JudgedCapacity): Series {
  const known = outcome === 'supports' ? [...byRound] : [];
  return { byRound: new Map(known.map(([round, log]) => [round, { value: Math.exp(log), log }])), tooFew: null };
}

/** Open questions of a capacity search, and where its next levels should be. */
export interface CapacityDecision {
  /** Comparisons without a verdict, and arms whose interval is wider than the margin to either side. */
  readonly open: number;
  readonly guesses: readonly CapacityGuess[];
}

/** Decides by all rounds so far. */
export function decideCapacity({ spec, arms, changes }: JudgedCapacities, marginPercent: number): CapacityDecision {
  const margin = Math.log1p(marginPercent / 100);
  const isWide = ({ outcome, interval, arm }: JudgedCapacity): boolean =>
    outcome === 'unstable' ||
    // A machine that lets the generator wait may be calmer later.
    (outcome === 'generator' && arm.points.some(({ machineBusy }) => machineBusy)) ||
    (outcome === 'supports' && (interval === null || Math.log(interval.high / interval.low) > 2 * margin));
  const unsettled = changes.filter(({ verdict, logRatios }) => verdict === 'noise' && logRatios.length > 0);
  return {
    open: unsettled.length + arms.filter(isWide).length,
    guesses: arms.map((arm) => guessOf(armName(arm), arm, spec)),
  };
}
