import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { countAll } from '../../../src/journal/outcomes.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { besideTable } from '../../../src/report/tables/beside-table.ts';
import { provenanceFacts } from '../../../src/report/words/provenance.ts';
import { runLive } from '../../support/live-run.ts';

/** How long a job takes at least, and its lock is held. */
const LOCK_MS = 400;

const service = `import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });
const server = createServer(async (request, response) => {
  if (request.url === '/health') return response.end('ok');
  const { rows } = await pool.query('SELECT count(*) AS items FROM items');
  await setTimeout(5);
  response.end(rows[0].items);
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => (server.close(() => pool.end()), server.closeIdleConnections()));
`;

const text = `title: A migration beside load
target: { command: node server.mjs, ready: /health }
dataset: { sql: schema.sql }
variants:
  Locking: { job: { sql: locking.sql } }
  Reading: { job: { sql: reading.sql } }
control: Locking
load:
  job: { check: { sql: SELECT count(*) FROM items, equals: 2 } }
  connections: 3
  requests: [{ path: / }]
  slice: 1s
  warmup: 250ms
rounds: { min: 1, max: 1 }
`;

let folder: string;
afterEach(() => rmSync(folder, { recursive: true }));

it('a job runs beside load: requests that wait for its lock count with their whole wait, and none of those before it', async () => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-own-job-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const write = (name: string, content: string): void => writeFileSync(join(folder, name), content);
  write('server.mjs', service);
  write('schema.sql', 'CREATE TABLE items (id int);\nINSERT INTO items VALUES (1);\n');
  const wait = `SELECT pg_sleep(${LOCK_MS / 1000});\nINSERT INTO items VALUES (2);\n`;
  write('locking.sql', `BEGIN;\nLOCK TABLE items IN ACCESS EXCLUSIVE MODE;\n${wait}COMMIT;\n`);
  write('reading.sql', wait);
  const run = await runLive({ text, file: join(folder, 'pgsweep.yaml'), path: join(folder, 'run') });
  const journal = readJournal(run.journal);
  const slices = [...journal.records].flatMap((record) => (record.type === 'slice' ? [record] : []));
  expect(slices.map(({ arm }) => arm).sort()).toEqual(['Locking', 'Locking (A/A)', 'Reading']);
  for (const { variant, beside, bounded, whole, outcomes, windowMs, job, latency, work, voided } of slices) {
    expect(job).toMatchObject({ runs: 1 });
    // Its time is the job's, which the window holds whole.
    expect(bounded?.durationMs).toBeGreaterThanOrEqual(LOCK_MS);
    expect(windowMs).toBeGreaterThanOrEqual(bounded?.durationMs ?? Number.POSITIVE_INFINITY);
    expect(beside?.without.windowMs).toBe(1000);
    expect(beside?.without.okByTime).toBeGreaterThan(0);
    expect(countAll(whole)).toBeGreaterThanOrEqual(countAll(outcomes) + countAll(beside?.without.outcomes ?? whole));
    expect(Object.keys(whole.statuses)).toEqual(['200']);
    expect(1000 * Math.round(latency.maxUs / 1000)).toBeLessThanOrEqual((beside?.longestUs ?? 0) + 2000);
    expect([work, voided]).toEqual([undefined, []]);
    // A request of each connection met the lock, and waited for it but for its own time before.
    if (variant === 'Locking') expect(beside?.longestUs).toBeGreaterThan((1000 * LOCK_MS) / 2);
  }
  expect([...journal.records].some(({ type }) => type === 'counters')).toBe(false);
  const summary = summarize(journal);
  expect(summary.beside?.map(({ variant, metric, verdict }) => [variant, metric, verdict])).toEqual(
    ['Locking', 'Reading'].flatMap((variant) =>
      ['longest_wait_ms', 'requests_per_s', 'latency_p99_ms'].map((metric) => [variant, metric, 'noise']),
    ),
  );
  expect(besideTable(summary, { connections: 3, of: 'beside' })?.rows).toHaveLength(2);
}, 120_000);

it('a job without a service shows no rate of requests while it runs, and its report no process of a service', async () => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-own-job-'));
  writeFileSync(join(folder, 'schema.sql'), 'CREATE TABLE items (id int);\n');
  writeFileSync(join(folder, 'job.sql'), 'INSERT INTO items VALUES (1);\n');
  const alone = `title: A job alone
dataset: { sql: schema.sql }
variants: { A: {}, B: { settings: { work_mem: 8MB } } }
control: A
load: { job: { sql: job.sql } }
rounds: { min: 1, max: 1 }
`;
  const kinds = new Set<string>();
  const run = await runLive(
    { text: alone, file: join(folder, 'pgsweep.yaml'), path: join(folder, 'run') },
    { emit: ({ kind }) => kinds.add(kind) },
  );
  expect(kinds).toContain('pass-ended');
  expect(kinds).not.toContain('rate');
  const facts = new Map(provenanceFacts(summarize(readJournal(run.journal))));
  expect(facts.get('each round')).toMatch(/^each arm gets its own: copy of the loaded database \([^)]+\); /);
});
