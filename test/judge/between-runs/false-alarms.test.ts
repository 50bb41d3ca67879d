import { expect, test } from 'vitest';
import { compareChanges } from '../../../src/judge/between-runs/changes.ts';
import { changeKey } from '../../../src/judge/between-runs/session-facts.ts';
import type { ChangeDifference, SessionFacts } from '../../../src/judge/between-runs/types.ts';
import { requestsPerSecond } from '../../../src/judge/read/metrics/metrics.ts';
import { noises, type SessionPlan, simulateSession } from '../../bench/verdicts-session.ts';
import { fixtureJournal } from '../journal-fixture.ts';

const { run } = fixtureJournal({ rounds: 0 });

/** A session that went on until its own stop rule was content, judged as a real one. Seeded: it cannot fail by chance. */
function factsOf(plan: SessionPlan, seed: number): SessionFacts {
  const { cells, rounds } = simulateSession(plan, seed);
  const changes = cells.map(
    ({ finding }): [string, SessionFacts['changes'] extends ReadonlyMap<string, infer V> ? V : never] => {
      const { variant, load, metric, deltaPercent, interval, verdict, evidence } = finding;
      if (evidence === null) throw new Error('no evidence');
      const total = evidence.weights.reduce((sum, weight) => sum + weight, 0);
      const value = evidence.ratios.reduce((sum, ratio, i) => sum + ratio * (evidence.weights[i] ?? 0), 0) / total;
      const { variance, df } = evidence.spread;
      const { name, unit } = metric;
      const comparison = {
        variant,
        load,
        metric: name,
        unit,
        control: 1,
        value: 1,
        deltaPercent,
        interval,
        verdict,
        rounds,
        notes: [],
      };
      return [changeKey(variant, load, name), { comparison, estimate: { value, variance: variance / total, df } }];
    },
  );
  const course = cells[0]?.finding.evidence?.course ?? { rounds, ends: [] };
  return {
    place: String(seed),
    run,
    taken: null,
    rounds,
    course,
    complete: true,
    extended: false,
    unfit: [],
    changes: new Map(changes),
    levels: new Map(),
  };
}

function play(pairs: number, base: SessionPlan, head: SessionPlan): ChangeDifference[][] {
  const common = {
    metrics: [requestsPerSecond],
    variants: Array.from({ length: base.variants }, (_, i) => `v${i + 1}`),
    loads: Array.from({ length: base.loads }, (_, i) => ({ connections: i + 1 })),
    margins: { work: 1, others: 5 },
  };
  return Array.from({ length: pairs }, (_, pair) => {
    const sessions = { base: [factsOf(base, 2 * pair)], head: [factsOf(head, 2 * pair + 1)] };
    return compareChanges(sessions, common).filter(({ metric }) => metric === 'requests_per_s');
  });
}

const isAlarm = ({ verdict }: ChangeDifference): boolean => verdict === 'higher' || verdict === 'lower';
const plan = { noise: noises.typical, variants: 2, loads: 1 };

test('of pairs of sessions with the same changes hardly any differ, though each stopped when it pleased itself', () => {
  const same = { ...plan, effect: (variant: number) => (variant === 0 ? 0.08 : -0.03) };
  const pairs = play(30, same, same);
  // 5 % of 30 are 1.5; more than 5 have a chance of 0.3 %.
  expect(pairs.filter((all) => all.some(isAlarm)).length).toBeLessThanOrEqual(5);
  for (const one of pairs.flat()) {
    const [low, high] = one.interval ?? [Number.NaN, Number.NaN];
    expect(isAlarm(one)).toBe(low > 0 || high < 0);
  }
});

test('+20 % in one and +2 % in the other is found, with its sign, and the other variant is left alone', () => {
  const base = { ...plan, effect: (variant: number) => (variant === 0 ? Math.log(1.2) : 0) };
  const head = { ...plan, effect: (variant: number) => (variant === 0 ? Math.log(1.02) : 0) };
  const pairs = play(8, base, head);
  const found = pairs.map(([first]) => first?.verdict);
  expect(found.filter((verdict) => verdict === 'lower').length).toBeGreaterThanOrEqual(7);
  expect(found).not.toContain('higher');
  expect(pairs.filter(([, second]) => second !== undefined && isAlarm(second)).length).toBeLessThanOrEqual(1);
});
