import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withPostgres } from '../measure/stack/postgres.ts';

type Query = (text: string, values: readonly unknown[]) => Promise<object[]>;

/** What each release of scenarios/services/loans exports. */
interface Release {
  loansOf(query: Query, user: number): Promise<object[]>;
  loanOf(query: Query, id: number): Promise<object | null>;
  checkOut(query: Query, loan: { user: number; item: number; policy: number }): Promise<string>;
  checkIn(query: Query, id: number): Promise<boolean>;
}

const folder = resolve('scenarios/services/loans');
const releaseOf = async (name: string): Promise<Release> => import(join(folder, `release-${name}.mjs`));

describe('the two releases of the loans service', () => {
  const server = withPostgres();
  let db: pg.Pool;
  let statements = 0;
  const query: Query = async (text, values) => {
    statements++;
    return (await db.query(text, [...values])).rows;
  };

  beforeAll(async () => {
    db = new pg.Pool({ connectionString: server.postgres.adminUrl() });
    // Its sessions may still be open when the server stops.
    db.on('error', () => {});
    await db.query(readFileSync(join(folder, 'schema.sql'), 'utf8'));
  });
  afterAll(() => db.end());

  it('answer the same, one of them with a statement each', async () => {
    const [older, newer] = [await releaseOf('5.5.0'), await releaseOf('5.6.0')];
    const ids = [
      await older.checkOut(query, { user: 1, item: 7, policy: 2 }),
      await newer.checkOut(query, { user: 1, item: 8, policy: 3 }),
    ].map(Number);
    const answers = async ({ loansOf, loanOf }: Release) => {
      const before = statements;
      const found = [await loansOf(query, 1), await loanOf(query, ids[0] ?? 0), await loanOf(query, 0)];
      return { found, statements: statements - before };
    };
    const [before, after] = [await answers(older), await answers(newer)];
    expect(before.found).toEqual(after.found);
    expect(after.found[0]).toMatchObject([{ barcode: 'B7' }, { barcode: 'B8', title: 'Volume 8' }]);
    expect(after.found[1]).toMatchObject({ barcode: 'B7', policy: 'month' });
    expect([before.statements, after.statements]).toEqual([7, 3]);
    for (const [index, { checkIn }] of [older, newer].entries()) {
      expect([await checkIn(query, ids[index] ?? 0), await checkIn(query, ids[index] ?? 0)]).toEqual([true, false]);
    }
    expect(await newer.loansOf(query, 1)).toEqual([]);
    expect((await db.query('SELECT loan_id FROM history ORDER BY loan_id')).rows).toHaveLength(2);
  });
});
