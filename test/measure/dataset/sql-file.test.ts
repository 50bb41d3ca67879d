import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { loadDataset } from '../../../src/measure/dataset/load-dataset.ts';
import { openSqlScript, runSqlFile, type ScriptDatabase } from '../../../src/measure/dataset/run-sql-file.ts';
import { examineRole } from '../../../src/measure/run/preflight/preflight.ts';
import { makeRole, openRole, readRole, urlFor } from '../../../src/measure/run/servers/service-role.ts';
import { createDatabase } from '../../../src/measure/stack/common/databases.ts';
import type { StartedPostgres } from '../../../src/measure/stack/common/postgres.ts';
import { needs } from '../../support/needs.ts';
import { startEmbeddedPostgres } from '../../support/started-postgres.ts';
import { postgresVersions } from '../../support/things.ts';

/** What pg_dump 15.18 has written of a database with a bit of everything. */
const written = readFileSync(join(import.meta.dirname, '../../fixtures/dumps/pg_dump-15.sql'), 'utf8');
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

/** Loads a text into its own database; returns what was left out, and a way to ask it. */
async function load(text: string | Buffer, version = '', singleTransaction = false) {
  const server = await serverOf(version);
  const name = `sql_${databases++}`;
  await createDatabase(server, name);
  const file = join(folder, `${name}.sql`);
  writeFileSync(file, text);
  const signal = new AbortController().signal;
  const spec = { kind: 'sql', files: [file], ...(singleTransaction && { singleTransaction }) } as const;
  const { record } = await loadDataset(spec, server.adminUrl(name), { reaper, onProgress: () => {}, signal });
  const leftOut = record?.leftOut?.map(({ kind, name: what }) => `${kind} ${what}`) ?? [];
  return { leftOut, url: server.adminUrl(name) };
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

/** A wire to the server that counts how often it is sent something after it has answered all that came before. */
async function countRoundTrips(serverPort: number) {
  let trips = 0;
  const wire = createServer((client) => {
    let isAnswered = true;
    const server = connect(serverPort, '127.0.0.1');
    client.on('data', (chunk) => {
      if (isAnswered) trips++;
      isAnswered = false;
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      isAnswered = true;
      client.write(chunk);
    });
    for (const [one, other] of [[client, server] as const, [server, client] as const])
      one.on('error', () => other.destroy()).on('close', () => other.end());
  }).listen(0, '127.0.0.1');
  await once(wire, 'listening');
  const { port } = wire.address() as AddressInfo;
  return { port, roundTrips: () => trips, close: () => void wire.close() };
}

const items = [
  { id: '1', name: 'plain', note: null },
  { id: '2', name: 'tab\tand\nline', note: "back\\slash; quote ' $$" },
  { id: '3', name: 'Zürich 🚲', note: '\\.' },
];

describe('a script as a job', async () => {
  const needed = await needs('postgres-15');
  /** `changes`: SQL that is run before, and other URLs. */
  const script = async (
    text: string,
    { before = '', urls = () => ({}) }: { before?: string; urls?: (url: string) => Partial<ScriptDatabase> } = {},
  ) => {
    const { url } = await load(`CREATE TABLE t (a int);\n${before}`);
    const file = join(folder, 'job.sql');
    writeFileSync(file, text);
    return { url, job: await openSqlScript(file, { databaseUrl: url, adminUrl: url, ...urls(url) }) };
  };
  /** Sessions that sleep, of any job. */
  const sleeping =
    "FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid() AND datname = current_database()";
  const interrupted = async ({ url, job }: Awaited<ReturnType<typeof script>>): Promise<string | undefined> => {
    const abort = new AbortController();
    const running = job.run(abort.signal);
    await expect.poll(() => rowsOf(url, `SELECT count(*)::int AS n ${sleeping}`)).toEqual([{ n: 1 }]);
    abort.abort();
    const error = await running;
    await job.close();
    return error?.message;
  };
  const never = new AbortController().signal;

  it('waits for the disk as psql does, and has each statement in its own transaction', needed.orSkip, async () => {
    const text =
      'SET client_encoding = LATIN1;\nINSERT INTO t VALUES (1);\nDO $$ BEGIN INSERT INTO t VALUES (2); END $$;\n';
    const commit = "INSERT INTO t SELECT 3 WHERE current_setting('synchronous_commit') = 'on';\n";
    const { url, job } = await script(
      `${text}${commit}COPY t FROM stdin;\n4\n\\.\nSELECT 1/0;\nINSERT INTO t VALUES (9);\n`,
    );
    const error = await job.run(never);
    await job.close();
    expect(error?.message).toMatch(/job\.sql:8: division by zero$/);
    expect(await rowsOf(url, 'SELECT a FROM t ORDER BY a')).toEqual([1, 2, 3, 4].map((a) => ({ a })));
  });

  it('says what only psql can do, and how', needed.orSkip, async () => {
    const { job } = await script('\\timing on\n\\i other.sql\n');
    const error = await job.run(never);
    await job.close();
    expect(error?.message).toMatch(/job\.sql:2: \\i other\.sql is a command of psql, not SQL$/);
    expect(error?.hint).toContain("load.job: { command: 'psql ");
  });

  it('ends at an interruption, and leaves no statement running', needed.orSkip, async () => {
    const opened = await script('SELECT pg_sleep(600);\n');
    expect(await interrupted(opened)).toContain('terminating connection');
    await expect.poll(() => rowsOf(opened.url, `SELECT count(*)::int AS n ${sleeping}`)).toEqual([{ n: 0 }]);
  });

  it('ends at an interruption where its own user has no connection left', needed.orSkip, async () => {
    const opened = await script('SELECT pg_sleep(600);\n', {
      before: "CREATE ROLE worker LOGIN PASSWORD 'w' CONNECTION LIMIT 1;\n",
      urls: (url) => ({ databaseUrl: Object.assign(new URL(url), { username: 'worker', password: 'w' }).href }),
    });
    expect(await interrupted(opened)).toContain('terminating connection');
  });

  it('ends at an interruption where the server cannot be told', needed.orSkip, async () => {
    const opened = await script('SELECT pg_sleep(600);\n', {
      urls: () => ({ adminUrl: 'postgres://nobody@127.0.0.1:1/none' }),
    });
    expect(await interrupted(opened)).toContain('Connection terminated');
    await rowsOf(opened.url, `SELECT pg_terminate_backend(pid) ${sleeping}`);
  });
});

describe.each(Object.keys(dumps))('what pg_dump %s writes', (dump) => {
  for (const version of postgresVersions) {
    // Nobody's server takes a dump of what it has not: bodies as SQL.
    if (version === '13' && dump !== '13') continue;
    describe(`into Postgres ${version}`, async () => {
      const needed = await needs(`postgres-${version}`);
      it('is loaded whole', needed.orSkip, async () => {
        const { leftOut, url } = await load(dumps[dump] ?? '', version);
        expect(await rowsOf(url, 'SELECT id, name, note FROM shop.items ORDER BY id')).toEqual(items);
        expect(await rowsOf(url, 'SELECT shop.count_items() AS n')).toEqual([{ n: '3' }]);
        // Nothing has to be planned without statistics.
        expect(await rowsOf(url, "SELECT reltuples::int AS n FROM pg_class WHERE relname = 'items'")).toEqual([
          { n: 3 },
        ]);
        const isYounger = dump === '18' && Number(version) < 17;
        expect(leftOut.toSorted()).toEqual([
          'role Read only',
          'role app',
          ...(isYounger ? ['setting transaction_timeout'] : []),
        ]);
      });
    });
  }
});

describe('the fingerprint of SQL files', () => {
  const fingerprintOf = async (...texts: string[]) => {
    const server = await serverOf('');
    const name = `sql_${databases++}`;
    await createDatabase(server, name);
    const files = texts.map((text, place) => {
      const file = join(folder, `${name}-${place}.sql`);
      writeFileSync(file, text);
      return file;
    });
    const options = { reaper, onProgress: () => {}, signal: new AbortController().signal };
    return (await loadDataset({ kind: 'sql', files }, server.adminUrl(name), options)).record?.fingerprint;
  };

  it('is of what they hold, in their order', async () => {
    const [a, b] = ['CREATE TABLE a ();\n', 'CREATE TABLE b ();\n'];
    const first = await fingerprintOf(a, b);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await fingerprintOf(a, b)).toBe(first);
    for (const others of [[b, a], [a], [a + b], [a, b.replace('b', 'c')]])
      expect(await fingerprintOf(...others)).not.toBe(first);
  });
});

describe('an SQL file', () => {
  it('may limit the statements of services: the VACUUM after it is none of them', async () => {
    const limit = `ALTER DATABASE sql_${databases} SET statement_timeout = '1ms';\n`;
    const { url } = await load(`CREATE TABLE t AS SELECT n FROM generate_series(1, 100000) AS n;\n${limit}`);
    expect(await rowsOf(url, 'SHOW statement_timeout')).toEqual([{ statement_timeout: '1ms' }]);
  });

  it('of rows that have more than one piece keeps every character', async () => {
    const names = Array.from({ length: 40_000 }, (_, n) => `${n} 🚲 ${'x'.repeat(40)}`);
    const text = `CREATE TABLE t (n int, name text);\nCOPY t FROM stdin;\n${names.map((name, n) => `${n}\t${name}\n`).join('')}\\.\n`;
    const { url } = await load(text);
    expect(await rowsOf(url, 'SELECT name FROM t ORDER BY n')).toEqual(names.map((name) => ({ name })));
  });

  it.each([
    ['SELECT 1;\n\nSELECT nope;\n', /\.sql:3: column "nope" does not exist/, /stops here, too/],
    [
      'CREATE TABLE t (n int);\nCOPY t FROM stdin;\n1\nx\n\\.\n',
      /\.sql:4: invalid input syntax for type integer: "x"/,
      /^COPY t, line 2, column n: "x"\n/,
    ],
    [
      'SELECT 1;\n\\i other.sql\n',
      /\.sql:2: \\i other\.sql is a command of psql, not SQL/,
      /dataset\.sql, which takes several/,
    ],
    ['\\connect shop\n', /\.sql:1: \\connect shop is a command of psql, not SQL/, /--create/],
    ["SELECT 'a;\n", /\.sql:1: this ' is never closed/, /stops here, too/],
    // Postgres says no position of what goes wrong while it runs.
    ['SELECT 1;\n\n-- none\nSELECT 1 / (SELECT 0);\nSELECT 2;\n', /\.sql:4: division by zero/, /stops here, too/],
    [
      'CREATE TABLE t (n int PRIMARY KEY);\nINSERT INTO t VALUES (1);\nINSERT INTO t VALUES (2);\nINSERT INTO t\n VALUES (1);\nSELECT nope;\n',
      /\.sql:4: duplicate key/,
      /stops here, too/,
    ],
    // Postgres counts characters, of which each of these is one.
    [
      `SELECT '${'🚲'.repeat(40)}';\nSELECT '${'🚲'.repeat(40)}',\n 1,\n nope;\n`,
      /\.sql:4: column "nope"/,
      /stops here, too/,
    ],
    [
      Buffer.from("CREATE TABLE t (n text);\nINSERT INTO t VALUES ('Z\xfcrich');\n", 'latin1'),
      /\.sql:2: invalid byte sequence for encoding "UTF8": 0xfc/,
      /SET client_encoding = 'LATIN1'/,
    ],
    [
      Buffer.from("SET client_encoding = 'MULE_INTERNAL';\nSELECT '\xfc';\n", 'latin1'),
      /\.sql:1: .*MULE_INTERNAL/,
      /--encoding=UTF8/,
    ],
    [
      'BEGIN;\nCREATE TABLE t (n int);\nCOMMIT;\n\nBEGIN;\nINSERT INTO t VALUES (1);\n',
      /\.sql:5: the file ends inside the transaction that begins here, so all of it is rolled back/,
      /COMMIT/,
    ],
    ['CREATE TABLE t ();\nCREATE POLICY p ON t TO no_reader;\n', /\.sql:2: role "no_reader"/, /role: no_reader \}/],
    ['CREATE EXTENSION no_postgis;\n', /\.sql:1: extension "no_postgis"/, /lacks the extension no_postgis/],
    ['DROP TABLE t;\n', /\.sql:1: table "t" does not exist/, /without --clean/],
    [
      '-- Dumped from database version 99.1\n\nCREATE TABLE t () USING future;\n',
      /\.sql:3: access method "future"/,
      /a younger one/,
    ],
    ['CREATE TABLE t ();\n\\t \\i rows.sql\n', /\.sql:2: \\i rows\.sql is a command of psql/, /takes several/],
    ['\\set AUTOCOMMIT off\n', /\.sql:1: \\set AUTOCOMMIT off is a command of psql/, /BEGIN and COMMIT/],
    ['\\set shop 1\n', /\.sql:1: \\set shop 1 is a command of psql/, /It takes SQL/],
    [gzipSync('CREATE TABLE t ();\n').subarray(0, 20), /gzip file is damaged or ends early$/, /^Compress or copy it/],
    ['PGDMP...', /is a dump in the custom format, not SQL/, /dump: FILE/],
    ['PNG\r\n\u001a\n\0\0', /\.sql is not text$/, /takes SQL, gzipped or not/],
  ] as [string | Buffer, RegExp, RegExp][])('%j is refused with its line', async (text, message, hint) => {
    const loading = load(text);
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toMatchObject({ code: 'dataset', hint: expect.stringMatching(hint) });
  });
});

/** Inputs that failed once; texts of our own above and below stand for each kind where these are not. */
const CASES = join(process.env.PGSWEEP_CASES ?? resolve('../shared/cases'), 'sql');

describe.skipIf(!existsSync(CASES))('of ../shared/cases/sql', () => {
  it.each([
    ['copy-eof.sql', 'SELECT count(*)::int AS n FROM items', [{ n: 102 }], []],
    ['enc-comment.sql', 'SELECT name FROM items WHERE id = 900', [{ name: 'café' }], []],
    ['creates-a-role.sql', "SELECT has_table_privilege('reader', 't', 'SELECT') AS may", [{ may: true }], []],
    ['role.sql', "SELECT to_regclass('t') IS NOT NULL AS there", [{ there: true }], ['role some_reader']],
  ])('%s is loaded as psql loads it', async (file, sql, rows, leftOut) => {
    const loaded = await load(readFileSync(join(CASES, file)));
    expect(await rowsOf(loaded.url, sql)).toEqual(rows);
    expect(loaded.leftOut).toEqual(leftOut);
  });

  it('enc-late.sql is refused, since its text comes before its encoding', async () => {
    await expect(load(readFileSync(join(CASES, 'enc-late.sql')))).rejects.toMatchObject({ code: 'dataset' });
  });
});

describe('statements', () => {
  /** What cannot be in a transaction, and what needs that the statement before has been committed. */
  const alone = `
CREATE TABLE t (n int, at timestamptz DEFAULT now());
INSERT INTO t (n) VALUES (1);
VACUUM t;
CREATE INDEX CONCURRENTLY ix ON t (n);
DO $$ BEGIN INSERT INTO t (n) VALUES (2); COMMIT; INSERT INTO t (n) VALUES (3); END $$;
CREATE TYPE mood AS ENUM ('low');
ALTER TYPE mood ADD VALUE 'high';
CREATE TABLE moods AS SELECT 'high'::mood AS mood;
`;

  it('are run outside of a transaction, as psql runs them', async () => {
    const { url } = await load(alone);
    expect(await rowsOf(url, 'SELECT count(DISTINCT at)::int AS n, (SELECT mood FROM moods) AS mood FROM t')).toEqual([
      { n: 3, mood: 'high' },
    ]);
  });

  it('do not wait for the disk, one by one', async () => {
    const { url } = await load("CREATE TABLE t AS SELECT current_setting('synchronous_commit') AS waits;\n");
    expect(await rowsOf(url, 'SELECT waits FROM t')).toEqual([{ waits: 'off' }]);
  });

  it('may make a tablespace', async () => {
    const { port } = await serverOf('');
    // In place: a folder of its own would have to belong to the user of the server.
    const { url } = await load(
      `SET allow_in_place_tablespaces = on;\nCREATE TABLESPACE space_${port} LOCATION '';\nCREATE TABLE t (n int) TABLESPACE space_${port};\n`,
    );
    expect(
      await rowsOf(url, "SELECT spcname LIKE 'space%' AS its FROM pg_tablespace ORDER BY oid DESC LIMIT 1"),
    ).toEqual([{ its: true }]);
  });

  it('of a file that opens a transaction are in it, rows of COPY too', async () => {
    const { url } = await load(
      'CREATE TABLE t (n int, at timestamptz DEFAULT now());\nBEGIN;\nINSERT INTO t (n) VALUES (1);\nCOPY t (n) FROM stdin;\n2\n3\n\\.\nINSERT INTO t (n) VALUES (4);\nCOMMIT;\nBEGIN;\nDELETE FROM t;\nROLLBACK;\n',
    );
    expect(await rowsOf(url, 'SELECT count(*)::int AS n, count(DISTINCT at)::int AS times FROM t')).toEqual([
      { n: 4, times: 1 },
    ]);
  });

  it('are one transaction where the scenario says so', async () => {
    const { url } = await load('CREATE TABLE t AS SELECT now() AS at;\nINSERT INTO t VALUES (now());\n', '', true);
    expect(await rowsOf(url, 'SELECT count(DISTINCT at)::int AS times FROM t')).toEqual([{ times: 1 }]);
    await expect(load(alone, '', true)).rejects.toThrow(/\.sql:4: VACUUM cannot run inside a transaction block/);
  });

  it('of more than are sent at once are all run, in their order', async () => {
    const rows = Array.from({ length: 2345 }, (_, n) => `INSERT INTO t VALUES (${n}, '${n} 🚲');\n`);
    const { url } = await load(`CREATE TABLE t (n int, name text);\nBEGIN;\n${rows.join('')}COMMIT;\n`);
    expect(await rowsOf(url, "SELECT count(*)::int AS n FROM t WHERE name = n || ' 🚲'")).toEqual([{ n: 2345 }]);
  });

  it('are sent ahead of answers: one round trip for hundreds of them', async () => {
    const server = await serverOf('');
    const name = `sql_${databases++}`;
    await createDatabase(server, name);
    const file = join(folder, `${name}.sql`);
    const rows = Array.from({ length: 1500 }, (_, n) => `INSERT INTO t VALUES (${n});\n`);
    writeFileSync(file, `CREATE TABLE t (n int);\n${rows.join('')}`);
    const wire = await countRoundTrips(server.port);
    onTestFinished(() => wire.close());
    const url = new URL(server.adminUrl(name));
    url.port = String(wire.port);
    await runSqlFile(file, url.href, { signal: new AbortController().signal });
    expect(await rowsOf(server.adminUrl(name), 'SELECT count(*)::int AS n FROM t')).toEqual([{ n: 1500 }]);
    // Logging in and what the server knows take some; the statements no more than one for each part of so many.
    expect(wire.roundTrips()).toBeGreaterThan(3);
    expect(wire.roundTrips()).toBeLessThan(100);
  });

  it.each([
    ["SET client_encoding = 'LATIN1';", 'latin1', 'Z\xfcrich', 'Zürich'],
    ["set names 'win1251';", 'latin1', '\xcc\xee\xf1\xea\xe2\xe0', 'Москва'],
    ["SET client_encoding TO 'SJIS';", 'latin1', '\x93\x8c\x8b\x9e', '東京'],
    ["SET client_encoding = 'UTF8';", 'utf8', 'Zürich', 'Zürich'],
    ['\\encoding LATIN1', 'latin1', 'Z\xfcrich', 'Zürich'],
    ["BEGIN; SET client_encoding = 'SJIS'; ROLLBACK;", 'utf8', 'Zürich', 'Zürich'],
    ["SELECT set_config('client_encoding', 'LATIN1', false);", 'latin1', 'Z\xfcrich', 'Zürich'],
    // None of these is executed.
    ["/* for the old dump:\nSET client_encoding = 'LATIN1';\n*/", 'utf8', 'Zürich', 'Zürich'],
    ["CREATE TABLE s AS SELECT '\nset names ''LATIN1'';\n' AS s;", 'utf8', 'Zürich', 'Zürich'],
    [
      "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$\nSET client_encoding = 'LATIN1';\n$$;",
      'utf8',
      'Zürich',
      'Zürich',
    ],
  ] as const)('are read in the encoding that the file says: %s', async (says, encoding, name, expected) => {
    const text = `${says}\nCREATE TABLE t (name text);\nCOPY t FROM stdin;\n${name}\n\\.\n`;
    const { url } = await load(Buffer.from(text, encoding));
    expect(await rowsOf(url, 'SELECT name FROM t')).toEqual([{ name: expected }]);
  });

  it('are read in another encoding from where the file says so, and not before', async () => {
    const pieces = ["CREATE TABLE t (name text); INSERT INTO t VALUES ('Zürich');\n", "SET NAMES 'LATIN1';\n"];
    const after = Buffer.from("INSERT INTO t VALUES ('K\xf6ln'); SET NAMES 'SJIS';\n", 'latin1');
    // The second byte of the first character is a backslash, that of the second an opening bracket.
    const last = Buffer.from("INSERT INTO t VALUES (E'\x95\x5c\x81\x69');\n", 'latin1');
    const { url } = await load(Buffer.concat([...pieces.map((piece) => Buffer.from(piece)), after, last]));
    expect(await rowsOf(url, "SELECT string_agg(name, ' ') AS names FROM t")).toEqual([{ names: 'Zürich Köln 表（' }]);
  });
});

describe('what psql does, too', () => {
  it('loads rows of COPY that end with the file', async () => {
    const { url } = await load('CREATE TABLE t (n int);\nCOPY t FROM stdin;\n1\n2');
    expect(await rowsOf(url, 'SELECT sum(n)::int AS n FROM t')).toEqual([{ n: 3 }]);
  });

  it('grants a role what the file grants it, once the file has made the role', async () => {
    const role = `reader_${databases}`;
    const { leftOut, url } = await load(
      `CREATE TABLE t (id int);\nDO $$ BEGIN CREATE ROLE ${role}; END $$;\nGRANT SELECT ON t TO ${role};\nGRANT SELECT ON t TO nobody_${role};\nCREATE POLICY p ON t TO ${role};\nDROP POLICY p ON t;\n`,
    );
    expect(await rowsOf(url, `SELECT has_table_privilege('${role}', 't', 'SELECT') AS may`)).toEqual([{ may: true }]);
    expect(leftOut).toEqual([`role nobody_${role}`]);
  });

  it('runs what follows on the line of one of its own commands', async () => {
    const { url } = await load(
      "CREATE TABLE t (n int);\n\\t \\a\n\\echo loading \\\\ INSERT INTO t VALUES (1),\n(2);\n\\set AUTOCOMMIT  on\\\\INSERT INTO t VALUES (3);\n\\encoding LATIN1 \\\\ INSERT INTO t VALUES (length('\u00fc'));\n",
    );
    expect(await rowsOf(url, 'SELECT array_agg(n) AS n FROM t')).toEqual([{ n: [1, 2, 3, 2] }]);
  });

  it('ignores its own commands that only change what it prints', async () => {
    const { url } = await load('\\set ON_ERROR_STOP on\n\\timing off\n\\echo one\nCREATE TABLE t (n int);\n\\d t\n');
    expect(await rowsOf(url, 'SELECT count(*)::int AS n FROM t')).toEqual([{ n: 0 }]);
  });
});

describe('the role of the service', () => {
  /** Loads a text for a role that no other test has, and says what it may do. */
  async function withRole(text: (role: string) => string) {
    const server = await serverOf('');
    const role = `App ${databases}`;
    const file = join(folder, `${role}.sql`);
    writeFileSync(file, text(`"${role}"`));
    const spec = { kind: 'sql', files: [file], role } as const;
    const name = `sql_${databases++}`;
    await createDatabase(server, name);
    await makeRole(spec, server);
    const { record } = await loadDataset(spec, server.adminUrl(name), {
      reaper,
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    const login = await openRole(role, server, name);
    const url = urlFor(login, server.adminUrl(name));
    return { role, leftOut: record?.leftOut, login, url, facts: await readRole(login, server.adminUrl(name)) };
  }
  const secured = `
CREATE TABLE notes (id int, owner text);
INSERT INTO notes VALUES (1, 'me'), (2, 'you');
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON notes USING (owner = 'me');
`;

  it('owns what was made, where the file gives it nothing', async () => {
    const { role, url, facts } = await withRole(
      () =>
        "CREATE SCHEMA shop; CREATE TYPE shop.mood AS ENUM ('low'); CREATE TABLE shop.items (id serial, mood shop.mood); CREATE VIEW shop.all_items AS SELECT * FROM shop.items; CREATE FUNCTION shop.f(int) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;",
    );
    expect(facts).toEqual({ name: role, isSuperuser: false, secured: 0, bypassed: 0 });
    await rowsOf(url, "INSERT INTO shop.items (mood) VALUES ('low')");
    await rowsOf(url, 'ALTER TYPE shop.mood RENAME TO moods; ALTER FUNCTION shop.f(int) RENAME TO g');
    expect(await rowsOf(url, 'SELECT id, current_user AS role FROM shop.all_items')).toEqual([{ id: 1, role }]);
    await rowsOf(url, 'CREATE TABLE shop.more ()');
  });

  it('has what the file grants it, and no more; policies apply to it', async () => {
    const { leftOut, url, facts } = await withRole((role) => `${secured}GRANT SELECT ON notes TO ${role};`);
    expect(leftOut).toBeUndefined();
    expect(facts).toMatchObject({ isSuperuser: false, secured: 1, bypassed: 0 });
    expect(await rowsOf(url, 'SELECT id FROM notes')).toEqual([{ id: 1 }]);
    await expect(rowsOf(url, 'DELETE FROM notes')).rejects.toThrow(/permission denied/);
  });

  it('has what the file grants it and roles that are not there together', async () => {
    const { leftOut, login, url } = await withRole(
      (role) => `${secured}GRANT SELECT ON notes TO ${role}, reporting, "Größe";`,
    );
    expect(leftOut?.map(({ name }) => name)).toEqual(['reporting', 'Größe']);
    expect(login.owns).toBe(false);
    expect(await rowsOf(url, 'SELECT id FROM notes')).toEqual([{ id: 1 }]);
  });

  it('is made by the file that makes it', async () => {
    const { url } = await withRole(
      (role) => `CREATE ROLE ${role} NOLOGIN; ${secured}GRANT SELECT ON notes TO ${role};`,
    );
    expect(await rowsOf(url, 'SELECT id FROM notes')).toEqual([{ id: 1 }]);
  });

  it.each<[string, (role: string) => string]>([
    ['a comment', (role) => `-- our operators: CREATE ROLE ${role} LOGIN\n/* create user ${role} */`],
    ['a text', (role) => `SELECT 'CREATE ROLE ${role}';`],
    ['a function', (role) => `CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS 'BEGIN CREATE ROLE ${role}; END';`],
    ['a comment of a block', (role) => `DO $$ BEGIN -- CREATE ROLE ${role}\n END $$;`],
  ])('is there before a file that names its making in %s', async (_, text) => {
    const { leftOut, login } = await withRole((role) => `${text(role)}\n${secured}GRANT SELECT ON notes TO ${role};`);
    expect(leftOut).toBeUndefined();
    expect(login.owns).toBe(false);
  });

  it('is made by the block of a file that makes it', async () => {
    const { login } = await withRole(
      (role) => `-- roles\nDO $$ BEGIN CREATE ROLE ${role}; END $$; ${secured}GRANT SELECT ON notes TO ${role};`,
    );
    expect(login.owns).toBe(false);
  });

  it('passes by policies as their owner, and as a superuser', async () => {
    const { login, facts } = await withRole(() => secured);
    expect(login.owns).toBe(true);
    expect(facts).toMatchObject({ isSuperuser: false, secured: 1, bypassed: 1 });
    expect(examineRole(facts)).toMatchObject({ state: 'warning', advice: expect.stringContaining('FORCE') });
    const { url } = await load(secured);
    const superuser = await readRole(null, url);
    expect(superuser).toMatchObject({ isSuperuser: true, secured: 1, bypassed: 1 });
    expect(examineRole(superuser)).toMatchObject({ state: 'warning', advice: expect.stringContaining('role: app') });
  });

  it('is refused on a server that is not ours', async () => {
    const server = await serverOf('');
    const making = makeRole({ kind: 'none', role: 'app' }, { own: false, adminUrl: server.adminUrl });
    await expect(making).rejects.toMatchObject({ code: 'dataset', hint: expect.stringContaining('--stack embedded') });
  });
});
