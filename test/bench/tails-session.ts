import { createRandom, type Random, seedOf } from '../../src/base/random.ts';
import { createLatencyHistogram } from '../../src/journal/histogram.ts';
import type { NamedPercentile } from '../../src/journal/run/percentiles.ts';
import { LatencyCounts } from '../../src/judge/read/cells/latency-counts.ts';
import { RoundLatencies } from '../../src/judge/read/cells/round-latencies.ts';
import { controlSeries, pooledSeries, type Series } from '../../src/judge/read/metrics/series.ts';
import { differenceInterval, type Evidence, type Interval } from '../../src/judge/stats/interval.ts';
import { MIN_ROUNDS, type RunProgress } from '../../src/judge/stats/looks.ts';
import { blockOf, familyOf } from '../../src/judge/verdicts/family.ts';
import { pairUp } from '../../src/judge/verdicts/pairs.ts';
import { normal } from '../judge/journal-fixture.ts';

/** How latencies of one start are spread, in units of its own. */
interface Shape {
  readonly name: string;
  /** `tail`: how many times as many answers as usual are slow in this start. */
  draw(random: Random, tail: number): number;
}

/** This many answers are slow, five times as long. */
function twoKinds(share: number): Shape['draw'] {
  return (random, tail) => (random.next() < share * tail ? 5 : 1) * Math.exp(0.2 * normal(random));
}

export const shapes = [
  { name: 'exponential', draw: (random) => -Math.log(1 - random.next()) },
  { name: 'log-normal', draw: (random) => Math.exp(0.5 * normal(random)) },
  { name: 'bimodal, 10 % slow', draw: twoKinds(0.1) },
  { name: 'bimodal, 5 % slow', draw: twoKinds(0.05) },
  { name: 'bimodal, 1 % slow', draw: twoKinds(0.01) },
  { name: 'heavy tail (Pareto, 1.5)', draw: (random) => (1 - random.next()) ** (-1 / 1.5) },
] as const satisfies readonly [Shape, ...Shape[]];

export interface TailsPlan {
  readonly shape: Shape;
  readonly percent: NamedPercentile;
  readonly rounds: number;
  /** Of each arm in each round. */
  readonly answers: number;
  /** Without the control. */
  readonly variants: number;
  /** Standard deviations of ln(latency) and of ln(share of slow answers) between starts. */
  readonly startSd: number;
  readonly tailSd: number;
  /** The log effect of every variant on all its latencies. */
  readonly effect: number;
  /** Rare stalls: this share of rounds has one, which holds so many answers for 40 times as long or so; without it there are none. */
  readonly stalls?: { readonly share: number; readonly answers: number };
}

interface TailsOutcome {
  /** Whether the interval of the first variant after all rounds, at 95 % by itself and looked at once, holds the effect. */
  readonly held: boolean;
  /** Whether any variant was higher or lower at any look. */
  readonly alarm: boolean;
}

/** Plays a session, judged as a run that looks at its verdicts after every round: real histograms, made up latencies. */
export function simulateTails(plan: TailsPlan, seed: number): TailsOutcome {
  const random = createRandom(seedOf('tails', plan.shape.name, plan.percent, seed));
  const names = ['control', 'control#2', ...Array.from({ length: plan.variants }, (_, i) => `v${i}`)];
  const arms = names.map(() => new RoundLatencies());
  const judged = (course: RunProgress): (Evidence | null)[] => {
    const series = arms.map((arm): Series => pooledSeries(arm.percentile(plan.percent)));
    const block = blockOf(new Map(names.map((name, i) => [name, series[i]?.byRound ?? new Map()])), { inFull: true });
    const control = controlSeries(roundsTo(course.rounds), series.slice(0, 2));
    const members = series.slice(2).map((one, i) => {
      const sides = { control: names.slice(0, 2), variant: names[i + 2] ?? '' };
      return { paired: pairUp(control, one), block, ...sides };
    });
    return familyOf(members, course);
  };
  let alarm = false;
  for (const round of roundsTo(plan.rounds)) {
    arms.forEach((arm, i) => {
      arm.set(round, roundOf(plan, random, i < 2 ? 0 : plan.effect));
    });
    if (round < MIN_ROUNDS || alarm) continue;
    const ends = round === plan.rounds ? [round] : [];
    alarm = judged({ rounds: round, ends }).some((one) => !holds(one, 0));
  }
  const [first = null] = judged({ rounds: plan.rounds, ends: [], once: true });
  return { held: holds(first && { ...first, comparisons: 1 }, plan.effect), alarm };
}

function roundsTo(rounds: number): number[] {
  return Array.from({ length: rounds }, (_, i) => i + 1);
}

/** What has no interval yet is wrong about nothing. */
function holds(evidence: Evidence | null, effect: number): boolean {
  const interval: Interval | null = evidence && differenceInterval(evidence);
  return interval === null || (interval.low <= effect && effect <= interval.high);
}

function roundOf(plan: TailsPlan, random: Random, effect: number): LatencyCounts {
  const { shape, answers, startSd, tailSd, stalls } = plan;
  const scaleUs = 5000 * Math.exp(startSd * normal(random) + effect);
  const tail = Math.exp(tailSd * normal(random));
  const histogram = createLatencyHistogram();
  for (let i = 0; i < answers; i++) histogram.record(scaleUs * shape.draw(random, tail));
  if (stalls !== undefined && random.next() < stalls.share) {
    const factor = 40 * Math.exp(0.5 * normal(random));
    for (let i = 0; i < stalls.answers; i++) histogram.record(factor * scaleUs * (1 + 0.1 * random.next()));
  }
  const counts = new LatencyCounts();
  counts.addRecord(histogram.toRecord());
  return counts;
}
