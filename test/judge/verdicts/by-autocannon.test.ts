import { expect, test } from 'vitest';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { type FixtureCell, type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';
import { small } from '../small-run.ts';

/** What autocannon tells of each slice. */
const ownValues = ({ variant, connections, round }: FixtureCell) => ({
  autocannon_requests_per_s: 1,
  autocannon_p50_ms: 700,
  autocannon_lost: variant === 'b' && connections === 50 ? 10 * round : 0,
  autocannon_cut_off: connections,
});

/** A run of four rounds whose connections were autocannon's. */
function summaryOf(probes: FixtureOptions['probes']): Summary {
  const { run, records, ...rest } = fixtureJournal({
    ...small,
    connections: [25, 50],
    rounds: 4,
    ...(probes && { probes }),
  });
  const { scenario } = run;
  const levels = scenario.load.levels.map((level) => ({ ...level, of: 'autocannon' as const }));
  return summarize({
    ...rest,
    run: { ...run, scenario: { ...scenario, load: { ...scenario.load, levels } } },
    records: records.map((record) =>
      'load' in record && 'connections' in record.load
        ? { ...record, load: { ...record.load, of: 'autocannon' as const } }
        : record,
    ) as typeof records,
  });
}

test('a run by autocannon says what it missed a slice, in the cell with the most, and which variants lost requests', () => {
  const { notes } = summaryOf((cell) => ({ autocannon: ownValues(cell) }));
  // Of 10, 20, 30 and 40.
  expect(notes).toContainEqual({ kind: 'by-autocannon', cutOff: 50, lost: 25, variants: ['b'] });
  const { notes: none } = summaryOf((cell) => ({ autocannon: { ...ownValues(cell), autocannon_lost: 0 } }));
  expect(none).toContainEqual({ kind: 'by-autocannon', cutOff: 50, lost: 0, variants: [] });
  expect(summarize(fixtureJournal(small)).notes.map(({ kind }) => kind)).not.toContain('by-autocannon');
});

test('its rates and latencies are those that pgsweep counted, and not its own', () => {
  const options: FixtureOptions = { ...small, connections: [25, 50], rounds: 4 };
  const { averages } = summarize(fixtureJournal(options));
  const numbers = (all: Summary['averages']) => all.map(({ load: _, probes: __, ...values }) => values);
  expect(numbers(summaryOf((cell) => ({ autocannon: ownValues(cell) })).averages)).toEqual(numbers(averages));
});
