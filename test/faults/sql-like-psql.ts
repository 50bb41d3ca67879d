import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/base/errors.ts';
import { libpqEnv } from '../../src/base/libpq-env.ts';
import { startReaper } from '../../src/base/process/reaper.ts';
import type { Random } from '../../src/base/random.ts';
import { loadDataset } from '../../src/measure/dataset/load-dataset.ts';
import { createDatabase } from '../../src/measure/stack/common/databases.ts';
import { query } from '../../src/measure/stack/common/query.ts';
import { startEmbeddedPostgres } from '../support/started-postgres.ts';
import { type Context, createTally, type PartResult, range } from './part.ts';

/** SQL files of odd pieces, run by psql and by pgsweep: both refuse them, or both databases hold the same. */
export async function sqlLikePsql({ from, to, random, folder }: Context): Promise<PartResult> {
  const tally = createTally();
  if (spawnSync('psql', ['--version']).error) return tally.result('there is no psql');
  const reaper = startReaper();
  const server = await startEmbeddedPostgres({ reaper });
  try {
    for (const i of range(from, to)) {
      const file = join(folder, `odd-${i}.sql`);
      const role = (by: string): string => `reader_${by}_${i}`;
      const pieces = piecesOf(random);
      const textFor = (by: string): Buffer => Buffer.from(pieces.replaceAll('READER', role(by)), 'latin1');
      const held: string[] = [];
      for (const by of ['psql', 'pgsweep']) {
        await createDatabase(server, `${by}_${i}`);
        const url = server.adminUrl(`${by}_${i}`);
        writeFileSync(file, textFor(by));
        const error = by === 'psql' ? psqlError(file, url) : await ownError(file, url, reaper);
        held.push(error === null ? JSON.stringify(await query(url, HELD_SQL, [role(by)])) : 'refused');
        await query(server.adminUrl(), `DROP DATABASE ${by}_${i} WITH (FORCE)`);
      }
      const [psql, own] = held;
      tally.count(psql === 'refused' ? 'refused' : 'loaded');
      if (psql !== own) tally.fault(`SQL ${i}: psql ${psql}, pgsweep ${own}; ${file}`);
    }
  } finally {
    await server.stop();
    await reaper.close();
  }
  return tally.result();
}

const HELD_SQL = `
  SELECT (SELECT string_agg(name, '|' ORDER BY name) FROM t) AS names,
    coalesce((SELECT has_table_privilege(oid, 't', 'SELECT') FROM pg_roles WHERE rolname = $1), false) AS may`;

/** Bytes, one a character. What psql would roll back without a word, pgsweep refuses: no piece leaves a transaction open. */
function piecesOf(random: Random): string {
  const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
  const name = (): string =>
    random.pick(['plain', utf8('Zürich'), 'Z\xfcrich', utf8('表 🚲'), '\x95\x5c', "it''s", utf8('ª; -- x')]);
  const encoding = (): string => random.pick(['UTF8', 'LATIN1', 'SJIS', 'WIN1252', 'SQL_ASCII', 'NONE_SUCH']);
  const set = (): string =>
    random.pick([
      `SET client_encoding = '${encoding()}';\n`,
      `set names '${encoding()}';`,
      `\\encoding ${random.pick(['UTF8', 'LATIN1', 'SJIS'])}\n`,
      `RESET client_encoding;\n`,
      `BEGIN; SET LOCAL client_encoding = '${encoding()}'; COMMIT;\n`,
      `SELECT set_config('client_encoding', '${encoding()}', false) \\g\n`.replace(' \\g', ';'),
    ]);
  const all: readonly (() => string)[] = [
    () => `INSERT INTO t VALUES ('${name()}');\n`,
    () => `INSERT INTO t VALUES ($x$${name()}; '$x$);`,
    () => `/* ${set()} /* ${name()} */ */\n`,
    () => `-- ${name()} ${set().split('\n')[0]}\n`,
    () => `INSERT INTO t VALUES (E'\\n${set().replaceAll("'", "''").replaceAll('\\', '')}');\n`,
    () => `DO $$ BEGIN PERFORM 1; /* ${set()} */ END $$;\n`,
    set,
    () => `COPY t FROM stdin;\n${name().replaceAll('\\', '')}\nrow\n\\.\n`,
    () => `BEGIN; INSERT INTO t VALUES ('${name()}'); ROLLBACK;\n`,
    () => 'CREATE ROLE READER;\n',
    () =>
      'DO $$ BEGIN CREATE ROLE READER; EXCEPTION WHEN duplicate_object THEN NULL; END $$; GRANT SELECT ON t TO READER;\n',
    () => `\\echo ${random.integer(1, 9)}\n`,
    () => `\\timing off \\echo 'it\\'s' \\\\ INSERT INTO t VALUES ('${name()}');\n`,
  ];
  const some = Array.from({ length: random.integer(1, 8) }, () => random.pick(all)());
  const last = random.pick(['', '', 'COPY t FROM stdin;\nlast', "INSERT INTO t VALUES ('no end')"]);
  return `CREATE TABLE t (name text);\n${some.join('')}${last}`;
}

function psqlError(file: string, url: string): string | null {
  try {
    const env = { ...process.env, ...libpqEnv(url), PGCLIENTENCODING: 'UTF8' };
    execFileSync('psql', ['--no-psqlrc', '--quiet', '--set', 'ON_ERROR_STOP=1', '--file', file], {
      env,
      stdio: 'pipe',
    });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

async function ownError(file: string, url: string, reaper: ReturnType<typeof startReaper>): Promise<string | null> {
  const signal = new AbortController().signal;
  try {
    await loadDataset({ kind: 'sql', files: [file] }, url, { reaper, onProgress: () => {}, signal });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
