import type { Treatment, Variant } from '../../../src/journal/scenario-record.ts';
import type { AppliedTreatment } from '../../../src/journal/treatment-records.ts';
import { createDatabase } from '../../../src/measure/stack/common/databases.ts';
import { withOwnConnection } from '../../../src/measure/stack/common/query.ts';
import { applyTreatment } from '../../../src/measure/treatment/apply.ts';
import type { RunSql, TreatedDatabase } from '../../../src/measure/treatment/sql.ts';
import type { TestPostgres } from '../stack/postgres.ts';

/** A variant that changes only what the test names. */
export function variantWith(treatment: Partial<Treatment>): Variant {
  const nothing = { settings: {}, dropIndex: [], createIndex: [], hideIndex: [], sql: [] };
  return { name: 'Changed', factors: {}, env: {}, treatment: { ...nothing, ...treatment } };
}

export interface TestDatabase extends TreatedDatabase {
  run: RunSql;
  apply(treatment: Partial<Treatment>): Promise<AppliedTreatment[]>;
}

/** A new database with a table of 2000 items, three indexes of which one is a constraint's. */
export async function itemsDatabase({ postgres }: TestPostgres, name: string): Promise<TestDatabase> {
  await createDatabase(postgres, name);
  const url = postgres.adminUrl(name);
  const database: TestDatabase = {
    name,
    role: null,
    connect: (use) => withOwnConnection(url, use),
    restore: async () => false,
    run: (sql, values) => withOwnConnection(url, (run) => run(sql, values)),
    apply: (treatment) => applyTreatment(database, variantWith(treatment)),
  };
  await database.run(`
    CREATE TABLE items (id bigint PRIMARY KEY, name text NOT NULL, size int NOT NULL);
    INSERT INTO items SELECT n, 'item ' || n, n % 100 FROM generate_series(1, 2000) AS n;
    CREATE UNIQUE INDEX ux_items_name ON items (name);
    CREATE INDEX ix_items_size ON items (size);
    ANALYZE items`);
  return database;
}

/** The plan of a query, as one text. */
export async function planOf(database: TestDatabase, query: string): Promise<string> {
  const rows = await database.connect(async (run) => {
    await run('SET enable_seqscan = off');
    return run(`EXPLAIN ${query}`);
  });
  return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
}
