import { describe, expect, it } from 'vitest';
import type { CapacityLimit } from '../../../src/journal/capacity/capacity-spec.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { limitCaveats, openLimits } from '../../../src/judge/verdicts/limits.ts';
import { decideStop } from '../../../src/judge/verdicts/stop-rule.ts';
import { recommendationOf } from '../../../src/report/words/recommendation.ts';
import { type FixtureCell, type FixtureJournal, type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';

const variants = ['pool=10', 'pool=25', 'pool=35', 'pool=50'];
/** CPUs of a service: 25 keeps 1.5 of them, 35 may, 50 does not. */
const cpus: Readonly<Record<string, number>> = { 'pool=10': 0.8, 'pool=25': 1.2, 'pool=35': 1.45, 'pool=50': 2 };
const probes = ({ variant, round }: FixtureCell) => ({
  processes: { service_cpu_cores: (cpus[variant] ?? 0) * (1 + (round % 2 === 0 ? 0.1 : -0.1)) },
});
/** The larger the pool the better. */
const effect = ({ variant }: FixtureCell): number => 0.2 * variants.indexOf(variant);

const withLimits = (keep: readonly CapacityLimit[], own: FixtureOptions = {}): FixtureJournal => {
  const journal = fixtureJournal({ variants, connections: [25], probes, effect, question: 'best', ...own });
  const tune = { factors: [], keep };
  return { ...journal, run: { ...journal.run, scenario: { ...journal.run.scenario, tune } } };
};
const caveats = (keep: readonly CapacityLimit[], variant: string, own: FixtureOptions = {}) =>
  limitCaveats(aggregateRun(withLimits(keep, own)), { variant, load: { connections: 25 }, repeat: false });
const cpu = [{ metric: 'service_cpu', most: 1.5 }];

describe('the limits of a search', () => {
  it('are kept where the bound of the metric is below them, and only then', () => {
    for (const kept of ['pool=10', 'pool=25']) expect(caveats(cpu, kept)).toEqual([]);
    const [open] = caveats(cpu, 'pool=35');
    expect(open).toMatchObject({ kind: 'not-kept', metric: 'service_cpu', most: 1.5 });
    expect(open?.range?.[0]).toBeLessThan(1.45);
    expect(open?.range?.[1]).toBeGreaterThan(1.5);
    expect(caveats(cpu, 'pool=50')[0]?.range?.[0]).toBeGreaterThan(1.5);
  });

  it('have no narrower bound for the control, whose two arms share their rounds', () => {
    const bound = (variant: string, most: number) =>
      caveats([{ metric: 'service_cpu', most }], variant)[0]?.range?.map((end) => end / most);
    const [low = 0, high = 0] = bound('pool=25', 1.23) ?? [];
    expect(high).toBeGreaterThan(1);
    for (const [place, end] of [low, high].entries()) expect(bound('pool=10', 0.82)?.[place]).toBeCloseTo(end, 2);
  });

  it('that nothing measured are not kept', () => {
    expect(caveats([{ metric: 'lag_ms', most: 1 }], 'pool=25')[0]?.range).toBeNull();
    // Of p99 as many answers are needed as in any verdict.
    const few = { requestsPerSecond: 1, rounds: 5 };
    expect(caveats([{ metric: 'p99_ms', most: 1e6 }], 'pool=25', few)[0]?.range).toBeNull();
    expect(caveats([{ metric: 'p99_ms', most: 1e6 }], 'pool=25')).toEqual([]);
    expect(caveats([{ metric: 'p99_ms', most: 1 }], 'pool=25')[0]?.range?.[0]).toBeGreaterThan(1);
  });

  it('of failures are kept by none, and by few', () => {
    const failures = ({ variant }: FixtureCell, requests: number) => ({
      errors:
        variant === 'pool=25' ? Math.round(0.005 * requests) : variant === 'pool=50' ? Math.round(0.05 * requests) : 0,
    });
    const failed = [{ metric: 'failed', most: 0.01 }];
    expect(caveats(failed, 'pool=10', { failures })).toEqual([]);
    expect(caveats(failed, 'pool=25', { failures })).toEqual([]);
    expect(caveats(failed, 'pool=50', { failures })[0]?.range?.[0]).toBeCloseTo(0.05, 2);
  });

  it('of failures are not kept by few requests without one, nor by a round of many failures', () => {
    const range = (most: number, own: FixtureOptions) =>
      caveats([{ metric: 'failed', most }], 'pool=25', { effect: () => 0, rounds: 10, ...own })[0]?.range;
    // 500 requests in all: at 95 % up to 3 of 500 fail.
    const few = { requestsPerSecond: 500 / 10 / 32 };
    expect(range(0.001, few)?.[0]).toBe(0);
    expect(range(0.001, few)?.[1]).toBeGreaterThan(3 / 500);
    expect(range(0.02, few)).toBeUndefined();
    // Nine rounds at 0, and one with half of the requests: Student's bound is 0.14.
    const failures = ({ round }: FixtureCell, requests: number) =>
      round === 7 ? { statuses: { 500: Math.floor(requests / 2) } } : {};
    expect(range(0.01, { failures })?.[0]).toBe(0);
    expect(range(0.01, { failures })?.[1]).toBeGreaterThan(0.3);
    expect(range(0.2, { failures })?.[1]).toBeGreaterThan(0.3);
  });

  it('of failures allow more of them than the control has, up to the limit', () => {
    const failures = ({ variant }: FixtureCell, requests: number) =>
      variant === 'pool=50' ? { statuses: { 500: Math.floor(requests / 200) } } : {};
    const take = (keep: readonly CapacityLimit[]) => {
      const summary = summarize(withLimits(keep, { rounds: 12, failures }));
      const [one] = summary.recommendation;
      return { taken: one?.keep, failing: one?.failing, words: recommendationOf(summary).join() };
    };
    expect(take([{ metric: 'failed', most: 0.01 }])).toMatchObject({ taken: 'pool=50', failing: [] });
    expect(take([{ metric: 'failed', most: 0.001 }])).toMatchObject({ taken: 'pool=35', failing: ['pool=50'] });
    // Who keeps a limit and fails more than the control is not said to break that.
    const cpu = take([{ metric: 'service_cpu', most: 1.3 }]);
    expect(cpu).toMatchObject({ taken: 'pool=25', failing: ['pool=35', 'pool=50'] });
    expect(cpu.words).toContain('service_cpu 1.3 cores not kept for sure by pool=35 and pool=50');
    const both = take([{ metric: 'service_cpu', most: 3 }]);
    expect(both).toMatchObject({ taken: 'pool=35', failing: ['pool=50'] });
    expect(both.words).toContain('more requests fail with pool=50');
    expect(both.words).not.toContain('not kept');
  });

  it('of a percentile are open while it has too few answers, and said to be unknown', () => {
    const p99 = [{ metric: 'p99_ms', most: 1e6 }];
    const of = (perRound: number) =>
      withLimits(p99, { effect: () => 0, rounds: 12, end: null, requestsPerSecond: perRound / 32 });
    const few = of(40);
    expect(openLimits(aggregateRun(few))).toBe(4);
    expect(decideStop(few)).toMatchObject({ stop: false });
    const summary = summarize(few);
    expect(summary.recommendation[0]?.notes).toMatchObject([
      { kind: 'limits-unknown', limits: [{ metric: 'p99_ms', few: { needed: 1000 } }] },
    ]);
    expect(recommendationOf(summary).join()).toMatch(/p99 not known yet, with \d+ of 1,000 answers/);
    // 40 rounds would not bring them either.
    expect(openLimits(aggregateRun(of(16)))).toBe(0);
    expect(recommendationOf(summarize(of(16))).join()).toContain('no recommendation: p99 not known (limit');
  });

  it('keep a setting that may break one from being taken, however good it is', () => {
    const take = (keep: readonly CapacityLimit[]) => {
      const { recommendation, run } = summarize(withLimits(keep, { rounds: 12 }));
      return { taken: recommendation.map((one) => one.keep), failing: recommendation[0]?.failing, keep: run.keep };
    };
    expect(take(cpu)).toEqual({ taken: ['pool=25'], failing: ['pool=35', 'pool=50'], keep: cpu });
    expect(take([{ metric: 'service_cpu', most: 3 }])).toMatchObject({ taken: ['pool=50'], failing: [] });
  });

  it('are kept with the bound that the rule goes by, and no setting stands there that may break one', () => {
    const { kept = [] } = summarize(withLimits(cpu, { rounds: 12 }));
    expect(kept.map(({ variant, metric, most }) => [variant, metric, most])).toEqual([
      ['pool=10', 'service_cpu', 1.5],
      ['pool=25', 'service_cpu', 1.5],
    ]);
    for (const { variant, bound } of kept) {
      expect(bound).toBeGreaterThan(cpus[variant] ?? 0);
      expect(bound).toBeLessThanOrEqual(1.5);
      expect(caveats([{ metric: 'service_cpu', most: bound * 1.001 }], variant, { rounds: 12 })).toEqual([]);
      expect(caveats([{ metric: 'service_cpu', most: bound * 0.999 }], variant, { rounds: 12 })).not.toEqual([]);
    }
    expect(summarize(fixtureJournal({ variants, connections: [25] })).kept).toBeUndefined();
  });

  it('that no setting keeps are named with the one that misses them by least', () => {
    const strict = [
      { metric: 'service_cpu', most: 0.5 },
      { metric: 'failed', most: 0.01 },
    ];
    const summary = summarize(withLimits(strict, { rounds: 12 }));
    const [none] = summary.recommendation;
    expect(none).toMatchObject({
      state: 'none',
      notes: [
        { kind: 'none-sustained', nearest: { variant: 'pool=10', notKept: [{ metric: 'service_cpu', most: 0.5 }] } },
      ],
    });
    expect(recommendationOf(summary)).toEqual([
      expect.stringMatching(
        /no setting keeps all limits; pool=10 comes nearest, with CPU 0\.7\d cores to 0\.8\d cores \(limit 0\.5 cores\)\.$/,
      ),
    ]);
    const unknown = summarize(withLimits([{ metric: 'lag_ms', most: 1 }], { rounds: 12 }));
    expect(unknown.recommendation[0]?.notes).toMatchObject([
      { kind: 'limits-unknown', limits: [{ metric: 'lag_ms' }] },
    ]);
  });

  it('are waited for while rounds may show them, and a setting that breaks one for certain is not', () => {
    const journal = withLimits(cpu, { rounds: 12 });
    expect(openLimits(aggregateRun(journal))).toBe(1);
    expect(decideStop(journal)).toMatchObject({ stop: false, undecided: 1 });
    const clear = withLimits([{ metric: 'service_cpu', most: 1.8 }], { rounds: 12 });
    expect(openLimits(aggregateRun(clear))).toBe(0);
    expect(decideStop(clear).stop).toBe(true);
  });
});
