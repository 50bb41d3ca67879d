import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../src/base/process/reaper.ts';
import { loadDataset } from '../../src/dataset/load-dataset.ts';
import { createDatabase } from '../../src/stack/common/databases.ts';
import type { StartedPostgres } from '../../src/stack/common/postgres.ts';
import { startEmbeddedPostgres } from '../../src/stack/embedded/postgres.ts';
import { needs } from '../support/needs.ts';
import { postgresVersions } from '../support/things.ts';

/** What pg_dump 15.18 has written of a database with a bit of everything. */
const written = readFileSync(join(import.meta.dirname, '../fixtures/dumps/pg_dump-15.sql'), 'utf8');
const timeout = 'SET idle_in_transaction_session_timeout = 0;\n';
/** Bodies as SQL are of 14 and later. */
const atomic = /BEGIN ATOMIC[\s\S]*?\nEND;/;
/** The same as others write it, whose beginnings differ. */
const dumps: Readonly<Record<string, string>> = {
  '13': written.replace(/\\(un)?restrict .*\n/g, '').replace(atomic, () => 'AS $$ SELECT count(*) FROM shop.items $$;'),
  '15': written,
  '18': written.replace(timeout, `${timeout}SET transaction_timeout = 0;\n`),
};

let folder: string;
let reaper: Reaper;
const servers = new Map<string, StartedPostgres>();
let databases = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-sql-'));
  reaper = startReaper();
});
afterAll(async () => {
  for (const server of servers.values()) await server.stop();
  await reaper.close();
  rmSync(folder, { recursive: true });
});

/** The server of that version, '' for the usual one. */
async function serverOf(version: string): Promise<StartedPostgres> {
  const known = servers.get(version);
  if (known !== undefined) return known;
  const server = await startEmbeddedPostgres({ reaper, ...(version !== '' && { server: { version } }) });
  servers.set(version, server);
  return server;
}

/** Loads a text into a database of its own; returns what was said meanwhile, and a way to ask it. */
async function load(text: string, version = '') {
  const server = await serverOf(version);
  const name = `sql_${databases++}`;
  await createDatabase(server, name);
  const file = join(folder, `${name}.sql`);
  writeFileSync(file, text);
  const said: string[] = [];
  const onProgress = (message: string): void => void said.push(message);
  const signal = new AbortController().signal;
  await loadDataset({ kind: 'sql', files: [file] }, server.adminUrl(name), { reaper, onProgress, signal });
  return { said, url: server.adminUrl(name) };
}

async function rowsOf(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const items = [
  { id: '1', name: 'plain', note: null },
  { id: '2', name: 'tab\tand\nline', note: "back\\slash; quote ' $$" },
  { id: '3', name: 'Zürich 🚲', note: '\\.' },
];

describe.each(Object.keys(dumps))('what pg_dump %s writes', (dump) => {
  for (const version of postgresVersions) {
    // Nobody's server takes a dump of what it has not: bodies as SQL.
    if (version === '13' && dump !== '13') continue;
    describe(`into Postgres ${version}`, async () => {
      const needed = await needs(`postgres-${version}`);
      it('is loaded whole', needed.orSkip, async () => {
        const { said, url } = await load(dumps[dump] ?? '', version);
        expect(await rowsOf(url, 'SELECT id, name, note FROM shop.items ORDER BY id')).toEqual(items);
        expect(await rowsOf(url, 'SELECT shop.count_items() AS n')).toEqual([{ n: '3' }]);
        // Nothing has to be planned without statistics.
        expect(await rowsOf(url, "SELECT reltuples::int AS n FROM pg_class WHERE relname = 'items'")).toEqual([
          { n: 3 },
        ]);
        const unknown = dump === '18' && Number(version) < 17 ? 'setting transaction_timeout, ' : '';
        expect(said.at(-1)).toMatch(
          new RegExp(`left out, since this Postgres has no ${unknown}role app, role Read only$`),
        );
      });
    });
  }
});

describe('an SQL file', () => {
  it('of rows that have more than one piece keeps every character', async () => {
    const names = Array.from({ length: 40_000 }, (_, n) => `${n} 🚲 ${'x'.repeat(40)}`);
    const text = `CREATE TABLE t (n int, name text);\nCOPY t FROM stdin;\n${names.map((name, n) => `${n}\t${name}\n`).join('')}\\.\n`;
    const { url } = await load(text);
    expect(await rowsOf(url, 'SELECT name FROM t ORDER BY n')).toEqual(names.map((name) => ({ name })));
  });

  it.each([
    ['SELECT 1;\n\nSELECT nope;\n', /\.sql:3: column "nope" does not exist/, /pg_dump writes in its plain format/],
    [
      'CREATE TABLE t (n int);\nCOPY t FROM stdin;\n1\nx\n\\.\n',
      /\.sql:2: invalid input syntax for type integer: "x"/,
      /^COPY t, line 2, column n: "x"\n/,
    ],
    ['SELECT 1;\n\\i other.sql\n', /\.sql:2: \\i other\.sql is a command of psql, not SQL/, /plain format/],
    [
      '\\connect shop\n',
      /\.sql:1: \\connect shop: the database is the bench's; make the dump without --create/,
      /--create/,
    ],
    ["SELECT 'a;\n", /\.sql:1: this ' is never closed/, /plain/],
    // Postgres does not say which of the statements it was.
    ['SELECT 1;\nSELECT 1 / (SELECT 0);\n', /\.sql: division by zero/, /plain/],
    ['PGDMP...', /is a dump in the custom format, and no SQL/, /dump: FILE/],
    ['PNG\r\n\u001a\n\0\0', /\.sql is not text$/, /takes SQL, gzipped or not/],
  ])('%j is refused with its line', async (text, message, hint) => {
    const loading = load(text);
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toMatchObject({ code: 'dataset', hint: expect.stringMatching(hint) });
  });
});
