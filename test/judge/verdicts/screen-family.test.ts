import { describe, expect, test } from 'vitest';
import { createRandom, type Random } from '../../../src/base/random.ts';
import { type Metric, metrics, requestsPerSecond } from '../../../src/judge/read/metrics/metrics.ts';
import { controlSeries, type Series } from '../../../src/judge/read/metrics/series.ts';
import { workMetrics } from '../../../src/judge/read/metrics/work-metrics.ts';
import { differenceInterval, differTogether, type Evidence, sameInterval } from '../../../src/judge/stats/interval.ts';
import type { RunProgress } from '../../../src/judge/stats/looks.ts';
import { blockOf, familyOf } from '../../../src/judge/verdicts/family.ts';
import { verdictOf } from '../../../src/judge/verdicts/judge.ts';
import { pairUp } from '../../../src/judge/verdicts/pairs.ts';
import { screenFamily } from '../../../src/judge/verdicts/screen-family.ts';
import { verdictTable } from '../../../src/report/tables/verdict-table.ts';
import { normal } from '../journal-fixture.ts';
import { judged } from '../judged.ts';

const VARIANTS = ['v1', 'v2'];
const CONTROL = ['v0', 'v0#2'];
const LOADS = 1;
const percentiles = metrics.filter(({ name }) => /^latency_p\d/.test(name));

interface Effect {
  readonly metric: string;
  readonly log: number;
}

/** A start that is odd now and then, as in bench:verdicts. */
function start(random: Random, noise: number): number {
  return noise * normal(random) + (random.next() < 0.03 ? 0.1 + 0.1 * random.next() : 0);
}

function seriesOf(random: Random, rounds: number, noise: number, effect = 0): Series {
  const logs = Array.from({ length: rounds }, (_, round) => [round, effect + start(random, noise)] as const);
  return { byRound: new Map(logs.map(([round, log]) => [round, { value: Math.exp(log), log }])), tooFew: null };
}

/** A family of comparisons as a run judges it: each metric under each load level, of every variant. */
function family(random: Random, some: readonly Metric[], course: RunProgress, effects: readonly Effect[]) {
  const isWork = some.every(({ group }) => group === 'work');
  const questions = some.flatMap((metric) =>
    Array.from({ length: LOADS }, (_, load) => {
      const planted = (name: string): number =>
        name === 'v2' && load === 0 ? (effects.find((one) => one.metric === metric.name)?.log ?? 0) : 0;
      const noise = isWork ? 0.015 : 0.04;
      const arms = new Map(
        [...CONTROL, ...VARIANTS].map((arm) => [arm, seriesOf(random, course.rounds, noise, planted(arm))]),
      );
      const block = blockOf(new Map([...arms].map(([arm, { byRound }]) => [arm, byRound])));
      const rounds = Array.from({ length: course.rounds }, (_, round) => round);
      const control = controlSeries(
        rounds,
        CONTROL.flatMap((arm) => arms.get(arm) ?? []),
      );
      return VARIANTS.flatMap((variant) => {
        const own = arms.get(variant);
        return own === undefined ? [] : [{ metric, variant, paired: pairUp(control, own), block, control: CONTROL }];
      });
    }).flat(),
  );
  const members = questions;
  const evidence = familyOf(members, course);
  const rules = isWork
    ? { marginPercent: 1, quick: false, sameFirst: true as const }
    : { marginPercent: 5, quick: false };
  return questions.map(({ metric, variant }, i) => {
    const own = evidence[i] ?? null;
    const [difference, same] = [
      own && differenceInterval(own),
      own && sameInterval(own, Math.log1p(rules.marginPercent / 100)),
    ];
    if (difference === null || same === null) throw new Error('no verdict');
    return { metric, variant, evidence: own, ...verdictOf({ difference, same }, rules) };
  });
}

function playScreen(seed: string, course: RunProgress, effects: readonly Effect[] = []) {
  const random = createRandom(seed);
  const findings = [
    ...percentiles.flatMap((metric) => family(random, [metric], course, effects)),
    ...family(random, workMetrics, course, effects),
  ];
  const differing = findings.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower');
  return { differing, onScreen: screenFamily(findings, [requestsPerSecond]) };
}

describe('the changes beside the judged metric on the first screen', () => {
  const SESSIONS = 200;

  // Two comparisons of each of three percentiles, and of each kind of work: 34 share the error.
  test.each([
    ['after 4 rounds', { rounds: 4, ends: [4] }],
    ['after 8 rounds', { rounds: 8, ends: [8] }],
  ])('are none in 95 of 100 runs without a difference, %s', (_, course) => {
    const screens = Array.from({ length: SESSIONS }, (_, i) => playScreen(`none ${course.rounds} ${i}`, course));
    const wrong = screens.filter(({ onScreen }) => onScreen.size > 0).length;
    const inTables = screens.filter(({ differing }) => differing.length > 0).length;
    expect(wrong).toBeLessThanOrEqual(0.05 * SESSIONS + 2 * Math.sqrt(0.05 * 0.95 * SESSIONS));
    // Families by themselves make more: else there would be nothing to correct.
    expect(inTables).toBeGreaterThan(2 * wrong);
  });

  test('are those that differ beyond doubt, and each that is found leaves its share of the error to the others', () => {
    const course: RunProgress = { rounds: 8, ends: [8] };
    const effects = [
      { metric: 'latency_p95_ms', log: 0.4 },
      { metric: 'statements_per_request', log: -0.3 },
    ];
    for (let i = 0; i < 10; i++) {
      const { onScreen } = playScreen(`found ${i}`, course, effects);
      const shown = [...onScreen].map(({ metric, variant, verdict }) => `${variant} ${metric.name} ${verdict}`);
      expect(shown).toEqual(expect.arrayContaining(['v2 latency_p95_ms higher', 'v2 statements_per_request lower']));
    }
  });

  test('are none of the judged metric, of what repeats it, or of the rates of the database', () => {
    const { comparisons } = judged({ effect: ({ variant }) => (variant === 'pool=50' ? -0.3 : 0) });
    const shown = new Set(comparisons.flatMap(({ metric, onFirstScreen }) => (onFirstScreen ? [metric] : [])));
    expect([...shown]).toEqual(['latency_p50_ms', 'latency_p95_ms', 'latency_p99_ms', 'latency_p99_9_ms']);
  });

  test('that hold by themselves alone are counted below the table', () => {
    const summary = judged({ effect: ({ variant }) => (variant === 'pool=50' ? -0.3 : 0) });
    const without = summary.comparisons.map(({ onFirstScreen: _, ...one }) => one);
    const table = verdictTable({ ...summary, comparisons: without });
    expect(table?.rows.map(([, metric]) => metric?.text)).not.toContain('p50 ms');
    expect(table?.notes).toContain('4 more changes hold only for their metric alone: see the tables.');
    expect(verdictTable(summary)?.notes).toEqual([]);
  });
});

describe('comparisons that share one error', () => {
  /** After 8 rounds whose ratios have a standard deviation of 1. */
  const of = (mean: number): Evidence => ({
    ratios: [-1, 1, -1, 1, -1, 1, -1, 1].map((noise) => mean + noise),
    weights: new Array(8).fill(1),
    spread: { variance: 1, df: 30 },
    course: { rounds: 8, ends: [8] },
    comparisons: 1,
  });
  const half = (comparisons: number): number => {
    const interval = differenceInterval({ ...of(0), comparisons });
    return interval?.high ?? Number.NaN;
  };

  test('differ at the level of all of them; the next at that of those that are left', () => {
    const [clear, next, last] = [of(half(3) + 1e-6), of(half(2) + 1e-6), of(half(1) - 1e-6)];
    expect([...differTogether([next, clear, last], 3)]).toEqual([clear, next]);
    expect([...differTogether([next, last], 3)]).toEqual([]);
  });

  test('may be a thousand: the level of each is small, and known', () => {
    const halves = [1, 10, 100, 1000, 10_000].map(half);
    expect(halves.every((value, i) => i === 0 || value > (halves[i - 1] ?? 0))).toBe(true);
    // Of 10,000 a level of 5e-6 or less, t(30): 5.5 standard errors.
    expect(half(10_000) * Math.sqrt(8)).toBeGreaterThan(5.4);
    expect(half(10_000) * Math.sqrt(8)).toBeLessThan(7);
  });
});
