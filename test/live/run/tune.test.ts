import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { variantAt } from '../../../src/journal/tune/variant-at.ts';
import { summarize } from '../../../src/judge/summary.ts';
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

it('tries no pool that a running server has no room for, and leaves out a setting that it refuses, with its reason', async () => {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-tune-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const run = join(path, 'run');
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
