import pg from 'pg';
import { expect, it } from 'vitest';
import { watchStatements } from '../../../../src/measure/link/watch/watch-statements.ts';
import { withPostgres } from '../../stack/postgres.ts';

const db = withPostgres();

it('what a service sends is seen, and answered as it is directly', async () => {
  const watched = await watchStatements(db.postgres.adminUrl());
  try {
    const client = new pg.Client({ connectionString: watched.url });
    await client.connect();
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect((await client.query({ name: 'twice', text: 'SELECT 2 * $1::int AS two', values: [1] })).rows).toEqual([
      { two: 2 },
    ]);
    await client.query('SELECT $1::int', [1]);
    await client.query('SELECT $1::int', [2]);
    await expect(client.query('SELECT 1/0')).rejects.toThrow('division by zero');
    await client.end();
    expect(watched.seen()).toEqual({
      statements: ['SELECT 1 AS one', 'SELECT 2 * $1::int AS two', 'SELECT $1::int', 'SELECT 1/0'],
      named: [{ name: 'twice', sql: 'SELECT 2 * $1::int AS two' }],
      errors: [{ code: '22012', text: 'division by zero' }],
    });
  } finally {
    await watched.close();
  }
});
