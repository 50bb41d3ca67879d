import { describe, expect, test } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import { documentOf } from '../../../src/report/document.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';

function noteOf(options: FixtureOptions = {}): string | undefined {
  const { notes } = documentOf(summarize(fixtureJournal({ ...small, rounds: 4, ...options })));
  return notes.find((note) => note.startsWith('In a closed loop'));
}

describe('2xx/s and mean latency of a closed loop', () => {
  test('are one finding', () => {
    expect(noteOf()).toBe(
      'In a closed loop mean latency = connections / throughput: 2xx/s and mean ms are one finding, not two.',
    );
  });

  test('are not where requests of an arm failed: a time-out takes its connection, and is no part of the mean', () => {
    const failed = [{ timeouts: 3 }, { errors: 3 }, { statuses: { 500: 3 } }];
    for (const failures of failed)
      expect(noteOf({ failures: ({ variant }) => (variant === 'b' ? failures : {}) })).toMatch(
        /if no request fails: .* Where requests fail, mean ms is of the successful ones, and 2xx\/s holds the time of the failed ones too\.$/,
      );
  });

  test('do not fit each other as averages over rounds that differ much, and the report says so', () => {
    const effect: FixtureOptions['effect'] = ({ variant, round }) =>
      variant === 'b' && round === 1 ? Math.log(0.2) : 0;
    expect(noteOf({ effect })).toMatch(
      /one finding, not two\. Averages are means over rounds: .* is less than mean ms\.$/,
    );
  });
});
