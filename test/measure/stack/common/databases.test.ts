import pg from 'pg';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import {
  checkpoint,
  copyDatabase,
  createDatabase,
  dropDatabase,
  fileCopyFromBytes,
  sealTemplate,
} from '../../../../src/measure/stack/common/databases.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { withPostgres } from '../postgres.ts';

const server = withPostgres();
const rowsOf = (database: string, sql: string) => query(server.postgres.adminUrl(database), sql);

/** A database with a table `t` of about `megabytes`. */
async function template(name: string, megabytes: number): Promise<void> {
  await createDatabase(server.postgres, name);
  await rowsOf(
    name,
    `CREATE TABLE t AS SELECT id, repeat(md5(id::text), 30) AS text FROM generate_series(1, ${megabytes * 1000}) AS id`,
  );
  await rowsOf(name, 'CREATE INDEX t_id ON t (id)');
  await rowsOf(name, 'ANALYZE t');
}

afterEach(async () => {
  for (const name of ['copy', 'copy2', 'template', `it's "odd"`]) await dropDatabase(server.postgres, name);
});

describe('copyDatabase', () => {
  test('makes a real copy: data, index and statistics, and neither changes the other', async () => {
    await template('template', 1);
    expect(await copyDatabase(server.postgres, { template: 'template', name: 'copy' })).toBe('wal_log');
    const count = 'SELECT count(*)::int AS rows FROM t';
    expect(await rowsOf('copy', count)).toEqual([{ rows: 1000 }]);
    expect(await rowsOf('copy', `SELECT reltuples FROM pg_class WHERE relname = 't'`)).toEqual([{ reltuples: 1000 }]);
    expect(await rowsOf('copy', `SELECT indexname FROM pg_indexes WHERE tablename = 't'`)).toHaveLength(1);
    await rowsOf('copy', 'DELETE FROM t WHERE id > 10');
    expect(await rowsOf('template', count)).toEqual([{ rows: 1000 }]);
    expect(await rowsOf('copy', count)).toEqual([{ rows: 10 }]);
  });

  test('copies files from some size on', async () => {
    await template('template', (1.2 * fileCopyFromBytes) / 1e6);
    await checkpoint(server.postgres);
    // How long that takes is a goal of npm run bench.
    expect(await copyDatabase(server.postgres, { template: 'template', name: 'copy' })).toBe('file_copy');
    expect(await rowsOf('copy', 'SELECT max(id) FROM t')).toEqual(await rowsOf('template', 'SELECT max(id) FROM t'));
  });

  test('makes no checkpoint where none is wanted, whatever its size', async () => {
    await template('template', (1.2 * fileCopyFromBytes) / 1e6);
    const copying = copyDatabase(server.postgres, { template: 'template', name: 'copy', withoutCheckpoint: true });
    expect(await copying).toBe(Number.parseInt(server.postgres.version, 10) < 15 ? 'file_copy' : 'wal_log');
    expect(await rowsOf('copy', 'SELECT max(id) FROM t')).toEqual(await rowsOf('template', 'SELECT max(id) FROM t'));
  });

  test('ends a connection that was left on the template', async () => {
    await template('template', 1);
    const forgotten = new pg.Client({ connectionString: server.postgres.adminUrl('template') });
    const ended = new Promise<Error>((resolve) => forgotten.on('error', resolve));
    await forgotten.connect();
    await copyDatabase(server.postgres, { template: 'template', name: 'copy' });
    expect((await ended).message).toMatch(/terminat/);
  });

  test('of a sealed template works, and nobody can change what is sealed', async () => {
    await template('template', 1);
    await sealTemplate(server.postgres, 'template');
    await expect(rowsOf('template', 'SELECT 1')).rejects.toThrow(/not currently accepting connections/);
    for (const name of ['copy', 'copy2']) await copyDatabase(server.postgres, { template: 'template', name });
    expect(await rowsOf('copy2', 'SELECT count(*)::int AS rows FROM t')).toEqual([{ rows: 1000 }]);
  });

  test('has the settings of the database, and of roles in it', async () => {
    await createDatabase(server.postgres, 'template');
    await rowsOf('postgres', 'CREATE ROLE reader');
    onTestFinished(async () => {
      for (const name of ['copy', 'template']) await dropDatabase(server.postgres, name);
      await rowsOf('postgres', 'DROP ROLE reader');
    });
    const settings = ['work_mem = "64MB"', 'search_path = app, "My, ""own""", "$user"', `"my.text" = $$it's \\ =$$`];
    for (const setting of settings) await rowsOf('postgres', `ALTER DATABASE template SET ${setting}`);
    await rowsOf('postgres', 'ALTER ROLE reader IN DATABASE template SET search_path = reading');
    await copyDatabase(server.postgres, { template: 'template', name: 'copy' });
    const all = `SELECT setrole::regrole::text AS role, setconfig FROM pg_db_role_setting JOIN pg_database d
      ON d.oid = setdatabase WHERE datname = current_database() ORDER BY 1`;
    const copied = await rowsOf('copy', all);
    expect(copied).toEqual(await rowsOf('template', all));
    expect(copied.map(({ role }) => role)).toEqual(['-', 'reader']);
    const inForce = `SELECT current_setting('work_mem') AS memory, current_setting('my.text') AS text`;
    expect(await rowsOf('copy', inForce)).toEqual([{ memory: '64MB', text: `it's \\ =` }]);
  });

  test.each([
    ['the usual ones', []],
    ['none for all', ['REVOKE ALL ON DATABASE template FROM PUBLIC']],
    [
      'some',
      [
        'REVOKE TEMPORARY ON DATABASE template FROM PUBLIC',
        'GRANT CREATE ON DATABASE template TO "my reader"',
        'GRANT CONNECT ON DATABASE template TO "my reader" WITH GRANT OPTION',
      ],
    ],
  ])('has the privileges of the template: %s', async (_, statements) => {
    await createDatabase(server.postgres, 'template');
    await rowsOf('postgres', 'CREATE ROLE "my reader"');
    for (const statement of statements) await rowsOf('postgres', statement);
    await copyDatabase(server.postgres, { template: 'template', name: 'copy' });
    const entries = 'ARRAY(SELECT entry::text FROM unnest(datacl) entry ORDER BY 1)';
    const privileges = (name: string) =>
      rowsOf('postgres', `SELECT datacl IS NULL AS usual, ${entries} FROM pg_database WHERE datname = '${name}'`);
    expect(await privileges('copy')).toEqual(await privileges('template'));
    for (const name of ['copy', 'template']) await dropDatabase(server.postgres, name);
    await rowsOf('postgres', 'DROP ROLE "my reader"');
  });

  test('names a template that is not there, and a copy that is', async () => {
    const missing = copyDatabase(server.postgres, { template: 'nothing', name: 'copy' });
    await expect(missing).rejects.toThrow('cannot copy the database nothing to copy: there is no database nothing');
    await createDatabase(server.postgres, 'template');
    const twice = copyDatabase(server.postgres, { template: 'template', name: 'template' });
    await expect(twice).rejects.toThrow(/cannot copy the database template to template: .*already exists/);
    await expect(twice).rejects.toBeInstanceOf(PgsweepError);
  });
});

describe('a database', () => {
  test('may have any name', async () => {
    const name = `it's "odd"`;
    await createDatabase(server.postgres, name);
    expect(await rowsOf(name, 'SELECT current_database() AS name')).toEqual([{ name }]);
  });

  test('is dropped although somebody uses it; one that is not there is dropped already', async () => {
    await createDatabase(server.postgres, 'copy');
    const user = new pg.Client({ connectionString: server.postgres.adminUrl('copy') });
    user.on('error', () => {});
    await user.connect();
    await dropDatabase(server.postgres, 'copy');
    await dropDatabase(server.postgres, 'copy');
    await expect(rowsOf('copy', 'SELECT 1')).rejects.toThrow(/does not exist/);
  });
});
