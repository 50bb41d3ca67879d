import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { variantAt } from '../../../src/journal/tune/variant-at.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { createTuneRule } from '../../../src/judge/tune/tune-rule.ts';
import { runFolderAt } from '../../../src/measure/run/run-folder.ts';
import { searchTable } from '../../../src/report/tables/search-table.ts';
import { withPostgres } from '../../measure/stack/postgres.ts';
import { runLive } from '../../support/live-run.ts';

const text = `title: A space on a server of the user's
target: { command: node server.mjs, ready: /health }
dataset: { sql: [schema.sql, data.sql] }
tune:
  pool: { env: POOL_MAX, range: [1, 100] }
  memory: { setting: work_mem, levels: [4MB, 1kB, 16MB] }
control: { pool: 2 }
load: { connections: 4, slice: 1s, warmup: 1s, requests: [{ path: /items }] }
rounds: { min: 1, max: 1 }
`;

const server = withPostgres({ settings: { max_connections: 60, superuser_reserved_connections: 4 } });

const live = `title: A space that is switched live
target: { service: documents }
dataset: { template: partial-grand-bend, documents: 300 }
tune:
  wait: { live: { setting: wal_writer_delay }, levels: [200ms, 10ms] }
  commit: { live: { setting: synchronous_commit }, levels: [on, off] }
  index: { live: { hideIndex: ix_references_checking } }
control: { wait: 200ms, commit: on }
load: { connections: 2, slice: 1s, warmup: 300ms, workload: upsert-schools }
rounds: { min: 1, max: 20 }
`;

/** Where a run of the test lies, until its end. */
function runPath(): string {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-tune-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return join(path, 'run');
}

it('switches all settings of a space in one service, which starts once a round', async () => {
  const path = runPath();
  const { journal: file } = runFolderAt(path);
  await runLive(
    { text: live, file: 'test/bench/live.yaml', path },
    {
      decideStop: (round, _, roundsLeft) => {
        const { run, records } = readJournal(file);
        if (run.scenario.tune === undefined) throw new Error('no space');
        return { ...createTuneRule(run, run.scenario.tune).after(records, false, roundsLeft), stop: round >= 2 };
      },
      emit: () => {},
    },
  );
  const journal = readJournal(file);
  const records = [...journal.records];
  const [first] = records.flatMap((record) => (record.type === 'proposed' ? [record] : []));
  expect(first?.variants.length).toBe(6);
  const names = first?.variants.map(({ name }) => name) ?? [];
  const inRound = records.flatMap((record) => (record.type === 'arm' && record.round === 1 ? [record] : []));
  expect(new Set(inRound.map(({ variant }) => variant))).toEqual(new Set([first && 'wait=200ms, commit=on', ...names]));
  expect(new Set(inRound.map(({ database }) => database)).size).toBe(1);
  // Of each service that is started there is a log: one in each of two rounds, and that of the try before them.
  const logs = readdirSync(join(path, 'logs')).filter((name) => !name.startsWith('postgres'));
  expect(logs.length).toBeLessThanOrEqual(3);
  for (const { variant, treatment = [] } of inRound) {
    const found = treatment.map((one) => one.found).join('; ');
    expect(found).toContain(`synchronous_commit = ${variant.includes('commit=off') ? 'off' : 'on'} (database)`);
    expect(found).toContain(`wal_writer_delay = ${variant.includes('wait=10ms') ? '10ms' : '200ms'} (server)`);
    expect(found.includes('ix_references_checking hidden')).toBe(variant.includes('index=hidden'));
  }
  expect(records.filter((record) => record.type === 'pass')[0]?.live?.switches).toBeGreaterThan(0);
  const { search } = summarize(journal);
  expect([search?.rounds, search?.confirmed]).toEqual([2, null]);
  expect(search?.trials.map(({ rounds }) => rounds > 0)).toEqual(Array(7).fill(true));
}, 240_000);

it('tries no pool that a running server has no room for, and leaves out a setting that it refuses, with its reason', async () => {
  const run = runPath();
  const { journal: file } = runFolderAt(run);
  await runLive(
    { text, file: 'docs/examples/items/tune.yaml', path: run },
    {
      stackChoice: { kind: 'external', postgresUrl: server.postgres.adminUrl() },
      decideStop: (round) => {
        const { scenario } = readJournal(file).run;
        const { tune, variants } = scenario;
        if (round > 0 || tune === undefined) return { stop: true, undecided: 0 };
        const proposed = [1, 2].map((memory) => variantAt(tune, [0, memory], variants[0]));
        return { stop: false, undecided: 1, proposed: { stage: 'search', variants: proposed } };
      },
      emit: () => {},
    },
  );
  const journal = readJournal(file);
  const { beyond, values = [] } = journal.run.scenario.tune?.factors[0] ?? {};
  // Other clients and reserved ones count: of 60 at most 56 are left.
  expect(beyond?.connections).toBeLessThanOrEqual(56);
  expect(beyond?.connections).toBeGreaterThan(40);
  expect(Math.max(...values.map(Number))).toBeLessThanOrEqual(beyond?.connections ?? 0);
  expect(beyond?.from).toBeGreaterThan(beyond?.connections ?? 0);
  const records = [...journal.records];
  const refused = records.flatMap((record) => (record.type === 'refused' ? [record] : []));
  expect(refused).toMatchObject([
    { round: 1, variant: 'pool=1, memory=1kB', reason: expect.stringContaining('work_mem') },
  ]);
  const measured = records.flatMap((record) => (record.type === 'slice' ? [record.variant] : []));
  expect(new Set(measured)).toEqual(new Set(['pool=2', 'pool=1, memory=16MB']));
  const rows = searchTable(summarize(journal).search)?.rows.map((row) => row.map((cell) => cell.text)) ?? [];
  expect(rows.find(([name]) => name === 'pool=1, memory=1kB')?.at(-1)).toMatch(/^refused: .*work_mem/);
}, 120_000);
