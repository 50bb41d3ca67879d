import { readFileSync } from 'node:fs';
import type { ProbeRecord } from '../../src/journal/records.ts';
import { type FixtureJournal, fixtureJournal } from '../judge/journal-fixture.ts';

/** What the probes of one slice of a real run saw. */
const recorded = readFileSync(new URL('../fixtures/probe-records.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as ProbeRecord);
const values = Object.fromEntries(recorded.map(({ probe, values }) => [probe, values]));
const rows = Object.fromEntries(recorded.map(({ probe, rows = [] }) => [probe, rows]));

/** A run of 50 variants, 5 load levels and 20 rounds, in 12 turns a slice; with all that probes of a real run saw, or nothing. */
export function largeRun(withProbes: boolean): FixtureJournal {
  const journal = fixtureJournal({
    title: 'Fifty pools',
    variants: Array.from({ length: 50 }, (_, index) => `pool=${10 * (index + 1)}`),
    control: 'pool=10',
    connections: [1, 10, 25, 50, 100],
    rounds: 20,
    requestsPerSecond: 3,
    noise: 0.02,
    effect: ({ variant }) => (variant.endsWith('00') ? -0.1 : 0),
    probes: () => (withProbes ? values : {}),
    probeRows: () => (withProbes ? rows : {}),
    work: () => ({ serviceCpuMs: 1, postgresCpuMs: 2, walBytes: 8000 }),
  });
  return {
    ...journal,
    records: journal.records.map((record) =>
      record.type !== 'slice' || record.turns === undefined
        ? record
        : { ...record, turns: { ...record.turns, okByTime: Array.from({ length: 12 }, (_, turn) => 20 + (turn % 5)) } },
    ),
  };
}
