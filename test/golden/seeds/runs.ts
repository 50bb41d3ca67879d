import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openJournal } from '../../../src/journal/journal.ts';
import { loadSize } from '../../../src/journal/load-level.ts';
import type { JournalRecord, SliceRecord } from '../../../src/journal/records.ts';
import type { LoadLevel } from '../../../src/journal/scenario-record.ts';
import { type FixtureCell, type FixtureJournal, type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';

/** Made runs with the rows and columns of the reports in ../shared/seeds: numbers of our own, simulated. */

const perRequest: FixtureOptions['perRequest'] = ({ variant }) => ({
  xact_commit: 1,
  xact_rollback: variant.includes('SHARE NOT WAIT') || variant.includes('AliasMeadowlarkIdIndex') ? 0.04 : 0,
  blks_read: 0.05,
  blks_hit: 18,
  tup_returned: variant.includes('AliasMeadowlarkIdIndex') ? 12 : 2.5,
  tup_fetched: 0.4,
  tup_inserted: 2,
  tup_updated: 0.5,
  tup_deleted: 2,
});

const small: FixtureOptions = { rounds: 4, windowMs: 1000, noise: 0.01, perRequest };

/** postgres-performance-testing.md, method 1: pool sizes under three numbers of connections. */
export const pools: FixtureOptions = {
  ...small,
  title: 'Postgres connection pool',
  effect: ({ variant, connections }) => (variant === 'pool=35' && connections === 1 ? -0.25 : 0),
};

/** Method 2 of it: nine variants by name, a bulk load. */
export const indexes: FixtureOptions = {
  ...small,
  title: 'Database changes',
  variants: [
    'Control',
    'Pool 25 conn',
    'Remove ReferencesTableCheckingIndex',
    'Remove ReferencesTableDeletingIndex',
    'Remove AliasesTableMeadowlarkIdIndex',
    'Remove AliasesTableDocumentUuid',
    'Remove AliasesTableAliasMeadowlarkIdIndex',
    'Remove SHARE NOT WAIT AliasMeadowlarkIdsForDocumentByDocumentUuid',
    'Remove SHARE NOT WAIT AliasMeadowlarkIdsForDocumentByMeadowlarkId',
  ],
  control: 'Control',
  connections: [25],
  effect: ({ variant }) => (variant.includes('SHARE NOT WAIT') || variant.includes('AliasMeadowlarkIdIndex') ? -0.5 : 0),
};

const databases = ['MySQL', 'Postgres'];
const releases = ['v9.11.16', 'v10.5.7'];
const grid = databases.flatMap((Test) =>
  releases.map((release) => [`Test=${Test}, release=${release}`, { Test, release }] as const),
);

/** adhoc-comparison-two-runs.md: a grid of database and release. */
export const grids: FixtureOptions = {
  ...small,
  title: 'Ad-hoc performance comparison v9.11.16 vs v10.5.7',
  variants: grid.map(([name]) => name),
  factors: Object.fromEntries(grid),
  control: grid[0]?.[0] ?? '',
  connections: [25],
  effect: ({ variant }) => (variant.includes('v10') ? 0.11 : 0) + (variant.includes('Postgres') ? 0.06 : 0),
};

/** client-library-regression.md: five numbers of connections, one of which a variant does not live to see. */
export const libraries: FixtureOptions = {
  ...small,
  title: 'lettuce v5 to v6',
  variants: ['v5', 'v6'],
  control: 'v5',
  connections: [10, 30, 50, 80, 100],
  requestsPerSecond: 40,
  parts: true,
  // With a hundred connections next to nothing comes back.
  effect: ({ variant, connections }) => (variant === 'v5' ? 0 : connections === 100 ? -20 : -0.14),
  failures: ({ variant, connections }) => (variant === 'v6' && connections === 100 ? { timeouts: 100 } : {}),
};

const APIS = ['GET_/configurations/entries/configId', 'POST_/configurations/entries', 'DELETE_/configurations/entries/configId'];

/** module-upgrade.md: named requests under two numbers of users. */
export const modules: FixtureOptions = {
  ...small,
  title: 'mod-configuration-5.5.0 vs mod-configuration-5.6.0',
  variants: ['mod-configuration-5.5.0', 'mod-configuration-5.6.0'],
  control: 'mod-configuration-5.5.0',
  connections: [5, 8],
  requestsPerSecond: 25,
  effect: ({ variant }) => (variant.endsWith('5.6.0') ? 0.5 : 0),
  requests: () => Object.fromEntries(APIS.map((name, i) => [name, { share: 1 / 3, latency: 0.95 + 0.05 * i }])),
};

/** A run folder with a journal, and with what people wrote about it. */
export function runFolder(journal: FixtureJournal, comments?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-seeds-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const writer = openJournal(join(folder, 'journal.jsonl'));
  for (const record of [journal.run, ...journal.records]) writer.append(record);
  writer.close();
  if (comments !== undefined) writeFileSync(join(folder, 'comments.md'), comments);
  return folder;
}

/** The same run as a bulk load. */
export function asBulk(options: FixtureOptions): FixtureJournal {
  const { run, records, warnings } = fixtureJournal(options);
  const inOne = (load: LoadLevel): LoadLevel => ({ connections: loadSize(load), of: 'bulk' });
  const bulk = <T extends { readonly load: LoadLevel }>(of: T): T => ({ ...of, load: inOne(of.load) });
  const levels = run.scenario.load.levels.map(inOne);
  const inBulk = (record: JournalRecord): JournalRecord =>
    record.type === 'slice' || record.type === 'pass' ? bulk(record) : record;
  return {
    run: { ...run, scenario: { ...run.scenario, load: { ...run.scenario.load, levels } } },
    records: records.map(inBulk),
    warnings,
  };
}

/** The same run with the slices void in which next to nothing came back, as a run itself would have it. */
export function withoutAnswers(options: FixtureOptions): FixtureJournal {
  const journal = fixtureJournal(options);
  return {
    ...journal,
    records: journal.records.map((record) =>
      record.type === 'slice' && record.outcomes.timeouts > 0 ? { ...record, voided: ['failed requests'] } : record,
    ),
  };
}

const gauges = ['goroutines_in_use', 'heap_in_use_bytes', 'stack_in_use_bytes'];

/** The same grid with all that was watched beside it, in a run folder: rates by turns, CPU and memory, gauges of the service. */
export function watchedGridFolder(): string {
  const seen = ({ variant }: FixtureCell): Record<string, number> => ({
    service_cpu_cores: variant.includes('v10') ? 1.2 : 1.1,
    postgres_cpu_cores: 0.7,
    service_memory_max_bytes: 2e8,
    postgres_memory_max_bytes: 4e8,
    event_loop_active_seconds_per_s: 0.6,
  });
  const journal = fixtureJournal({ ...grids, probes: (cell) => ({ processes: seen(cell) }) });
  const okByTime = Array.from({ length: 12 }, (_, turn) => 20 + (turn % 5));
  const records = journal.records.map((record) =>
    record.type === 'slice' && record.turns !== undefined
      ? { ...record, turns: { ...record.turns, okByTime } }
      : record,
  );
  const folder = runFolder({ ...journal, records });
  mkdirSync(join(folder, 'samples'));
  const rows = records.flatMap((record) => (record.type === 'slice' ? gaugeRows(record) : []));
  writeFileSync(join(folder, 'samples', 'service-metrics.csv'), `${[GAUGES_HEAD, ...rows].join('\n')}\n`);
  return folder;
}

const GAUGES_HEAD = 'at,round,slice,arm,metric,statistic,value';

function gaugeRows({ startedAt, round, slice, arm }: SliceRecord): string[] {
  return [0, 1, 2].flatMap((second) => {
    const at = new Date(Date.parse(startedAt) + 1000 * second).toISOString();
    return gauges.map((name, gauge) => `${at},${round},${slice},"${arm}",${name},value,${100 * gauge + slice + second}`);
  });
}
