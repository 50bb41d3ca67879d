import { describe, expect, it } from 'vitest';
import { query } from '../../src/stack/common/query.ts';
import { undoTreatment } from '../../src/treatment/apply.ts';
import { createIndexMistake } from '../../src/treatment/kinds/create-index.ts';
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
