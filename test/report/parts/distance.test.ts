import { expect, it } from 'vitest';
import type { LinkRecord } from '../../../src/journal/link/link-record.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { documentOf } from '../../../src/report/document.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';

/** The report of a run whose variant b is asked to be 1 ms from its database, and is as far as each round measured. */
function reportOf(addedMs: readonly number[]) {
  const { records, ...journal } = fixtureJournal({ ...small, rounds: addedMs.length });
  const direct = { trips: 200, p50Us: 100, p99Us: 200 };
  const looks = addedMs.map((ms, round): LinkRecord => {
    const distant = { trips: 200, p50Us: 100 + 1000 * ms, p99Us: 200 + 1000 * ms };
    return {
      type: 'link',
      round: round + 1,
      arm: 'b',
      variant: 'b',
      distance: { asked: { rttMs: 1 }, direct, distant },
    };
  });
  return documentOf(summarize({ ...journal, records: [...looks, ...records] }));
}

it('a distance that was not what was asked for is said on the first screen, with what it was', () => {
  const { first, provenance } = reportOf([0.68, 0.66, 1.02, 0.7]);
  expect(first.warnings).toEqual([
    expect.stringMatching(
      /^The database of b was 0\.69 ms away where 1 ms were asked for, off by .* in 3 of 4 looks\./,
    ),
  ]);
  const said = provenance.map(([, value]) => value).join('\n');
  expect(said).toContain('distance 1 ms; a round trip of SELECT 1 took 0.69 ms longer than a direct one');
});

it('one that was as asked is no warning', () => {
  expect(reportOf([0.95, 1.04, 1.02, 0.98]).first.warnings).toEqual([]);
});
