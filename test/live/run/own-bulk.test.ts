import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { runLive } from '../../support/live-run.ts';

const DOCUMENTS = 100;

// Answers each new item with its id. One variant answers 201 without inserting every tenth.
const service = `import { createServer } from 'node:http';
import pg from 'pg';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });
const server = createServer(async (request, response) => {
  if (request.url === '/health') return response.end('ok');
  if (request.method === 'GET') {
    const id = /^\\/documents\\/(\\d+)$/.exec(request.url)?.[1] ?? 0;
    const { rows } = await pool.query('SELECT * FROM documents WHERE id = $1', [id]);
    return response.writeHead(rows.length === 1 ? 200 : 404).end(JSON.stringify(rows[0] ?? {}));
  }
  const { n, name } = JSON.parse((await request.toArray()).join(''));
  if (process.env.LOSES && n % 10 === 0) return response.writeHead(201).end('{}');
  const { rows } = await pool.query('INSERT INTO documents (n, name) VALUES ($1, $2) RETURNING id', [n, name]);
  response.writeHead(201, { location: '/documents/' + rows[0].id }).end();
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => (server.close(() => pool.end()), server.closeIdleConnections()));
`;

const text = `title: A file of JSON lines into a service of one's own
target: { command: node server.mjs, ready: /health }
dataset: { sql: schema.sql }
variants:
  Control: {}
  Losing: { env: { LOSES: '1' } }
control: Control
load:
  bulk: { file: documents.ndjson, path: /documents, connections: 4, check: { sql: SELECT count(*) FROM documents } }
  requests: [{ path: '/documents/\${loaded}' }]
  connections: 2
  slice: 500ms
  turn: 250ms
  warmup: 250ms
rounds: { min: 1, max: 1 }
`;

let folder: string;
afterEach(() => rmSync(folder, { recursive: true }));

it('loads a file into a service of a user, checks what is there, and reads what was loaded by its ids', async () => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-own-bulk-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'server.mjs'), service);
  writeFileSync(join(folder, 'schema.sql'), 'CREATE TABLE documents (id bigserial PRIMARY KEY, n int, name text);');
  const lines = Array.from({ length: DOCUMENTS }, (_, n) => JSON.stringify({ n, name: `name ${n}` }));
  writeFileSync(join(folder, 'documents.ndjson'), `${lines.join('\n')}\n`);
  const run = await runLive({ text, file: join(folder, 'pgsweep.yaml'), path: join(folder, 'run') });
  const records = [...readJournal(run.journal).records];
  const loads = records.flatMap((record) => (record.type === 'slice' && record.bulk !== undefined ? [record] : []));
  expect(loads.map(({ arm }) => arm).sort()).toEqual(['Control', 'Control (A/A)', 'Losing']);
  for (const { bulk } of loads) expect(bulk).toMatchObject({ documents: DOCUMENTS, loaded: DOCUMENTS, failed: {} });
  const checks = records.flatMap((record) => (record.type === 'bulk-check' ? [record] : []));
  for (const { arm, check } of checks)
    expect(check).toEqual({ missing: arm === 'Losing' ? DOCUMENTS / 10 : 0, unexpected: 0, doubled: 0, dangling: 0 });
  expect(checks).toHaveLength(3);
  const reads = records.flatMap((record) => (record.type === 'slice' && record.bulk === undefined ? [record] : []));
  expect(reads).toHaveLength(3);
  for (const { whole } of reads) expect(Object.keys(whole?.statuses ?? {})).toEqual(['200']);
}, 120_000);
