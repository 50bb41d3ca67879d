import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../src/journal/records.ts';
import { compareRuns } from '../../../src/judge/between-runs/compare-runs.ts';
import { sessionFacts } from '../../../src/judge/between-runs/session-facts.ts';
import type {
  ChangeDifference,
  LevelDifference,
  RunsComparison,
  SessionFacts,
} from '../../../src/judge/between-runs/types.ts';
import { comparisonMarkdown } from '../../../src/report/between-runs/formats.ts';
import { unfitOptions } from '../journal-fixture.ts';
import { effects, session, sessionJournal } from './sessions.ts';

const compare = (base: SessionFacts[], head: SessionFacts[], plannedSessions: number | null = null): RunsComparison =>
  compareRuns({ base, head }, { plannedSessions });

function changeOf({ changes }: RunsComparison, metric = 'requests_per_s'): ChangeDifference {
  const found = changes.find((one) => one.metric === metric);
  if (found === undefined) throw new Error(`no change of ${metric}`);
  return found;
}

function levelOf({ levels }: RunsComparison, variant = 'a', metric = 'requests_per_s'): LevelDifference {
  const found = levels.find((one) => one.metric === metric && one.variant === variant);
  if (found === undefined) throw new Error(`no level of ${metric}`);
  return found;
}

describe('two sessions of the same scenario, an hour apart', () => {
  // The machine is 12 % slower in the second, as it is on a shared host.
  const slower = session('today', { hour: 1, effect: effects({ b: 0.05, machine: -0.12 }) });
  const compared = compare([session('yesterday', { effect: effects({ b: 0.05 }) })], [slower]);

  it('give no verdict on levels', () => {
    expect(compared.levels.length).toBeGreaterThan(40);
    for (const { interval, verdict, rounds } of compared.levels)
      expect([interval, verdict, rounds]).toEqual([null, 'noise', 0]);
    const level = levelOf(compared);
    expect(level.deltaPercent).toBeLessThan(-8);
    expect(level.notes).toEqual([{ kind: 'different-sessions', sessions: 1, needed: 4 }]);
  });

  it('give verdicts on how changes differ, which the machine is not in', () => {
    const change = changeOf(compared);
    expect(['same', 'noise']).toContain(change.verdict);
    expect(change.interval?.[0]).toBeLessThan(0);
    expect(change.interval?.[1]).toBeGreaterThan(0);
    expect(change.deltaPercent.base).toBeCloseTo(change.deltaPercent.head ?? 0, -1);
  });

  it('differ in nothing that is recorded', () => {
    expect(compared.differences).toEqual([]);
    // The sample service cannot be had in two folders.
    expect(compared.settling).toEqual({ kind: 'in-turn', area: null, needed: 4 });
    expect(compared.only).toEqual({ base: { variants: [], loads: [] }, head: { variants: [], loads: [] } });
  });
});

describe('a change that is not the same', () => {
  const base = session('eight', { effect: effects({ b: Math.log(1.08) }) });
  const head = session('two', { hour: 1, effect: effects({ b: Math.log(1.02), machine: 0.2 }) });

  it('is seen: +8 % in base, +2 % in head', () => {
    const change = changeOf(compare([base], [head]));
    expect(change.verdict).toBe('lower');
    // 100 (1.02 / 1.08 - 1)
    expect(change.differencePercent).toBeGreaterThan(-8);
    expect(change.differencePercent).toBeLessThan(-3.5);
    expect(change.own.base?.verdict).toBe('higher');
    expect(changeOf(compare([head], [base])).verdict).toBe('higher');
  });

  it('is that of the two estimates, with the noise of both', () => {
    const { interval, differencePercent } = changeOf(compare([base], [head]));
    const half = (change: ChangeDifference['own']['base']): number => {
      const [low, high] = change?.interval ?? [Number.NaN, Number.NaN];
      return (Math.log1p(high / 100) - Math.log1p(low / 100)) / 2;
    };
    const { own } = changeOf(compare([base], [head]));
    const both = Math.hypot(half(own.base), half(own.head));
    expect(half({ interval: interval ?? null, verdict: 'lower' })).toBeGreaterThan(0.8 * both);
    expect(half({ interval: interval ?? null, verdict: 'lower' })).toBeLessThan(both);
    expect(differencePercent).not.toBeNull();
  });

  it('is told of no session that is quick, unfit or too short', () => {
    const quick = changeOf(compare([base], [session('quick', { quick: true })]));
    expect([quick.verdict, quick.interval, quick.notes]).toEqual(['noise', null, [{ kind: 'quick-session' }]]);
    const unequal = session('unfit', unfitOptions);
    const unfit = changeOf(compare([base], [unequal]));
    expect([unfit.verdict, unfit.interval, unfit.notes]).toEqual(['unfit', null, [{ kind: 'unfit-session' }]]);
    expect(levelOf(compare([base], [unequal])).verdict).toBe('unfit');
    const short = changeOf(compare([base], [session('short', { rounds: 3 })]));
    expect([short.verdict, short.interval]).toEqual(['noise', null]);
    expect(short.notes).toEqual([
      { kind: 'no-interval', side: 'head', notes: [{ kind: 'few-rounds', rounds: 3, needed: 4 }] },
    ]);
    expect(short.differencePercent).not.toBeNull();
  });

  it('of work per request is known closely, and is the same within 1 %', () => {
    const compared = compare([base], [head]);
    expect(changeOf(compared, 'tup_inserted_per_request').verdict).toBe('same');
    const text = comparisonMarkdown(compared, { metric: 'tup_inserted_per_request', gates: [] });
    expect(text).toContain('the change is the same in both within ±1 %');
    expect(text).toContain('same: within ±5 %, work per request within ±1 %.');
  });

  it('is not the same where turns hid waits in one of them', () => {
    const metric = 'tup_inserted_per_request';
    const note = { kind: 'outlast-turns', byTurnsPercent: null } as const;
    const changes = [...head.changes].map(([key, change]) => {
      const { comparison } = change;
      return [key, { ...change, comparison: { ...comparison, notes: [...comparison.notes, note] } }] as const;
    });
    const change = changeOf(compare([base], [{ ...head, changes: new Map(changes) }]), metric);
    expect(change.verdict).toBe('noise');
    // So that no gate passes by it.
    expect(change.notes).toEqual([{ kind: 'caveats', side: 'head', notes: [note] }]);
  });
});

describe('four sessions a side', () => {
  const day = (order: string, machine: (hour: number) => number, head = 0): Record<'base' | 'head', SessionFacts[]> => {
    const all = [...order].map((letter, hour) => ({
      letter,
      facts: session(`${order}${hour}`, {
        hour,
        effect: effects({ machine: machine(hour) + (letter === 'B' ? head : 0) }),
      }),
    }));
    const of = (letter: string): SessionFacts[] => all.flatMap((one) => (one.letter === letter ? [one.facts] : []));
    return { base: of('A'), head: of('B') };
  };
  const drift = (hour: number): number => -0.005 * hour;

  it('taken in turn have levels with verdicts, the session counted once', () => {
    const { base, head } = day('ABBAABBA', drift, -0.15);
    const level = levelOf(compare(base, head, 4));
    expect(level).toMatchObject({ verdict: 'lower', rounds: 4, notes: [] });
    expect(level.deltaPercent).toBeGreaterThan(-16);
    expect(level.deltaPercent).toBeLessThan(-11);
    // Who has not said how many there would be may have looked after each.
    const unplanned = levelOf(compare(base, head));
    const width = ({ interval }: LevelDifference): number => (interval?.[1] ?? 0) - (interval?.[0] ?? 0);
    expect(width(unplanned)).toBeGreaterThan(1.5 * width(level));
  });

  it('have none where all of one side came first', () => {
    const { base, head } = day('AAAABBBB', drift, -0.15);
    const compared = compare(base, head, 4);
    expect(levelOf(compared)).toMatchObject({ verdict: 'noise', interval: null, notes: [{ kind: 'not-in-turn' }] });
    expect(compared.order).toMatchObject({ kind: 'not-in-turn' });
  });

  it.each([
    ['ABABABAB', { side: 'base', pairs: 4, among: 4 }],
    ['BABABABA', { side: 'head', pairs: 4, among: 4 }],
    ['ABABABABBAAB', { side: 'base', pairs: 5, among: 6 }],
  ])('have none in the order %s, where drift looks like a change', (order, first) => {
    const { base, head } = day(order, drift);
    const compared = compare(base, head, base.length);
    const note = { kind: 'one-side-first', ...first };
    expect(levelOf(compared)).toMatchObject({ verdict: 'noise', interval: null, bounds: null, notes: [note] });
    const text = comparisonMarkdown(compared, { metric: 'requests_per_s', gates: [] });
    expect(text).toContain(`no verdict: ${first.side} ran first in ${first.pairs} of ${first.among} pairs of sessions`);
    expect(text).toContain('Run base head head base, and again.');
  });

  it('have none where they were taken at once', () => {
    const at = (names: string[]): SessionFacts[] => names.map((name) => session(name));
    const compared = compare(at(['a1', 'a2', 'a3', 'a4']), at(['b1', 'b2', 'b3', 'b4']));
    expect(compared.order.kind).toBe('overlapping');
    expect(levelOf(compared).interval).toBeNull();
  });

  it('are judged without one that is unfit, as long as each side has others', () => {
    const { base, head } = day('ABAB', drift, -0.15);
    const unfit = session('broken', { hour: 9, ...unfitOptions });
    const compared = compare([...base, unfit], head);
    expect(compared.leftOut.map(({ place }) => place)).toEqual(['broken']);
    expect(compared.sessions.base).toEqual(base);
    expect(changeOf(compared).interval).not.toBeNull();
  });

  it('have changes with the noise of all, and with what sessions scatter by', () => {
    const make = (side: string, changes: readonly number[]): SessionFacts[] =>
      changes.map((b, i) => session(`${side}${i}`, { hour: 2 * i + (side === 'A' ? 0 : 1), effect: effects({ b }) }));
    const alike = changeOf(compare(make('A', [0.08, 0.08, 0.08, 0.08]), make('B', [0.02, 0.02, 0.02, 0.02])));
    expect(alike).toMatchObject({ verdict: 'lower', sessions: { base: 4, head: 4 }, own: { base: null, head: null } });
    const width = ({ interval }: ChangeDifference): number => (interval?.[1] ?? 0) - (interval?.[0] ?? 0);
    const one = changeOf(compare(make('A', [0.08]), make('B', [0.02])));
    expect(width(alike)).toBeLessThan(0.7 * width(one));
    // A change that is another one in each session is not known by its mean of four.
    const unlike = changeOf(compare(make('A', [0.3, -0.1, 0.2, -0.08]), make('B', [0.1, -0.2, 0.2, -0.02])));
    expect(unlike.verdict).toBe('noise');
    expect(width(unlike)).toBeGreaterThan(5 * width(alike));
  });
});

describe('runs of a number of requests', () => {
  const ofCount = (run: RunRecord): RunRecord => ({
    ...run,
    scenario: { ...run.scenario, load: { ...run.scenario.load, bounded: { count: 900, limitMs: 60_000 } } },
  });
  /** A session of slices that take about this long. */
  const timed = (name: string, hour: number, timeMs: number): SessionFacts => {
    const { run, records } = sessionJournal(name, { hour, rounds: 8, changed: ofCount });
    const durationMs = (round: number): number => timeMs * (1 + 0.001 * ((round + hour) % 3));
    return sessionFacts(name, {
      run,
      records: [...records].map((record) =>
        record.type === 'slice'
          ? { ...record, bounded: { wanted: 900, durationMs: durationMs(record.round) } }
          : record,
      ),
    });
  };

  it('are compared by their time, in levels and in changes', () => {
    const compared = compare(
      [0, 3, 4, 7].map((hour) => timed(`base ${hour}`, hour, 10_000)),
      [1, 2, 5, 6].map((hour) => timed(`head ${hour}`, hour, 20_000)),
    );
    const level = levelOf(compared, 'b', 'duration_ms');
    expect(level).toMatchObject({ unit: 'ms', verdict: 'higher', rounds: 4 });
    expect(level.deltaPercent).toBeCloseTo(100, 0);
    expect(changeOf(compared, 'duration_ms')).toMatchObject({ verdict: 'same' });
    const text = comparisonMarkdown(compared, { metric: 'duration_ms', gates: [] });
    expect(text).toContain('25 connections: time, ms');
    expect(text).toContain('the change is the same in both');
  });

  it('have no longest wait, and others no time', () => {
    const compared = compare([timed('base', 0, 1000)], [timed('head', 1, 1000)]);
    const metrics = (of: RunsComparison): string[] => of.levels.map(({ metric }) => metric);
    expect(metrics(compared)).not.toContain('longest_wait_ms');
    expect(metrics(compare([session('one')], [session('two', { hour: 1 })]))).not.toContain('duration_ms');
    expect(comparisonMarkdown(compared, { metric: 'longest_wait_ms', gates: [] })).toContain('n/a');
  });
});

describe('what cannot be compared', () => {
  const base = session('base');
  it.each<[string, SessionFacts, string]>([
    ['the same run', { ...base, place: 'copy' }, 'base and copy are the same run'],
    [
      'no variant in common',
      session('other', { variants: ['c', 'd'], control: 'c' }),
      'no variant is in all of these runs',
    ],
    ['no load level in common', session('loads', { connections: [7] }), 'no load level is in all of these runs'],
    [
      'runs that look for capacities',
      session('capacity', {
        changed: (run) => {
          const capacity = { of: 'connections', from: 1, to: 9, until: [{ metric: 'p95_ms', most: 50 }] } as const;
          return { ...run, scenario: { ...run.scenario, load: { ...run.scenario.load, capacity, levels: [] } } };
        },
      }),
      'no load level is in all of these runs: they look for capacities',
    ],
    [
      'other work',
      session('work', {
        changed: (run) => ({
          ...run,
          scenario: {
            ...run.scenario,
            load: { ...run.scenario.load, workload: { kind: 'built-in', workload: 'get-schools' } },
          },
        }),
      }),
      'the requests are not the same work in all of these runs: load.workload.workload differ',
    ],
  ])('is refused: %s', (_, head, message) => {
    expect(() => compare([base], [head])).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }),
    );
  });

  it('is named where the rest can be', () => {
    const compared = compare(
      [session('more', { variants: ['a', 'b', 'c'], connections: [1, 25] })],
      [session('less', { variants: ['a', 'b', 'd'] })],
    );
    expect(compared.only.base.variants).toEqual(['c']);
    expect(compared.only.base.loads).toEqual([{ connections: 1 }]);
    expect(compared.only.head).toEqual({ variants: ['d'], loads: [] });
    expect(compared.variants).toEqual(['a', 'b']);
    expect(new Set(compared.changes.map(({ variant }) => variant))).toEqual(new Set(['b']));
  });

  it('are changes against different controls; levels are shown', () => {
    const compared = compare([base], [session('reversed', { control: 'b' })]);
    expect([compared.control, compared.changes]).toEqual([null, []]);
    expect(levelOf(compared, 'b').deltaPercent).not.toBeNull();
    expect(compared.differences.map(({ place }) => place)).toContain('control');
  });
});
