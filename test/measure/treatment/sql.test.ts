import { describe, expect, it } from 'vitest';
import { query } from '../../../src/measure/stack/common/query.ts';
import { undoTreatment } from '../../../src/measure/treatment/apply.ts';
import { createIndexMistake } from '../../../src/measure/treatment/kinds/create-index.ts';
import { withPostgres } from '../stack/postgres.ts';
import { itemsDatabase, variantWith } from './treated-database.ts';

const server = withPostgres();

async function roles(): Promise<string[]> {
  const rows = await query(
    server.postgres.adminUrl(),
    `SELECT rolname FROM pg_roles WHERE rolname LIKE 'treated%' ORDER BY 1`,
  );
  return rows.map(({ rolname }) => String(rolname));
}

describe('sql', () => {
  it('is run in order, and undone in the reverse order', async () => {
    const database = await itemsDatabase(server, 'with_sql');
    const sql = [
      { apply: 'CREATE ROLE treated; ALTER TABLE items SET (fillfactor = 70)', undo: 'DROP ROLE treated' },
      { apply: 'GRANT SELECT ON items TO treated', undo: 'REVOKE SELECT ON items FROM treated' },
    ];
    const applied = await database.apply({ sql });
    expect(applied.map(({ found }) => found)).toEqual([
      'ran CREATE ROLE treated; ALTER TABLE items SET (fillfactor = 70)',
      'ran GRANT SELECT ON items TO treated',
    ]);
    expect(await roles()).toEqual(['treated']);
    // In the order of the list the role could not be dropped: it still has a right.
    await undoTreatment(database, variantWith({ sql }));
    expect(await roles()).toEqual([]);
  });

  it('that Postgres refuses is an error with the statement, and what was done before is undone', async () => {
    const database = await itemsDatabase(server, 'with_bad_sql');
    const sql = [
      { apply: 'CREATE ROLE treated_too', undo: 'DROP ROLE treated_too' },
      { apply: 'ALTER TABEL items SET (fillfactor = 70)' },
    ];
    await expect(database.apply({ sql })).rejects.toMatchObject({
      code: 'scenario',
      message:
        'variant "Changed": Postgres refuses ALTER TABEL items SET (fillfactor = 70): syntax error at or near "TABEL"',
    });
    expect(await roles()).toEqual([]);
  });
});

describe('sql of several statements', () => {
  it('is run statement by statement, as psql runs it', async () => {
    const database = await itemsDatabase(server, 'with_script');
    const apply = `
      VACUUM items; CREATE INDEX CONCURRENTLY ix_new ON items (size, id);
      DO $$ BEGIN UPDATE items SET size = 1 WHERE id = 1; COMMIT; UPDATE items SET size = 2 WHERE id = 2; END $$;
      CREATE TYPE mood AS ENUM ('low');
      ALTER TYPE mood ADD VALUE 'high'; CREATE TABLE moods AS SELECT 'high'::mood AS mood;
      SET allow_in_place_tablespaces = on; CREATE TABLESPACE room LOCATION '';
      -- nothing after it`;
    const undo = 'DROP TABLE moods; DROP TABLESPACE room; VACUUM items';
    const spaces = () => database.run("SELECT spcname FROM pg_tablespace WHERE spcname = 'room'");
    await database.apply({ sql: [{ apply, undo }] });
    expect(await spaces()).toHaveLength(1);
    expect(await database.run('SELECT mood FROM moods')).toEqual([{ mood: 'high' }]);
    expect(await database.run('SELECT size FROM items WHERE id < 3 ORDER BY id')).toEqual([{ size: 1 }, { size: 2 }]);
    await undoTreatment(database, variantWith({ sql: [{ apply, undo }] }));
    expect(await spaces()).toEqual([]);
    expect(await database.run("SELECT to_regclass('moods') AS name")).toEqual([{ name: null }]);
  });

  it('that fails in its middle is undone as far as it was run', async () => {
    const database = await itemsDatabase(server, 'with_half_script');
    const sql = [
      { apply: 'CREATE ROLE treated_first', undo: 'DROP ROLE treated_first' },
      { apply: 'CREATE ROLE treated_half; CREATE ROLE treated_first', undo: 'DROP ROLE treated_half' },
    ];
    await expect(database.apply({ sql })).rejects.toThrow(
      'Postgres refuses CREATE ROLE treated_first: role "treated_first" already exists',
    );
    sql.push({ apply: 'SELEKT 1', undo: 'SELECT 1 / 0' });
    await expect(database.apply({ sql: sql.slice(2) })).rejects.toThrow('Postgres refuses SELEKT 1');
    expect(await roles()).toEqual([]);
  });
});

describe('a CREATE INDEX statement', () => {
  it.each([
    'CREATE INDEX ON items (name)',
    'create unique index ux on items (name);',
    `CREATE INDEX ix ON items (name) WHERE name <> ';'`,
    '-- a comment; with a semicolon\nCREATE INDEX ix ON items (name)',
  ])('is one: %s', (statement) => {
    expect(createIndexMistake(statement)).toBeNull();
  });

  it.each([
    ['DROP TABLE items', /^expected a statement such as CREATE INDEX/],
    ['CREATE INDEX a ON items (a); DROP TABLE items', /^expected one statement/],
    ['CREATE INDEX CONCURRENTLY a ON items (a)', /^leave out CONCURRENTLY/],
  ])('is none: %s', (statement, mistake) => {
    expect(createIndexMistake(statement)).toMatch(mistake);
  });
});
