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
    expect(unknown.recommendation[0]?.notes).toEqual([{ kind: 'none-sustained' }]);
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
