import { describe, expect, test } from 'vitest';
import { formatChange, formatDelta, formatInterval, formatSize, formatValue } from '../../src/judge/format.ts';
import { durationMetric, meanLatency, p99Latency, requestsPerSecond } from '../../src/judge/read/metrics/metrics.ts';
import { workMetrics } from '../../src/judge/read/metrics/work-metrics.ts';
import { type Summary, summarize } from '../../src/judge/summary.ts';
import type { Comparison } from '../../src/judge/verdicts/comparison.ts';
import { documentOf } from '../../src/report/document.ts';
import { deltaCell } from '../../src/report/tables/delta-cell.ts';
import { excludedWords, headlineOf } from '../../src/report/words/headline.ts';
import { type FixtureOptions, fixtureJournal, unfitOptions } from '../judge/journal-fixture.ts';
import { judged } from '../judge/judged.ts';

const settled: Comparison = {
  variant: 'pool=50',
  load: { connections: 25 },
  metric: 'requests_per_s',
  unit: '1/s',
  control: 480,
  value: 434,
  deltaPercent: -9.61,
  interval: [-12.08, -7.02],
  verdict: 'lower',
  rounds: 8,
  notes: [],
};

describe('a delta cell', () => {
  test.each<[string, string, Partial<Comparison>]>([
    ['-9.6 % [-12.1, -7.0] lower', 'bad', {}],
    ['-9.6 % [-12.1, -7.0] lower', 'good', { metric: 'latency_p95_ms' }],
    ['-9.6 % [-12.1, -7.0] lower', 'dim', { metric: 'blks_hit_per_s' }],
    ['+1.2 % [-2.0, +4.5] same', 'dim', { deltaPercent: 1.2, interval: [-2, 4.5], verdict: 'same' }],
    ['+0.4 % [-6, +7] noise', 'dim', { deltaPercent: 0.4, interval: [-6.2, 7.1], verdict: 'noise' }],
    ['-9.6 % [-12.1, -7.0] unfit', 'dim', { verdict: 'unfit' }],
    [
      '-4.2 % no verdict (1 round)',
      'dim',
      {
        deltaPercent: -4.2,
        interval: null,
        verdict: 'noise',
        rounds: 1,
        notes: [{ kind: 'few-rounds', rounds: 1, needed: 4 }],
      },
    ],
    [
      '-4.2 % no verdict (1 round)',
      'dim',
      { deltaPercent: -4.2, interval: null, verdict: 'noise', rounds: 1, notes: [{ kind: 'quick' }] },
    ],
    [
      '-10.0 % no verdict (0 in 2 of 8 rounds)',
      'dim',
      { deltaPercent: -10, interval: null, verdict: 'noise', notes: [{ kind: 'zeros', zeros: 2, rounds: 8 }] },
    ],
    ['n/a (0 -> 4.01)', 'dim', { control: 0, value: 4.01, deltaPercent: null, interval: null, verdict: 'noise' }],
    ['0 -> 0 same', 'dim', { control: 0, value: 0, deltaPercent: null, interval: null, verdict: 'same' }],
    ['0 -> 0', 'dim', { control: 0, value: 0, deltaPercent: null, interval: null, verdict: 'noise' }],
    ['n/a', 'dim', { control: null, value: null, deltaPercent: null, interval: null, verdict: 'noise' }],
  ])('%s (%s)', (text, tone, change) => {
    expect(deltaCell({ ...settled, ...change })).toMatchObject({ text, tone });
  });

  test('is quiet where it tells nothing: noise, or no number for a reason that a note has', () => {
    const few = { kind: 'few-samples', needed: 1000, samples: 9 } as const;
    const none = { control: null, value: null, deltaPercent: null, interval: null, verdict: 'noise' } as const;
    expect(deltaCell(settled).quiet).toBeUndefined();
    expect(deltaCell({ ...settled, verdict: 'noise' }).quiet).toBe('noise');
    expect(deltaCell({ ...settled, ...none, notes: [few] }).quiet).toBe('missing');
    expect(deltaCell({ ...settled, ...none }).quiet).toBeUndefined();
    expect(deltaCell({ ...settled, verdict: 'noise', interval: null, rounds: 1 }).quiet).toBeUndefined();
  });
});

describe('numbers', () => {
  test.each([
    [null, 'n/a'],
    [0, '0'],
    [0.00123, '0.00123'],
    [0.5124, '0.512'],
    [1, '1.00'],
    [54.811, '54.81'],
    [99.999, '100.0'],
    [546.48, '546.5'],
    [999.96, '1,000'],
    [16048.36, '16,048'],
    [1_234_567, '1,234,567'],
  ] as const)('value %d is %s', (value, text) => expect(formatValue(value)).toBe(text));

  test.each([
    [-9.61, '-9.6 %'],
    [0.44, '+0.4 %'],
    [-0.01, '0.0 %'],
    [116.54, '+117 %'],
    [99.97, '+100 %'],
  ] as const)('delta %d is %s', (value, text) => expect(formatDelta(value)).toBe(text));

  test.each([
    [[-12.08, -7.02], '[-12.1, -7.0]'],
    [[-6.2, 7.1], '[-6, +7]'],
    [[-13, -0.4], '[-13.0, -0.4]'],
    [[0.02, 3], '[+0.02, +3.00]'],
    [[0, 0], '[0.0, 0.0]'],
  ] as const)('interval %j is %s', (ends, text) => expect(formatInterval(ends)).toBe(text));

  test.each([
    [-9.61, [-12.08, -7.02], '-9.6 % [-12.1, -7.0]'],
    [17.6, [10, 25], '+17.6 % [+10, +25]'],
    [100.4, [100.3, 100.5], '+100.4 % [+100.3, +100.5]'],
    [0.034, [0.03, 0.04], '+0.03 % [+0.03, +0.04]'],
    [12.6, [12.6, 24], '+13 % [+13, +24]'],
    [0, [0, 0], '0.0 % [0.0, 0.0]'],
  ] as const)('a change of %d within %j is %s', (value, ends, text) => expect(formatChange(value, ends)).toBe(text));

  test('a size has no sign, and is never a false 0', () => {
    expect([-9.61, 0.02, 116.5].map(formatSize)).toEqual(['9.6', '0.02', '117']);
  });
});

describe('the headline', () => {
  const base: FixtureOptions = { variants: ['a', 'b', 'c'], control: 'a', connections: [25], noise: 0.003 };
  const of = (options: FixtureOptions): string[] => headlineOf(judged({ ...base, ...options }));

  test('names the largest effect first, faster and slower, and shares an answer', () => {
    const [sentence] = of({ effect: ({ variant }) => ({ b: 0.2, c: -0.4 })[variant] ?? 0 });
    expect(sentence).toMatch(
      /^25 connections: c is 3\d\.\d % slower \(.* to .* %\); b is 2\d\.\d % faster \(.* to .* %\)\.$/,
    );
    const [lowest, highest] =
      /\((\S+) to (\S+) %\)/
        .exec(sentence ?? '')
        ?.slice(1)
        .map(Number) ?? [];
    expect(lowest).toBeLessThan(highest ?? 0);
    expect(of({})).toEqual(['25 connections: b, c: the same within ±5 %.']);
    expect(of({ noise: 0.1 })[0]).toMatch(/^25 connections: b, c: no difference seen \(noise\), not more than /);
  });

  describe('of noise', () => {
    const noise = judged({ ...base, noise: 0.1 });
    const withNoise = (change: Partial<Comparison>): string[] =>
      headlineOf({ ...noise, comparisons: noise.comparisons.map((one) => ({ ...one, ...change })) });

    test('says what its intervals exclude, for all variants that share the answer', () => {
      const intervals = noise.comparisons.flatMap(({ metric, interval }) =>
        metric === 'requests_per_s' && interval !== null ? [interval] : [],
      );
      expect(intervals).toHaveLength(2);
      const [high, low] = [Math.max(...intervals.map(([, end]) => end)), Math.min(...intervals.map(([end]) => end))];
      expect(headlineOf(noise)).toEqual([
        `25 connections: b, c: no difference seen (noise), not more than ${formatSize(high)} % faster or ${formatSize(low)} % slower.`,
      ]);
    });

    test('excludes nothing where requests outlast turns: its interval is not all that is known', () => {
      const notes = [{ kind: 'outlast-turns', byTurnsPercent: null }] as const;
      expect(withNoise({ notes })).toEqual(['25 connections: b, c: no difference seen (noise).']);
    });

    test.each([
      ['no verdict. Flaky: 3 of 15 starts were 38 to 42 % slower; typical change -1.6 %', { kind: 'flaky', p: 0.037 }],
      ['no verdict: 3 of 15 starts were 38 to 42 % slower; typical change -1.6 %', { kind: 'mean-differs' }],
    ] as const)('says once that there is no verdict: %s', (words, kind) => {
      const odd = {
        side: 'variant',
        of: 'starts',
        rate: true,
        count: 3,
        among: 15,
        offPercent: [-38.2, -41.7],
      } as const;
      const note = { ...kind, odd, meanPercent: -9.8, meanInterval: [-15, -4] } as const;
      const [line] = withNoise({ deltaPercent: -1.6, notes: [note] });
      expect(line).toContain(`connections: b: ${words}`);
    });

    test('excludes nothing without an interval', () => {
      expect(withNoise({ interval: null })[0]).not.toContain('not more than');
    });

    test.each([
      ['not more than 1.5 % faster or 6.3 % slower', requestsPerSecond],
      ['not more than 6.3 % lower or 1.5 % higher', meanLatency],
      ['not more than 6.3 % lower or 1.5 % higher', p99Latency],
      ['not more than 6.3 % shorter or 1.5 % longer', durationMetric],
      ['not more than 6.3 % less or 1.5 % more', workMetrics.find(({ name }) => name === 'wal_bytes_per_request')],
    ] as const)('is "%s" in the words of its metric', (words, metric) => {
      expect(
        metric &&
          excludedWords(metric, [
            [-6.3, 1.2],
            [-4, 1.5],
          ]),
      ).toBe(words);
    });
  });

  test('does not take machines that disagree for no difference', () => {
    const summary = judged({ ...base, noise: 0.1 });
    const notes = [{ kind: 'machines-disagree', machines: 3, p: 0.031 }] as const;
    const apart = { ...summary, comparisons: summary.comparisons.map((one) => ({ ...one, notes })) };
    expect(headlineOf(apart)).toEqual(['25 connections: b, c: no verdict, 3 machines disagree (p 0.031).']);
  });

  test('says why there is no verdict', () => {
    expect(of({ rounds: 2 })[0]).toMatch(/^25 connections: b \S+ %, c \S+ %: no verdict \(2 rounds\)\.$/);
    expect(of({ rounds: 1, quick: true })[0]).toMatch(
      /: no verdict \(quick run\); the control against itself \(A\/A\) \S+ %\.$/,
    );
    expect(of({ rounds: 0 })).toEqual(['No round was completed: there is nothing to compare.']);
    expect(of(unfitOptions)).toEqual(['25 connections: b, c: no verdict, the numbers are unfit.']);
    expect(of({ variants: ['a'] })).toEqual(['25 connections: nothing to compare with the control.']);
  });

  test('says why an arm has no number: its slices are discarded, or those of the control', () => {
    const variants = ['a', 'b', 'c', 'd', 'e', 'f'];
    const voiding = (name: string): string[] => {
      const journal = fixtureJournal({ ...base, variants, rounds: 1, quick: true });
      const records = journal.records.map((record) =>
        record.type === 'slice' && record.variant === name && !record.repeat
          ? { ...record, voided: ['littles law', 'generator busy'] as const }
          : record,
      );
      return headlineOf(summarize({ ...journal, records }));
    };
    expect(voiding('c')[0]).toMatch(
      /^25 connections: c: n\/a \(discarded: generator busy, littles law\); b .*; the control against itself /,
    );
    const repeatless = fixtureJournal({ ...base, variants, rounds: 1, quick: true, repeat: false });
    const records = repeatless.records.map((record) =>
      record.type === 'slice' && record.variant === 'a' ? { ...record, voided: ['connections'] as const } : record,
    );
    expect(headlineOf(summarize({ ...repeatless, records }))).toEqual([
      '25 connections: b, c, d, e, f: n/a (a is discarded: connections).',
    ]);
  });

  test('a service that only fails is not "the same"', () => {
    const failures: FixtureOptions['failures'] = (_, requests) => ({ statuses: { 500: requests } });
    expect(of({ failures })).toEqual(['25 connections: b, c: no request succeeded, and none of the control.']);
    expect(
      of({ failures: (cell, requests) => (cell.variant === 'a' ? { statuses: { 500: requests } } : {}) })[0],
    ).toMatch(/^25 connections: b: n\/a \(0 -> 4\d\d\.\d\); /);
  });

  test('requests that write nothing have not failed', () => {
    const work = () => ({ serviceCpuMs: 1, postgresCpuMs: 1, walBytes: 0 });
    const journal = fixtureJournal({ ...base, work });
    const run = { ...journal.run, scenario: { ...journal.run.scenario, judge: 'wal_bytes' as const } };
    expect(headlineOf(summarize({ ...journal, run }))).toEqual(['25 connections: b, c: the same within ±5 %.']);
  });
});

describe('the document', () => {
  test('says how a percentile is compared: over the answers of all rounds, not round by round', () => {
    const notes = documentOf(summarize(fixtureJournal({ rounds: 4 }))).notes.join(' ');
    expect(notes).toContain('Percentiles are taken over the answers of all rounds, and no outlier is pulled in');
    expect(notes).not.toContain('round by round');
  });

  test('names changes whose noise is skewed, each with the end that reaches further', () => {
    const summary = judged({ variants: ['a', 'b', 'c'], control: 'a', connections: [25] });
    const end = { requests_per_s: 'low', latency_mean_ms: 'high' } as const;
    const comparisons = summary.comparisons.map((one): Comparison => {
      const isSkewed = one.variant === 'b' && (one.metric === 'requests_per_s' || one.metric === 'latency_mean_ms');
      return isSkewed ? { ...one, notes: [{ kind: 'skewed', end: end[one.metric as keyof typeof end] }] } : one;
    });
    const tables = documentOf({ ...summary, comparisons }).sections.flatMap((section) => section.tables);
    expect(tables.flatMap(({ notes }) => notes).filter((note) => note.includes('skewed'))).toEqual([
      'b: noise is skewed, as by stalls at random times: all rounds count in full, and intervals reach further down in 2xx/s, up in mean ms.',
    ]);
  });

  const warnings = (options: FixtureOptions): readonly string[] => documentOf(judged(options)).warnings;

  test('warns of what must be known first', () => {
    expect(warnings({})).toEqual([]);
    expect(warnings({ quick: true, rounds: 1 })).toEqual([
      'Quick run, for trying things out: no verdicts. Leave out --quick to get them.',
    ]);
    expect(warnings({ end: null, unfinishedSlices: 1 })).toEqual([
      'The run ended early: this report covers what it had measured.',
      '1 slice of a round that was not completed: not judged. --resume repeats it.',
    ]);
    expect(warnings(unfitOptions)[0]).toMatch(/^Unfit session, no verdicts: \d+ connections?: \d+ of \d+ slices /);
    expect(warnings({ effect: ({ repeat }) => (repeat ? 0.3 : 0) })[0]).toMatch(
      /^A\/A: the two arms of the control stay apart \(1 connection: .* more rounds do not narrow that part\. /,
    );
  });

  test('tells how the run went, and says the likeness of mean latency and throughput once', () => {
    const summary: Summary = judged({ end: 'verdicts', question: 'changes', noise: 0.003 });
    const { run, sections, notes } = documentOf(summary);
    expect(run).toMatch(
      /^8 rounds · stopped when every comparison of 2xx\/s was settled · control pool=10 · noise floor \S+ % a round · smallest effect it could see about \S+ %\.$/,
    );
    const all = [...notes, ...sections.flatMap(({ tables }) => tables.flatMap((table) => table.notes))];
    expect(all.filter((note) => note.includes('one finding, not two'))).toHaveLength(1);
  });
});
