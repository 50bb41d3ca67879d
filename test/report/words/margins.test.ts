import { describe, expect, it } from 'vitest';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { documentOf } from '../../../src/report/document.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';

/** Eight rounds judged by WAL bytes a request; those of b are 0.1 % more, and scatter by so much. */
function judgedByWal(marginPercent: number, scatter: number): Summary {
  const journal = fixtureJournal({
    variants: ['a', 'b'],
    control: 'a',
    connections: [25],
    rounds: 8,
    noise: 0.01,
    requestsPerSecond: 30,
    marginPercent,
    question: 'best',
    work: ({ variant, round }) => ({
      serviceCpuMs: 1,
      postgresCpuMs: 2,
      walBytes: variant === 'b' ? 1000 * (1.001 + scatter * ((round % 3) - 1)) : 1000,
    }),
  });
  const { run } = journal;
  return summarize({ ...journal, run: { ...run, scenario: { ...run.scenario, judge: 'wal_bytes' } } });
}

const verdictOf = ({ comparisons }: Summary, metric: string): string | undefined =>
  comparisons.find((one) => one.metric === metric)?.verdict;

describe('a run judged by WAL bytes', () => {
  it.each([
    [0.3, 0.005, 'noise', 'open'],
    [1, 0.005, 'same', 'decided'],
    [1, 0.02, 'noise', 'open'],
    [5, 0.02, 'same', 'decided'],
  ])(
    'with a margin of %f and a scatter of %f has its verdict, its decision and its sentences by that margin',
    (...row) => {
      const [marginPercent, scatter, verdict, state] = row;
      const summary = judgedByWal(marginPercent, scatter);
      expect(verdictOf(summary, 'wal_bytes_per_request')).toBe(verdict);
      expect(summary.recommendation.map((one) => one.state)).toEqual([state]);
      const { headline, notes } = documentOf(summary);
      expect(headline.join(' ').includes(`the same within ±${marginPercent} %`)).toBe(verdict === 'same');
      // Rates are of another kind, and have their default.
      expect(notes.join(' ')).toContain('`same`: it lies within ±5 %');
      expect(notes.join(' ')).toContain(`Work per request: \`same\` is within ±${marginPercent} %`);
    },
  );
});
