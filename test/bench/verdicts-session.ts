import { createRandom, type Random, seedOf } from '../../src/base/random.ts';
import type { JournalSoFar } from '../../src/journal/journal.ts';
import { type Left, lastMeasured, nothingLeft } from '../../src/journal/left-records.ts';
import { loadSize } from '../../src/journal/load-level.ts';
import type { JournalRecord, SliceRecord } from '../../src/journal/records.ts';
import { aggregateRun } from '../../src/judge/read/aggregate-run.ts';
import { requestsPerSecond } from '../../src/judge/read/metrics/metrics.ts';
import { withControl } from '../../src/judge/read/other-control.ts';
import { compareVariants, type JudgedComparison } from '../../src/judge/verdicts/compare.ts';
import { decide } from '../../src/judge/verdicts/decision/decide.ts';
import type { Gate } from '../../src/judge/verdicts/gate.ts';
import { type GateResult, gatedChange, gatedFindings, judgeChanges } from '../../src/judge/verdicts/gates.ts';
import { createStopRule } from '../../src/judge/verdicts/stop-rule.ts';
import { fixtureJournal, normal } from '../judge/journal-fixture.ts';
import { type Stalls, stalledTurns, usualStalls } from './verdicts-stalls.ts';

/** What a simulated machine does to measurements. Shares are of the rate: 0.03 is 3 %. */
export interface Noise {
  readonly name: string;
  /** Standard deviation of the log rate between two starts of the same program. */
  readonly betweenStarts: number;
  /** The same of one start between load levels. */
  readonly withinStart: number;
  /** This many starts come out slow, by 10 to 20 %, under every load level. */
  readonly outlierShare: number;
  /** How many times as noisy every third arm is. */
  readonly thirdArm: number;
  /** How many times as much the starts of the first variant scatter as all others'; without it, as much. */
  readonly firstVariant?: number;
  /** Standard deviation of what stays with an arm for the whole session, under each load level by itself; without it nothing does. */
  readonly stays?: number;
  /** A service that stalls at random times; without it none does. */
  readonly stalls?: Stalls;
  /** How far the machine's speed moves from round to round (a random walk) and through a round (a slope). */
  readonly driftBetweenRounds: number;
  readonly driftWithinRound: number;
  /** In this many of the passes a neighbour comes in bursts, which make what is within a start this many times as large. */
  readonly burstShare: number;
  readonly burstFactor: number;
}

const simple = {
  withinStart: 0.01,
  outlierShare: 0.03,
  thirdArm: 1,
  driftBetweenRounds: 0.01,
  driftWithinRound: 0.01,
  burstShare: 0,
  burstFactor: 1,
};

export const noises = {
  quiet: { ...simple, name: 'quiet 2 %', betweenStarts: 0.02 },
  typical: { ...simple, name: 'typical 3 %', betweenStarts: 0.03 },
  rough: { ...simple, name: 'rough 5 %', betweenStarts: 0.05 },
  /**
   * A shared VM in turns, from the recordings that bench:recordings judges (a residue is what rounds and arms leave of
   * ln(rate), 1, 25 and 50 connections). Within a start: half the difference between the residues of even and odd turns,
   * 2.6, 2.7, 2.3 %. Between starts: the root of their covariance, 1.4, 2.2, 0.7 %. Bursts: beside a neighbour that takes
   * a quarter of the machine residues are 7.8, 3.5, 2.5 % in place of 3.0, 3.4, 2.4, so 2.5 times at one of four. Odd
   * starts: one of 20 pairs of starts was off by 18 %, the others scattered by 2.8 %. Drift: the mean of all
   * arms moves by 10, 12, 6 % from round to round; within a round turns leave none to be seen.
   */
  shared: {
    ...simple,
    name: 'shared',
    betweenStarts: 0.015,
    withinStart: 0.027,
    outlierShare: 0.025,
    driftBetweenRounds: 0.1,
    burstShare: 0.25,
    burstFactor: 2.5,
  },
} as const satisfies Record<string, Noise>;

/** A service that stalls: its noise is skewed. */
export const stalling: readonly Noise[] = (['first', 'all'] as const).map((of) => ({
  ...noises.quiet,
  name: of === 'first' ? 'one variant stalls' : 'all stall',
  betweenStarts: 0.005,
  outlierShare: 0,
  stalls: { ...usualStalls, of },
}));

/** What a rule that pools noise over arms must stand besides. */
export const stresses = {
  even: { ...simple, name: '3 %, no outliers', betweenStarts: 0.03, outlierShare: 0 },
  uneven: { ...simple, name: '3 %, every third arm 6 %', betweenStarts: 0.03, outlierShare: 0, thirdArm: 2 },
} as const satisfies Record<string, Noise>;

/** One variant whose starts scatter more than the others'. */
export const noisyArms = [
  { ...simple, name: '2 %, one arm 3 times', betweenStarts: 0.02, outlierShare: 0, firstVariant: 3 },
  { ...simple, name: '1 %, one arm 10 times', betweenStarts: 0.01, outlierShare: 0, firstVariant: 10 },
] as const satisfies readonly Noise[];

/** A part that stays with each arm. */
export const staying: readonly Noise[] = [noises.shared, noises.typical].flatMap((noise) =>
  [0, 0.01, 0.02, 0.04].map((stays) => ({ ...noise, name: `${noise.name}, ${100 * stays} % stays`, stays })),
);

const MAX_ROUNDS = 40;
const REQUESTS_PER_SECOND = 4000;
/** What is within a start comes turn by turn. */
const TURNS = 13;
const WINDOW_MS = 4000;

export interface SessionPlan {
  readonly noise: Noise;
  /** Without the control. */
  readonly variants: number;
  readonly loads: number;
  /** The planted log effect of a cell; both count from 0. */
  readonly effect: (variant: number, load: number) => number;
  /** How far ln(rate) of a variant's start in a round is off besides, under every load level; without it, not at all. */
  readonly start?: (variant: number, round: number) => number;
  /** Variants are a grid of one factor; `best`: the run asks which of its levels to take. Without it they are named. */
  readonly question?: 'best' | 'changes';
  /** False: arms that cannot win are measured to the end. */
  readonly leave?: boolean;
  /** The ended run is judged against this variant, counted from 1, in place of its control. */
  readonly against?: number;
  /** The run goes on until they are decided. */
  readonly gates?: readonly Gate[];
  /** In how many groups, drawn anew in each round, its arms take turns; without it, all with each other. */
  readonly groups?: number;
  /** Its budget ends it after so many rounds; without it, it has 40. */
  readonly budgetRounds?: number;
}

/** How a simulated session ended, judged as a real one. */
export interface SessionOutcome {
  readonly rounds: number;
  /** How many slices there were, against those of as many rounds in which no arm is missing. */
  readonly sliceShare: number;
  /** Of each cell that was not measured to the end the variant, counted from 1. */
  readonly left: readonly number[];
  /** How many load levels were not measured to the end. */
  readonly levelsLeft: number;
  /** In the order of load levels, then variants. */
  readonly cells: readonly { readonly finding: JudgedComparison; readonly effect: number }[];
  /** By load level, which setting to take, counted from 0 with the control; null where that is not decided. */
  readonly taken: readonly (number | null)[];
  /** By load level, the round after which it was first decided, its end included; null where it was not. */
  readonly decidedAfter: readonly (number | null)[];
  /** What the gates say; whether the session is fit is left out of it. */
  readonly gates: readonly GateResult[];
}

/**
 * Runs one session as a real run would: round after round, asking the stop rule at each look, up to 40 rounds. Only the
 * slices are made up; who judges them does not know that.
 */
export function simulateSession(plan: SessionPlan, seed: number): SessionOutcome {
  const variants = Array.from({ length: plan.variants + 1 }, (_, i) => `v${i}`);
  const connections = Array.from({ length: plan.loads }, (_, i) => i + 1);
  const factors = Object.fromEntries(variants.map((name, i) => [name, { size: i }]));
  const { question = 'changes' } = plan;
  const grid = plan.question && { factors };
  const fixture = fixtureJournal({ variants, control: 'v0', connections, rounds: 0, ...grid, question });
  const { run } = fixture;
  const records: JournalRecord[] = [];
  const journal: JournalSoFar = { run, records };
  const { gates = [] } = plan;
  const random = createRandom(seedOf('verdicts', plan.noise.name, seed));
  const rule = createStopRule(run, { gates });
  const { stays = 0 } = plan.noise;
  const kept =
    stays === 0
      ? []
      : Array.from({ length: plan.variants + 2 }, () =>
          Array.from({ length: plan.loads }, () => stays * normal(random)),
        );
  let isAnswered = false;
  let level = 0;
  let rounds = 0;
  let slices = 0;
  let left = nothingLeft;
  let before = left;
  const { budgetRounds = MAX_ROUNDS } = plan;
  const firstDecided = new Map<number, number>();
  while (rounds < budgetRounds) {
    rounds++;
    level += plan.noise.driftBetweenRounds * normal(random);
    const added = simulatedRound(plan, random, { round: rounds, level, left, kept });
    if (left !== before) added.unshift({ type: 'left', round: rounds - 1, ...left });
    before = left;
    records.push(...added);
    slices += added.filter(({ type }) => type === 'slice').length;
    const decision = rule.after(added);
    for (const { load } of decision.found.decided)
      if (!firstDecided.has(loadSize(load))) firstDecided.set(loadSize(load), rounds);
    isAnswered = decision.stop;
    if (isAnswered) break;
    if (plan.leave !== false) left = decision.left ?? left;
  }
  records.push({
    type: 'end',
    at: '',
    reason: isAnswered ? 'verdicts' : plan.budgetRounds === undefined ? 'rounds' : 'budget',
  });
  const { against = 0 } = plan;
  const data = aggregateRun(withControl(journal, `v${against}`));
  const findings = compareVariants(data, requestsPerSecond);
  const effectOf = (variant: number, load: number): number => (variant === 0 ? 0 : plan.effect(variant - 1, load));
  const cells = findings.map((finding) => {
    const [variant, load] = [variants.indexOf(finding.variant), loadSize(finding.load) - 1];
    return { finding, effect: effectOf(variant, load) - effectOf(against, load) };
  });
  const changes = gatedFindings(data, gates).map((finding) => gatedChange(data, finding, false));
  const taken = (question === 'best' ? decide(data, requestsPerSecond, findings) : []).map(({ answer }) =>
    answer.state === 'decided' ? variants.indexOf(answer.tested.setting.variant) : null,
  );
  const decided = judgeChanges(changes, { gates, unclear: 'fail', roundMs: null });
  const sliceShare = slices / (rounds * plan.loads * (plan.variants + 2 * (plan.groups ?? 1)));
  return {
    rounds,
    sliceShare,
    left: data.left.cells.map(({ variant }) => variants.indexOf(variant)),
    levelsLeft: data.left.levels.length,
    cells,
    taken,
    decidedAfter: taken.map((place, load) => firstDecided.get(load + 1) ?? (place === null ? null : rounds)),
    gates: decided,
  };
}

/** Where a session is. */
interface SimulatedPlace {
  readonly round: number;
  /** How far ln(rate) of all arms is off. */
  readonly level: number;
  readonly left?: Left;
  /** What stays with each arm under each load level, as a logarithm; nothing of those that it lacks. */
  readonly kept?: readonly (readonly number[])[];
}

/** The slices of a round, and its end. Arms that left give their time to the others, whose slices are then longer. */
export function simulatedRound(
  plan: SessionPlan,
  random: Random,
  { round, level, left = nothingLeft, kept = [] }: SimulatedPlace,
): JournalRecord[] {
  const { noise } = plan;
  const isLeft = (variant: number, load: number): boolean =>
    Number.isFinite(lastMeasured(left, `v${variant}`, { connections: load + 1 }));
  const slope = noise.driftWithinRound * normal(random);
  const started = (arm: number) => ({
    arm,
    // The last arm is the control's second one.
    variant: arm > plan.variants ? 0 : arm,
    repeat: arm > plan.variants,
    start: noise.betweenStarts * scatterOf(noise, arm) * normal(random) + outlier(plan, random),
  });
  const groups = drawnGroups(plan, random);
  // Each group has the control's two arms as processes of its own, and its own time with its own neighbours.
  const passes = groups.map((others) => ({
    within: Array.from(
      { length: plan.loads },
      () => noise.withinStart * (noise.burstShare > random.next() ? noise.burstFactor : 1),
    ),
    arms: [0, ...others, plan.variants + 1].map(started),
    moved: groups.length > 1 ? noise.driftWithinRound * normal(random) : 0,
  }));
  const arms = passes.flatMap((pass, group) =>
    pass.arms.map((arm) => ({ ...arm, ...pass, group: groups.length > 1 ? group : undefined })),
  );
  const cells = arms.flatMap((arm) =>
    Array.from({ length: plan.loads }, (_, load) => ({ ...arm, load, stays: kept[arm.arm]?.[load] ?? 0 })),
  );
  const shareAt = (load: number): number => arms.filter(({ variant }) => !isLeft(variant, load)).length / arms.length;
  const slices = random.shuffle(cells).flatMap((cell, slice) => {
    const { arm, variant, repeat, start, load, stays, group, within, moved } = cell;
    const planted = variant === 0 ? 0 : plan.effect(variant - 1, load) + (plan.start?.(variant - 1, round) ?? 0);
    const drift = level + moved + (slope * slice) / cells.length;
    const share = shareAt(load);
    const rate = REQUESTS_PER_SECOND * Math.exp(planted + start + stays + drift);
    const noisy = Array.from({ length: TURNS }, () => Math.sqrt(TURNS * share) * (within[load] ?? 0) * normal(random));
    const working = workingIn(plan, random, arm);
    const turns = noisy.map((off, turn) => off + Math.log(working[turn] ?? 1));
    // The same numbers are drawn whoever left.
    if (isLeft(variant, load)) return [];
    return sliceRecord({ round, slice, group, variant: `v${variant}`, repeat, connections: load + 1, rate, turns });
  });
  const phases = { bootMs: 0, warmupMs: 0, sliceMs: 0, waitMs: 0, stopMs: 0 };
  return [...slices, { type: 'round', round, startedAt: '', durationMs: 0, phases }];
}

/** The variants that take turns with each other and with the control, as a run of so many would draw them. */
function drawnGroups({ variants, groups = 1 }: SessionPlan, random: Random): number[][] {
  const all = Array.from({ length: variants }, (_, i) => i + 1);
  if (groups === 1) return [all];
  const shuffled = random.shuffle(all);
  return Array.from({ length: groups }, (_, group) => shuffled.filter((_, place) => place % groups === group));
}

/** By turn of an arm, how much of it is without a stall. Nothing where it has none. */
function workingIn({ noise: { stalls }, variants }: SessionPlan, random: Random, arm: number): number[] {
  if (stalls === undefined || (stalls.of === 'first' && arm !== 1)) return [];
  return stalledTurns(random, stalls, { turns: TURNS, turnMs: WINDOW_MS / TURNS, arms: variants + 2 });
}

function scatterOf({ thirdArm, firstVariant = 1 }: Noise, arm: number): number {
  return (arm % 3 === 2 ? thirdArm : 1) * (arm === 1 ? firstVariant : 1);
}

function outlier({ noise }: SessionPlan, random: Random): number {
  return random.next() < noise.outlierShare ? Math.log1p(-0.1 - 0.1 * random.next()) : 0;
}

interface SliceFacts {
  readonly round: number;
  readonly slice: number;
  readonly group: number | undefined;
  readonly variant: string;
  readonly repeat: boolean;
  readonly connections: number;
  readonly rate: number;
  /** How far each turn's ln(rate) is off. */
  readonly turns: readonly number[];
}

/** A slice whose requests alone are true to life: no latency is asked for. */
function sliceRecord({ round, slice, group, variant, repeat, connections, rate, turns }: SliceFacts): SliceRecord {
  const windowMs = WINDOW_MS;
  const turnMs = windowMs / turns.length;
  const ok = turns.map((off) => (rate * Math.exp(off) * turnMs) / 1000);
  const outcomes = { statuses: { 200: Math.round(ok.reduce((sum, count) => sum + count, 0)) }, errors: 0, timeouts: 0 };
  return {
    type: 'slice',
    round,
    slice,
    pass: 0,
    ...(group !== undefined && { group }),
    arm: repeat ? `${variant}#2` : variant,
    variant,
    repeat,
    load: { connections },
    startedAt: '',
    loadMs: windowMs,
    windowMs,
    turns: { turnMs, ok, okByTime: ok, gapMaxMs: 0 },
    outcomes,
    bytes: 0,
    latency: { count: 0, meanUs: 0, p50Us: 0, p95Us: 0, p99Us: 0, maxUs: 0, histogram: '' },
    byRequest: {},
    whole: outcomes,
    generator: { eventLoopUtilisation: 0.2, cpuMs: 0 },
  };
}
