import { describe, expect, it } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import type { SliceRecord } from '../../../src/journal/records.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { parseGate } from '../../../src/judge/verdicts/gate.ts';
import { decideStop } from '../../../src/judge/verdicts/stop-rule.ts';
import { headlineOf } from '../../../src/report/words/headline.ts';
import { normal } from '../journal-fixture.ts';
import { aloneJob } from '../kinds-of-load.ts';
import { comparison, small } from '../small-run.ts';

const gates = { gates: [parseGate('duration_ms < +10%')], unclear: 'fail' } as const;

/** The job of `b` takes four fifths of the time. */
const timeOf = ({ variant, arm, round }: SliceRecord): number =>
  (variant === 'b' ? 8000 : 10_000) * Math.exp(0.01 * normal(createRandom(seedOf(1, arm, round))));

/** The job of an arm fails in two of eight rounds. */
const failing = (failed: string, how: 'failed' | 'timed out') =>
  aloneJob(small, (slice) => (slice.arm === failed && [3, 6].includes(slice.round) ? how : timeOf(slice)));

describe('a job alone', () => {
  it('has a verdict on its time where all of its runs ended well', () => {
    const summary = summarize(aloneJob(small, timeOf), undefined, gates);
    expect(comparison(summary, 'duration_ms')).toMatchObject({ verdict: 'lower', rounds: 8 });
    expect(summary.gates).toMatchObject([{ outcome: 'pass' }]);
  });

  it.each([
    ['of a variant failed', 'b', 'failed', 'failures'],
    ['of a variant timed out', 'b', 'timed out', 'timeouts'],
    ['of the control failed', 'a', 'failed', 'failures'],
    ["of the control's second arm failed", 'a#2', 'failed', 'failures'],
  ] as const)(
    'has no verdict where runs %s: not in the table, for no gate, and for no decision',
    (_, arm, how, word) => {
      const journal = failing(arm, how);
      const summary = summarize(journal, undefined, gates);
      const { verdict, notes } = comparison(summary, 'duration_ms');
      expect(verdict).toBe('unfit');
      expect(notes).toEqual([{ kind: 'not-through', slices: 2, of: 24, job: true }]);
      expect(comparison(summary, 'xact_commit_per_request').verdict).not.toMatch(/higher|lower|same/);
      expect(headlineOf(summary)).toEqual(['job, 1 run: b: no verdict, the job failed in 2 of 24 slices.']);
      expect(summary.session).toMatchObject({ verdict: 'fit', reasons: [] });
      const own = summary.averages.find(({ variant, repeat }) => `${variant}${repeat ? '#2' : ''}` === arm);
      expect(own).toMatchObject({ rounds: 8, durationMs: null, unfinished: word, voided: {} });
      expect(summary.gates).toMatchObject([{ outcome: 'unclear', failed: true, notes: [{ kind: 'not-through' }] }]);
      expect(summary.recommendation).toMatchObject([{ state: 'stuck', keep: null }]);
      expect(decideStop(journal)).toMatchObject({ stop: true, stuck: true, undecided: 0, found: { differing: [] } });
    },
  );
});
