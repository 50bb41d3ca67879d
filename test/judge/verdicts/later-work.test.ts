import { describe, expect, test } from 'vitest';
import type { BackgroundRecord } from '../../../src/journal/slice-record.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { documentOf } from '../../../src/report/document.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import { type FixtureCell, type FixtureOptions, type FixtureWork, fixtureJournal } from '../journal-fixture.ts';
import { comparison, small } from '../small-run.ts';

/** What a server does for one request of the arm that has it for itself. */
const own: BackgroundRecord = { arms: 1, cpuMs: 0.02, sharedCpuMs: 0, dataBytes: 4000, laterWalBytes: 100 };
const shared: BackgroundRecord = { arms: 3, cpuMs: 0, sharedCpuMs: 0.02, dataBytes: 4000, laterWalBytes: 60 };
const usual: FixtureWork = { serviceCpuMs: 1.5, postgresCpuMs: 0.4, walBytes: 8000 };

type Changes = Partial<Omit<FixtureWork, 'background'>> & { readonly background?: Partial<BackgroundRecord> };

/** Variant b does something else than the control. */
function runOf(background: BackgroundRecord, changes: Changes = {}, options: FixtureOptions = {}) {
  const work = ({ variant }: FixtureCell): FixtureWork =>
    variant === 'b'
      ? { ...usual, ...changes, background: { ...background, ...changes.background } }
      : { ...usual, background };
  const probes = () => ({ all: { machine_cpu_share: 0.8 } });
  return summarize(fixtureJournal({ ...small, rounds: 8, work, probes, ...options }));
}

describe('a server that an arm has for itself', () => {
  test('is charged to it: CPU of its background processes, WAL between turns, data files', () => {
    const summary = runOf(own, { background: { cpuMs: 0.22, laterWalBytes: 900, dataBytes: 8000 } });
    expect(comparison(summary, 'postgres_cpu_ms_per_request')).toMatchObject({ verdict: 'higher' });
    expect(comparison(summary, 'postgres_cpu_ms_per_request').deltaPercent).toBeCloseTo(100 * (0.62 / 0.42 - 1), 0);
    expect(comparison(summary, 'wal_bytes_per_request').deltaPercent).toBeCloseTo(100 * (8900 / 8100 - 1), 0);
    expect(comparison(summary, 'data_bytes_per_request')).toMatchObject({ verdict: 'higher' });
    expect(comparison(summary, 'data_bytes_per_request').deltaPercent).toBeCloseTo(100, 0);
    expect(comparison(summary, 'service_cpu_ms_per_request')).toMatchObject({ verdict: 'same' });
  });

  test('has a finding where its background processes do much more than those of the control', () => {
    const { findings } = runOf(own, { background: { cpuMs: 0.22 } });
    expect(findings.map(({ name }) => name)).toEqual(['later-work']);
    expect(findings[0]?.text).toContain('background processes of Postgres used 55');
    expect(runOf(own).findings).toEqual([]);
  });

  test('has a finding where it writes many more bytes to its data files, which the disk gets later', () => {
    const { findings } = runOf(own, { background: { dataBytes: 400_000 } });
    expect(findings.map(({ name }) => name)).toEqual(['later-work']);
    expect(findings[0]?.text).toMatch(
      /its Postgres wrote [\d.]+ MB a second to data files \(control [\d.]+\), 400(\.0)? kB a request/,
    );
    expect(runOf(own, { background: { dataBytes: 8000 } }).findings).toEqual([]);
  });

  test('is not named as shared', () => {
    expect(renderMarkdown(documentOf(runOf(own)))).not.toContain('All arms share a Postgres server');
  });
});

describe('a server on which databases of others write rows', () => {
  const beside = { othersWrote: true, laterWalBytes: null } as const;

  test('shows no WAL bytes where they always do, and the report says why', () => {
    const work = (): FixtureWork => ({ ...usual, walBytes: null, background: { ...shared, ...beside } });
    const summary = summarize(fixtureJournal({ ...small, rounds: 8, work }));
    expect(comparison(summary, 'wal_bytes_per_request')).toMatchObject({ verdict: 'noise', deltaPercent: null });
    expect(renderMarkdown(documentOf(summary))).toContain(
      'other databases of the Postgres server wrote rows in 24 of 24 slices, which have no WAL bytes',
    );
  });

  test('shows them by the slices without', () => {
    const isBeside = ({ round }: FixtureCell): boolean => round % 2 === 0;
    const work = (cell: FixtureCell): FixtureWork => ({
      ...usual,
      walBytes: isBeside(cell) ? null : cell.variant === 'b' ? 16_000 : 8000,
      background: isBeside(cell) ? { ...shared, ...beside } : shared,
    });
    const summary = summarize(fixtureJournal({ ...small, rounds: 8, work }));
    expect(comparison(summary, 'wal_bytes_per_request')).toMatchObject({ verdict: 'higher', rounds: 4 });
    expect(comparison(summary, 'wal_bytes_per_request').deltaPercent).toBeCloseTo(100, 0);
  });
});

describe('a server that arms share', () => {
  test('charges no arm with its data files or the processes that work for all, and the report names both', () => {
    const summary = runOf(shared, { background: { sharedCpuMs: 0.9, dataBytes: 9000, laterWalBytes: 9060 } });
    expect(comparison(summary, 'postgres_cpu_ms_per_request')).toMatchObject({ verdict: 'same' });
    expect(comparison(summary, 'data_bytes_per_request').deltaPercent).toBeNull();
    expect(comparison(summary, 'wal_bytes_per_request')).toMatchObject({ verdict: 'same', deltaPercent: 0 });
    const said =
      /All arms share a Postgres server.* used ([\d.]+) ms of CPU a request\. ([\d,.]+) bytes of data.* and ([\d,.]+) bytes of WAL/.exec(
        renderMarkdown(documentOf(summary)),
      );
    // The control's two arms and the variant, each with about as many requests.
    expect(Number(said?.[1])).toBeCloseTo((2 * 0.02 + 0.9) / 3, 1);
    const wal = Number(said?.[3]?.replace(',', ''));
    expect(wal).toBeGreaterThan(0.95 * 3060);
    expect(wal).toBeLessThan(1.05 * 3060);
  });

  test('charges autovacuum to the arm in whose database it worked', () => {
    const summary = runOf(shared, { background: { cpuMs: 0.1 } });
    expect(comparison(summary, 'postgres_cpu_ms_per_request').deltaPercent).toBeCloseTo(25, 0);
  });
});

describe('temporary files', () => {
  test('are charged to the arm whose sorts did not fit', () => {
    const perRequest = ({ variant }: FixtureCell) => ({ xact_commit: 1, temp_bytes: variant === 'b' ? 2e6 : 1e6 });
    const summary = runOf(shared, {}, { perRequest });
    expect(comparison(summary, 'temp_bytes_per_request')).toMatchObject({ verdict: 'higher', deltaPercent: 100 });
  });

  test('of one arm alone are more than none', () => {
    const perRequest = ({ variant }: FixtureCell) => ({ xact_commit: 1, temp_bytes: variant === 'b' ? 2e6 : 0 });
    expect(comparison(runOf(shared, {}, { perRequest }), 'temp_bytes_per_request').verdict).toBe('higher');
  });
});

describe('work between turns', () => {
  test('is a finding where an arm does much more of it than the control, beyond what it did alone', () => {
    const { findings } = runOf(shared, { laterCpuMs: 0.12 });
    expect(findings.map(({ name }) => name)).toEqual(['later-work']);
    expect(findings[0]?.text).toMatch(/^b, 25 connections: 6.2\d* % as much CPU between its turns/);
  });

  test('is none where it is little, or the control does as much', () => {
    expect(runOf(shared, { laterCpuMs: 0.05 }).findings).toEqual([]);
    const work = (): FixtureWork => ({ ...usual, laterCpuMs: 0.12, background: shared });
    const { findings } = runOf(shared, {}, { work });
    expect(findings.flatMap(({ cells }) => cells.map(({ variant }) => variant))).toEqual(['a']);
  });

  /** A service that does little: 160 ms of CPU in 2 s of turns. By arm and round, its CPU between them in ms. */
  const slim = (betweenMs: (cell: FixtureCell) => number, options: FixtureOptions = {}) => {
    const work = (cell: FixtureCell): FixtureWork => ({
      ...usual,
      laterCpuMs: betweenMs(cell) / 80,
      background: shared,
    });
    return runOf(shared, {}, { work, requestsPerSecond: 5, windowMs: 2000, ...options });
  };
  const inRound =
    (ms: number, variant: string, repeat = false) =>
    (cell: FixtureCell) =>
      cell.variant === variant && cell.repeat === repeat && cell.round === 2 ? ms : 1;

  test('is none where an arm had one event of it: a collection of garbage, or code that is compiled late', () => {
    for (const rounds of [2, 8]) {
      expect(slim(inRound(50, 'b'), { rounds }).findings).toEqual([]);
      expect(slim(inRound(50, 'a'), { rounds }).findings).toEqual([]);
    }
    // A little in each round that moves no other arm by a hundredth.
    expect(slim(({ variant }) => (variant === 'b' ? 15 : 1)).findings).toEqual([]);
  });

  test('is none of the control where only one of its arms has it', () => {
    expect(slim(({ variant, repeat }) => (variant === 'a' && repeat ? 90 : 1)).findings).toEqual([]);
    expect(slim(({ variant }) => (variant === 'a' ? 90 : 1)).findings.map(({ name }) => name)).toEqual(['later-work']);
  });

  test('is a finding where it comes in each round, or rarely and much at once', () => {
    for (const betweenMs of [({ variant }: FixtureCell) => (variant === 'b' ? 50 : 1), inRound(800, 'b')])
      expect(slim(betweenMs).findings.map(({ name }) => name)).toEqual(['later-work']);
    expect(slim(inRound(400, 'b'), { rounds: 2 }).findings.map(({ name }) => name)).toEqual(['later-work']);
  });

  test('is no reason for turn: off where arms had whole slices already', () => {
    const journal = (wholeSlices: boolean) => {
      const work = ({ variant }: FixtureCell): FixtureWork => ({ ...usual, laterCpuMs: variant === 'b' ? 0.5 : 0 });
      const probes = () => ({ all: { machine_cpu_share: 0.8 } });
      const made = fixtureJournal({ ...small, rounds: 8, work, probes });
      const records = [...made.records].map((record) =>
        record.type === 'pass' && wholeSlices ? { ...record, wholeSlices: 'idle work' as const } : record,
      );
      return { ...made, records };
    };
    expect(summarize(journal(false)).findings[0]?.next).toContain('measure with turn: off and a slice so long');
    expect(summarize(journal(true)).findings[0]?.next).toContain('set load.slice so long');
  });
});
