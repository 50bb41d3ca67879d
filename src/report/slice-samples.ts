import { closeSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ofName } from '../base/by-name.ts';
import { NEW, unfinishedName } from '../base/files/atomic-file.ts';
import { type CsvValue, csvRows } from '../base/files/csv-text.ts';
import { asDiskError, writeWhole } from '../base/files/disk.ts';
import { fileMode, folderMode } from '../base/files/own-files.ts';
import type { Journal } from '../journal/journal.ts';
import { loadLabel } from '../journal/load-level.ts';
import { countAll } from '../journal/outcomes.ts';
import { databaseColumns, type LatencyRecord, type ProbeRecord } from '../journal/records.ts';
import { valuesByProbe } from '../judge/read/metrics/probe-values.ts';
import { type CompleteRound, type JudgedSlice, visitRounds } from '../judge/read/rounds/complete-rounds.ts';
import { coveredOutcomes } from '../judge/read/rounds/void-reasons.ts';

import { requireNoLink } from './require-no-link.ts';

type ProbeRow = NonNullable<ProbeRecord['rows']>[number];

const sliceColumns = ['round', 'slice', 'arm', 'variant', 'load', 'started_at', 'voided'] as const;
type SliceColumn = readonly [head: string, read: (judged: JudgedSlice) => CsvValue];

function latencyColumn(head: string, pickUs: (latency: LatencyRecord) => number): SliceColumn {
  return [head, ({ slice: { latency } }) => (latency.count === 0 ? null : pickUs(latency) / 1000)];
}

/**
 * Load, latency and database counters of a slice; CPU and WAL of the arm's own turns. Counters may cover a part of the
 * turns: `counters_load_ms` and `counters_requests` are of that part.
 */
const measuredColumns: readonly SliceColumn[] = [
  ['ok', ({ slice }) => slice.latency.count],
  ['window_ms', ({ slice }) => slice.windowMs],
  latencyColumn('latency_mean_ms', ({ meanUs }) => meanUs),
  latencyColumn('latency_p50_ms', ({ p50Us }) => p50Us),
  latencyColumn('latency_p95_ms', ({ p95Us }) => p95Us),
  latencyColumn('latency_max_ms', ({ maxUs }) => maxUs),
  ...databaseColumns.map((name): SliceColumn => [name, ({ counters }) => counters?.delta[name] ?? null]),
  ['requests', ({ slice }) => countAll(slice.whole)],
  ['service_cpu_ms', ({ slice }) => slice.work?.serviceCpuMs ?? null],
  ['postgres_cpu_ms', ({ slice }) => slice.work?.postgresCpuMs ?? null],
  ['wal_bytes', ({ slice }) => slice.work?.walBytes ?? null],
  ['counters_load_ms', ({ counters }) => counters?.loadMs ?? null],
  ['counters_requests', ({ slice, counters }) => counters && countAll(coveredOutcomes(slice, counters))],
];

/** Names of probes name files: what is no such name has none. A bench has some dozen probes with a few values each. */
const PROBE = /^[a-z][a-z0-9-]{0,60}$/;
const MOST_PROBES = 50;
const MOST_COLUMNS = 1000;

/** The columns of a journal's slices, in their order in the files. */
export interface SampleColumns {
  /** Names of values, over all probes. */
  readonly values: ReadonlySet<string>;
  /** By probe, the columns of its rows. */
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>;
  /** Adds the columns of a round. */
  see(round: CompleteRound): void;
}

/**
 * Writes a journal's complete rounds as tables aligned to the slices. samples/slices.csv has a row for each slice, with
 * its load, its database counters (of the slice) and every value that a probe saw. samples/<probe>-rows.csv has what
 * has no fixed names, such as statements, a row each. An empty field has no value. The journal is read and not held;
 * its columns are those of all its complete rounds. Throws PgsweepError `journal` where the folder leads elsewhere by a
 * link, and errors of files as `asDiskError` makes them.
 */
export function writeSliceSamples(runFolder: string, journal: Journal, columns = columnsOf(journal)): void {
  requireNoLink(runFolder, 'samples');
  const values = [...columns.values];
  const rows = new Map([...columns.rows].map(([probe, own]) => [probe, [...own]]));
  const folder = join(runFolder, 'samples');
  const head = [...sliceColumns, ...measuredColumns.map(([name]) => name), ...values];
  const slices = openCsv(join(folder, 'slices.csv'), head);
  const byProbe = new Map(
    [...rows].map(([probe, columns]) => [
      probe,
      openCsv(join(folder, `${probe}-rows.csv`), [...sliceColumns, ...columns]),
    ]),
  );
  visitRounds(journal, (round) => {
    slices.write(round.slices.map((judged) => sliceRow(judged, values)));
    for (const [probe, columns] of rows) {
      byProbe.get(probe)?.write(round.slices.flatMap((judged) => probeRows(judged, probe, columns)));
    }
  });
  for (const csv of [slices, ...byProbe.values()]) csv.close();
}

function columnsOf(journal: Journal): SampleColumns {
  const columns = sampleColumns();
  visitRounds(journal, columns.see);
  return columns;
}

/** Columns of no round yet. A caller that reads a large journal anyway collects them on the way. */
export function sampleColumns(): SampleColumns {
  const values = new Set<string>();
  const rows = new Map<string, Set<string>>();
  return {
    values,
    rows,
    see(round) {
      for (const { probe, values: seen, rows: detail = [] } of round.slices.flatMap(({ probes }) => probes)) {
        for (const name in seen) if (values.size < MOST_COLUMNS) values.add(name);
        if (detail.length === 0 || !PROBE.test(probe) || (rows.size >= MOST_PROBES && !rows.has(probe))) continue;
        const columns = rows.get(probe) ?? new Set<string>();
        for (const row of detail) for (const name in row) if (columns.size < MOST_COLUMNS) columns.add(name);
        rows.set(probe, columns);
      }
    },
  };
}

function sliceCells({ slice, voided }: JudgedSlice): CsvValue[] {
  const { round, slice: number, arm, variant, load, startedAt } = slice;
  return [round, number, arm, variant, loadLabel(load), startedAt, voided.join('; ')];
}

function sliceRow(judged: JudgedSlice, names: readonly string[]): CsvValue[] {
  const seen = new Map(valuesByProbe(judged.probes).flatMap((values) => Object.entries(values)));
  const measured = measuredColumns.map(([, read]) => read(judged));
  return [...sliceCells(judged), ...measured, ...names.map((name) => seen.get(name) ?? null)];
}

function probeRows(judged: JudgedSlice, probe: string, columns: readonly string[]): CsvValue[][] {
  const rows: readonly ProbeRow[] = judged.probes.find((record) => record.probe === probe)?.rows ?? [];
  return rows.map((row) => [...sliceCells(judged), ...columns.map((column) => ofName(row, column) ?? null)]);
}

interface CsvFile {
  write(rows: readonly (readonly CsvValue[])[]): void;
  close(): void;
}

/** A file that is there once it is whole. */
function openCsv(file: string, head: readonly string[]): CsvFile {
  const unfinished = unfinishedName(file);
  const descriptor = opened(unfinished, file);
  const write: CsvFile['write'] = (rows) => {
    if (rows.length === 0) return;
    try {
      writeWhole(descriptor, csvRows(rows));
    } catch (cause) {
      closeSync(descriptor);
      rmSync(unfinished, { force: true });
      throw asDiskError(cause, file);
    }
  };
  write([head]);
  return {
    write,
    close() {
      closeSync(descriptor);
      try {
        renameSync(unfinished, file);
      } catch (cause) {
        rmSync(unfinished, { force: true });
        throw asDiskError(cause, file);
      }
    },
  };
}

/** Opens a new file under its unfinished name. Throws as `asDiskError` says. */
function opened(unfinished: string, file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: folderMode() });
    return openSync(unfinished, NEW, fileMode());
  } catch (cause) {
    throw asDiskError(cause, file);
  }
}
