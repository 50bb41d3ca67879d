import { describe, expect, test } from 'vitest';
import { loadSize } from '../../../src/journal/load-level.ts';
import type { Evidence } from '../../../src/judge/stats/interval.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { parseGate } from '../../../src/judge/verdicts/gate.ts';
import {
  type ChangeResult,
  type GatedChange,
  type GateResult,
  isGateOpen,
  judgeChanges,
} from '../../../src/judge/verdicts/gates.ts';
import { type FixtureOptions, fixtureJournal, unfitOptions } from '../journal-fixture.ts';
import { small } from '../small-run.ts';

/** A change whose two kinds of bounds are the same, unless others are given. */
function change(shared: readonly [number, number] | null, more: Partial<GatedChange> = {}): GatedChange {
  const bounds = shared && { shared, own: shared };
  const common = { variant: 'b', load: { connections: 25 }, metric: 'latency_p99_ms', evidence: null, notes: [] };
  return { ...common, deltaPercent: shared && (shared[0] + shared[1]) / 2, bounds, ...more };
}

function judged(text: string, one: GatedChange, unclear: 'fail' | 'pass' = 'fail'): ChangeResult {
  const [result, ...others] = judgeChanges([one], { gates: [parseGate(text)], unclear, roundMs: 60_000 });
  if (result === undefined || others.length > 0) throw new Error('one gate and one change are one result');
  return result;
}

describe('a gate', () => {
  test.each<[string, readonly [number, number], GateResult['outcome']]>([
    ['p99_ms < +10%', [-3, 9.99], 'pass'],
    ['p99_ms < +10%', [-3, 10], 'unclear'],
    ['p99_ms < +10%', [9.99, 12], 'unclear'],
    ['p99_ms < +10%', [10, 12], 'fail'],
    ['p99_ms <= +10%', [-3, 10], 'pass'],
    ['p99_ms <= +10%', [10, 12], 'unclear'],
    ['p99_ms <= +10%', [10.01, 12], 'fail'],
    ['p99_ms > -5%', [-4.99, 20], 'pass'],
    ['p99_ms > -5%', [-5, 20], 'unclear'],
    ['p99_ms > -5%', [-20, -5], 'fail'],
    ['p99_ms >= -5%', [-5, 20], 'pass'],
    ['p99_ms >= -5%', [-20, -5], 'unclear'],
    ['p99_ms < 0%', [-20, 20], 'unclear'],
    // Without any noise an interval is a point.
    ['p99_ms <= 0%', [0, 0], 'pass'],
    ['p99_ms < 0%', [0, 0], 'fail'],
  ])('%s with %j: %s', (text, interval, outcome) => {
    expect(judged(text, change(interval))).toMatchObject({ outcome, interval, failed: outcome !== 'pass' });
  });

  test('fails by the end that holds for all comparisons, and passes by the one that holds by itself', () => {
    const bounds = { shared: [-8, 12], own: [-5, 9] } as const;
    expect(judged('p99_ms < 10%', change(null, { bounds }))).toMatchObject({ outcome: 'pass', interval: [-8, 9] });
    expect(judged('p99_ms > -6%', change(null, { bounds }))).toMatchObject({ outcome: 'pass', interval: [-5, 12] });
    expect(judged('p99_ms < -6%', change(null, { bounds }))).toMatchObject({ outcome: 'unclear' });
    expect(judged('p99_ms < -8%', change(null, { bounds }))).toMatchObject({ outcome: 'fail' });
    expect(judged('p99_ms > 10%', change(null, { bounds }))).toMatchObject({ outcome: 'unclear' });
  });

  test('that is unclear fails, unless that is allowed', () => {
    expect(judged('p99_ms < 10%', change([5, 15]))).toMatchObject({ outcome: 'unclear', failed: true });
    expect(judged('p99_ms < 10%', change([5, 15]), 'pass')).toMatchObject({ outcome: 'unclear', failed: false });
    expect(judged('p99_ms < 10%', change([11, 15]), 'pass')).toMatchObject({ outcome: 'fail', failed: true });
  });

  test('is unclear without an interval, and says why', () => {
    const notes = [{ kind: 'few-samples', needed: 10_000, samples: 900 }] as const;
    const result = judged('p99_ms < 10%', change(null, { notes }));
    expect(result).toMatchObject({ outcome: 'unclear', interval: null, notes });
    // More rounds of as few samples would not tell.
    expect(isGateOpen(result)).toBe(false);
    expect(
      isGateOpen(judged('p99_ms < 10%', change(null, { notes: [{ kind: 'few-rounds', rounds: 3, needed: 4 }] }))),
    ).toBe(true);
  });

  test('does not pass where more requests failed, and fails all the same', () => {
    const notes = [
      { kind: 'more-failures', failed: 90, requests: 900, controlFailed: 0, controlRequests: 900 },
    ] as const;
    const faster = judged('p99_ms < 10%', change([-20, -10], { notes }));
    expect(faster).toMatchObject({ outcome: 'unclear', failed: true, notes });
    expect(isGateOpen(faster)).toBe(false);
    expect(judged('p99_ms < 10%', change([20, 30], { notes }))).toMatchObject({ outcome: 'fail', notes });
  });

  test('is asked of each variant and load level that it is about, and of nothing else', () => {
    const changes = ['b', 'c'].flatMap((variant) =>
      [1, 25].map((connections) => change([0, 1], { variant, load: { connections } })),
    );
    const asked = (text: string): unknown[] =>
      judgeChanges(changes, { gates: [parseGate(text)], unclear: 'fail', roundMs: null }).map(({ variant, load }) => [
        variant,
        loadSize(load),
      ]);
    expect(asked('p99_ms < 10%')).toEqual([
      ['b', 1],
      ['b', 25],
      ['c', 1],
      ['c', 25],
    ]);
    expect(asked('p99_ms < 10% at 25 of c')).toEqual([['c', 25]]);
    expect(asked('p95_ms < 10%')).toEqual([]);
  });

  test('says how many rounds and minutes it would take to decide it', () => {
    const evidence: Evidence = {
      ratios: [-0.06, -0.05, -0.04, -0.05, -0.03, -0.01],
      weights: [1, 1, 1, 1, 1, 1],
      spread: { variance: 0.02 ** 2, df: 12 },
      course: { rounds: 6, ends: [6] },
      comparisons: 1,
    };
    const result = judged('p99_ms < -1%', change([-7, 0.5], { evidence }));
    const [wait] = result.notes;
    if (wait?.kind !== 'rounds-needed' || wait.rounds === null) throw new Error('no rounds are said');
    expect(wait.rounds).toBeGreaterThan(6);
    expect(result.moreMinutes).toBe(wait.rounds - 6);
    expect(isGateOpen(result)).toBe(true);
    // Where the estimate is just at the limit no number of rounds would do.
    const never = judged(
      'p99_ms < -4%',
      change([-7, 0.5], { evidence: { ...evidence, ratios: [-0.05, -0.031633989], weights: [1, 1] } }),
    );
    expect(never).toMatchObject({ notes: [{ kind: 'rounds-needed', rounds: null }], moreMinutes: null });
  });
});

describe('the gates of a run', () => {
  const gates = (journal: FixtureOptions, ...texts: string[]): readonly GateResult[] => {
    const run = fixtureJournal({ ...small, rounds: 8, ...journal });
    return summarize(run, undefined, { gates: texts.map(parseGate), unclear: 'fail' }).gates;
  };
  const slower: FixtureOptions = { effect: ({ variant }) => (variant === 'b' ? -0.2 : 0) };

  test('are judged by the comparisons that the report shows', () => {
    expect(gates(slower, 'rps > -5%', 'mean_ms < +5%')).toMatchObject([
      { gate: 'rps > -5%', metric: 'requests_per_s', limitPercent: -5, variant: 'b', outcome: 'fail', failed: true },
      { gate: 'mean_ms < +5%', metric: 'latency_mean_ms', outcome: 'fail' },
    ]);
    expect(gates({}, 'rps > -5%', 'mean_ms < +5%')).toMatchObject([{ outcome: 'pass' }, { outcome: 'pass' }]);
    expect(gates({})).toEqual([]);
  });

  test('may be about work per request', () => {
    const perRequest: FixtureOptions['perRequest'] = ({ variant }) => ({ xact_commit: variant === 'b' ? 3 : 1 });
    expect(gates({ perRequest }, 'xact_commit_per_request <= +10%')).toMatchObject([{ outcome: 'fail' }]);
    expect(gates({}, 'xact_commit_per_request <= +10%')).toMatchObject([{ outcome: 'pass' }]);
  });

  test.each<[string, FixtureOptions, string]>([
    ['a quick run', { quick: true }, 'quick'],
    ['few rounds', { rounds: 3 }, 'few-rounds'],
    ['few samples', { rounds: 4 }, 'few-samples'],
    ['an unfit session', unfitOptions, 'unfit'],
  ])('are unclear for %s', (_, journal, kind) => {
    const text = kind === 'few-samples' ? 'p99.9_ms < +10%' : 'rps > -5%';
    const [result] = gates(journal, text);
    expect(result).toMatchObject({ outcome: 'unclear', failed: true, interval: null });
    expect(result?.notes.map((note) => note.kind)).toContain(kind);
  });

  test('do not pass a variant that is as fast but fails', () => {
    const failures: FixtureOptions['failures'] = ({ variant }, requests) =>
      variant === 'b' ? { statuses: { 500: Math.round(requests * 0.02) } } : {};
    expect(gates({ failures }, 'p50_ms < +10%')).toMatchObject([
      { outcome: 'unclear', notes: expect.arrayContaining([expect.objectContaining({ kind: 'more-failures' })]) },
    ]);
  });
});
