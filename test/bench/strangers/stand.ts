import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startReaper } from '../../../src/base/process/reaper.ts';
import { copyDatabase, createDatabase } from '../../../src/measure/stack/common/databases.ts';
import { startEmbeddedPostgres } from '../../support/started-postgres.ts';

/** A service of a user: items by id, and new ones, through a pool. */
const service = `import { createServer } from 'node:http';
import pg from 'pg';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
async function answer(request, response) {
  if (request.url === '/health') return response.end('ok');
  if (request.method === 'GET') {
    const id = 1 + Math.floor(1000 * Math.random());
    const { rows } = await pool.query('SELECT * FROM items WHERE id = $1', [id]);
    return response.end(JSON.stringify(rows));
  }
  const { maker, name } = JSON.parse((await request.toArray()).join(''));
  await pool.query('INSERT INTO items (maker, name) VALUES ($1, $2)', [maker, name]);
  response.writeHead(201).end();
}
const server = createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(500).end(error.message));
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => (server.close(() => pool.end()), server.closeIdleConnections()));
`;

/** Two tables, of which the second refers to the first. */
export const schema = (items: number): string => `CREATE TABLE makers (id int PRIMARY KEY);
INSERT INTO makers SELECT generate_series(1, 200);
CREATE TABLE items (id bigserial PRIMARY KEY, maker int NOT NULL, name text NOT NULL);
INSERT INTO items (maker, name) SELECT 1 + n % 200, md5(n::text) FROM generate_series(1, ${items}) n;
`;

/** Writes what all cases need into a folder. */
export function writeService(folder: string, items: number): void {
  writeFileSync(join(folder, 'server.mjs'), service);
  writeFileSync(join(folder, 'schema.sql'), schema(items));
}

/** A Postgres with the loaded data, for a program that times the work alone. */
export interface Stand {
  /** The URL of a fresh copy. */
  copy(): Promise<string>;
}

/** Loads the data once, gives the work a place, and stops everything. */
export async function withStand<T>(sql: string, use: (stand: Stand) => Promise<T>): Promise<T> {
  const reaper = startReaper();
  const server = await startEmbeddedPostgres({ reaper });
  try {
    const template = 'strangers';
    await createDatabase(server, template);
    await runSql(server.adminUrl(template), `${sql}\nVACUUM ANALYZE;`);
    let copies = 0;
    return await use({
      async copy() {
        const name = `copy_${copies++}`;
        await copyDatabase(server, { template, name });
        await runSql(server.adminUrl('postgres'), 'CHECKPOINT');
        return server.adminUrl(name);
      },
    });
  } finally {
    await server.stop();
    await reaper.close();
  }
}

/** Runs statements one after the other, each in its own transaction. */
export async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of sql.split(/;\s*\n|;\s*$/)) if (statement.trim() !== '') await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Starts the service on a database, and ends it. */
export async function withService<T>(
  folder: string,
  databaseUrl: string,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), DATABASE_URL: databaseUrl };
  const child: ChildProcess = spawn(process.execPath, ['server.mjs'], { cwd: folder, env, stdio: 'inherit' });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  try {
    while (!(await isUp(url))) await sleep(20);
    return await use(url);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function isUp(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** One request as a client sees it, on its clock. */
export interface Wait {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A bare client: each of its connections sends the next request when the last is answered, and notes when it did. */
export async function requestsOf(
  url: string,
  connections: number,
  next: () => { readonly method: string; readonly path: string; readonly body?: string } | null,
): Promise<Wait[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const waits: Wait[] = [];
  const one = async (): Promise<void> => {
    for (let wanted = next(); wanted !== null; wanted = next()) {
      const fromMs = performance.now();
      await exchange(url, agent, wanted);
      waits.push({ fromMs, toMs: performance.now() });
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  agent.destroy();
  return waits;
}

function exchange(
  url: string,
  agent: Agent,
  { method, path, body = '' }: { readonly method: string; readonly path: string; readonly body?: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
      response
        .resume()
        .on('end', () => resolve())
        .on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
}
