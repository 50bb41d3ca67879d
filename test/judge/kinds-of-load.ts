import type { JournalRecord, SliceRecord } from '../../src/journal/records.ts';
import type { LoadLevel, LoadSpec } from '../../src/journal/scenario-record.ts';
import { judgeSlice } from '../../src/measure/run/validity/validity.ts';
import { type FixtureJournal, type FixtureOptions, fixtureJournal } from './journal-fixture.ts';

type Change = (slice: SliceRecord) => Partial<SliceRecord>;

/** The same run under another kind of load. */
function under(
  options: FixtureOptions,
  spec: Partial<LoadSpec>,
  sizeOf: (load: LoadLevel) => LoadLevel,
  change: Change,
) {
  const { run, records, warnings } = fixtureJournal(options);
  const moved = (record: JournalRecord): JournalRecord => {
    if (record.type === 'pass') return { ...record, load: sizeOf(record.load), wholeSlices: 'kind of load' };
    return record.type === 'slice' ? { ...record, ...change(record), load: sizeOf(record.load) } : record;
  };
  const levels = run.scenario.load.levels.map(sizeOf);
  return {
    run: { ...run, scenario: { ...run.scenario, load: { ...run.scenario.load, ...spec, levels } } },
    records: records.map(moved),
    warnings,
  };
}

/** At a rate of as many requests a second as there were connections. */
export function atRate(options: FixtureOptions, change: Change = () => ({})): FixtureJournal {
  const openLoop = { arrivals: 'poisson', inFlight: 400 } as const;
  return under(options, { openLoop }, (load) => ('connections' in load ? { rate: load.connections } : load), change);
}

/** This many requests and no more: their time is as long as this many took. */
export function bounded(options: FixtureOptions, durationMs: (slice: SliceRecord) => number | null): FixtureJournal {
  const spec = { bounded: { count: 900, limitMs: 60_000 } };
  return under(
    options,
    spec,
    (load) => load,
    (slice) => ({ bounded: { wanted: 900, durationMs: durationMs(slice) } }),
  );
}

/** What a job does to requests in one slice. */
export interface BesideJob {
  /** Null where the job failed. */
  readonly jobMs: number | null;
  /** Longest waits, in ms: while it runs, and before. */
  readonly longestMs: number;
  readonly beforeMs: number;
  /** 2xx/s before it, over those beside it. */
  readonly rateRatio: number;
}

/** Requests beside a job. */
export function besideJob(options: FixtureOptions, jobOf: (slice: SliceRecord) => BesideJob): FixtureJournal {
  return under(
    options,
    { bounded: { count: 1, limitMs: 60_000 }, job: { source: { kind: 'sql', file: '/migration.sql' } } },
    (load) => ({ ...load, of: 'beside' }),
    (slice) => {
      const { jobMs, longestMs, beforeMs, rateRatio } = jobOf(slice);
      const { windowMs, outcomes, latency } = slice;
      const okByTime = rateRatio * (outcomes.statuses[200] ?? 0);
      return {
        bounded: { wanted: 1, durationMs: jobMs },
        beside: {
          longestUs: 1000 * longestMs,
          without: { windowMs, outcomes, okByTime, latency, longestUs: 1000 * beforeMs },
        },
      };
    },
  );
}

/** A bulk load of 1000 documents, of which this many are accepted. */
export function bulkLoads(options: FixtureOptions, loadedOf: (slice: SliceRecord) => number): FixtureJournal {
  return under(
    options,
    {},
    (load) => ({ ...load, of: 'bulk' }),
    (slice) => {
      const counts = { documents: 1000, loaded: loadedOf(slice), repeats: 0, failed: {}, byResource: {} };
      return { bulk: { ...counts, totalMs: slice.windowMs } };
    },
  );
}

/** One run of a job, alone: its time in ms, or how it failed. */
export function aloneJob(
  options: FixtureOptions,
  runOf: (slice: SliceRecord) => number | 'failed' | 'timed out',
): FixtureJournal {
  const spec = {
    bounded: { count: 1, limitMs: 60_000 },
    job: { source: { kind: 'sql', file: '/report.sql' } },
  } as const;
  const load: LoadLevel = { connections: 1, of: 'job' };
  return under(
    options,
    spec,
    () => load,
    (slice) => {
      const run = runOf(slice);
      const isOk = typeof run === 'number';
      const statuses: Record<string, number> = run === 'timed out' ? {} : { [isOk ? 0 : 3]: 1 };
      const outcomes = { statuses, errors: 0, timeouts: run === 'timed out' ? 1 : 0 };
      const counts = {
        outcomes,
        whole: outcomes,
        ok: isOk ? 1 : 0,
        bounded: { wanted: 1, durationMs: isOk ? run : null },
      };
      const measured = { ...slice, ...counts, load };
      const facts = {
        slice: measured,
        load: { ...fixtureJournal(options).run.scenario.load, ...spec },
        overNetwork: false,
      };
      return { ...counts, voided: judgeSlice(facts).map(({ reason }) => reason) };
    },
  );
}
