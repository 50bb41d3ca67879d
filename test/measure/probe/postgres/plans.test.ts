import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canBeExplained, planShape, plans } from '../../../../src/measure/probe/postgres/plans.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { describeProbed, type Probed, type ProbedDatabase } from '../probed.ts';

describe('the shape of a plan', () => {
  it('is its nodes with their tables and indexes, from the top', () => {
    const scan = { 'Node Type': 'Index Scan', 'Relation Name': 'aliases', 'Index Name': 'aliases_pkey' };
    const plan = { 'Node Type': 'ModifyTable', Operation: 'Update', 'Relation Name': 'documents', Plans: [scan] };
    expect(planShape(plan)).toBe('Update on documents | Index Scan on aliases using aliases_pkey');
  });

  it.each([
    ['SELECT 1', true],
    [' /* of: the service */ -- a\n with x AS (SELECT 1) DELETE FROM t', true],
    ['(SELECT 1) UNION SELECT 2', true],
    ['BEGIN', false],
    ['SELECTED', false],
    ['COPY t FROM STDIN', false],
    ['', false],
  ])('%s: %s', (text, explained) => {
    expect(canBeExplained(text)).toBe(explained);
  });
});

const schema = [
  'CREATE TABLE documents (id bigint PRIMARY KEY, body text)',
  'CREATE TABLE aliases (uuid uuid, document bigint)',
  `INSERT INTO documents SELECT n, repeat('x', 100) FROM generate_series(1, 5000) n`,
  'INSERT INTO aliases SELECT gen_random_uuid(), n FROM generate_series(1, 5000) n',
  'CREATE INDEX aliases_document ON aliases (document)',
  'ANALYZE',
];

describeProbed('the plans of the top statements', {}, (probed) => {
  const lookup = 'SELECT a.uuid FROM documents d JOIN aliases a ON a.document = d.id WHERE d.id = $1';
  const lookups = async (database: ProbedDatabase): Promise<void> => {
    const client = await database.client();
    for (let n = 0; n < 20; n++) await client.query(lookup, [n]);
  };
  const shapeOf = async (database: ProbedDatabase, { settings }: { settings?: Record<string, string> } = {}) => {
    const probe = await probed.open(plans.open, settings && { sessionSettings: settings });
    const { rows = [] } = await database.during(probe, () => lookups(database));
    expect(rows.map(({ statement }) => statement)).toEqual([lookup]);
    return String(rows[0]?.shape);
  };

  it('tell a dropped index: a scan of the whole table appears', async () => {
    const database = await probed.database(...schema);
    expect((await shapeOf(database)).split(' | ')).toEqual(
      expect.arrayContaining(['Index Scan on aliases using aliases_document']),
    );
    await query(probed.server.postgres.adminUrl(database.arm.database ?? ''), 'DROP INDEX aliases_document');
    expect((await shapeOf(database)).split(' | ')).toEqual(expect.arrayContaining(['Seq Scan on aliases']));
    expect(probed.warnings).toEqual([]);
  });

  it('are the same while nothing changes, and those of the service’s own settings where they are known', async () => {
    const database = await probed.database(...schema);
    const shape = await shapeOf(database);
    expect(await shapeOf(database)).toBe(shape);
    const other = await shapeOf(database, { settings: { enable_indexscan: 'off', enable_indexonlyscan: 'off' } });
    expect(other).not.toBe(shape);
  });

  it('never execute what they explain, and leave out what has no plan', async () => {
    const database = await probed.database(
      ...schema,
      'CREATE SEQUENCE counter',
      `CREATE FUNCTION next() RETURNS bigint LANGUAGE sql AS $$ SELECT nextval('counter') $$`,
    );
    const probe = await probed.open(plans.open);
    const { values, rows = [] } = await database.during(probe, async () => {
      const client = await database.client();
      await client.query('BEGIN');
      await client.query('SELECT next()');
      await client.query('INSERT INTO documents VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET body = $2', [
        9999,
        'new',
      ]);
      await client.query('UPDATE documents SET body = $1 WHERE id = $2', ['changed', 1]);
      await client.query('DELETE FROM aliases WHERE document = $1 RETURNING uuid', [2]);
      await client.query('SELECT * FROM documents WHERE id = $1 FOR SHARE NOWAIT', [3]);
      await client.query('CREATE TEMP TABLE mine AS SELECT 1 AS n');
      await client.query('SELECT * FROM mine');
      await client.query('COMMIT');
    });
    const shapes = new Map(rows.map(({ statement, shape }) => [String(statement).split(' ')[0], shape]));
    expect(shapes.get('INSERT')).toBe('Insert on documents | Result');
    expect(shapes.get('UPDATE')).toBe('Update on documents | Index Scan on documents using documents_pkey');
    expect(shapes.get('DELETE')).toBe('Delete on aliases | Index Scan on aliases using aliases_document');
    // The temporary table is another session's.
    expect(values).toEqual({ plans_seen: 5, plans_unknown: 1 });
    expect(readFileSync(probed.server.postgres.logFile, 'utf8')).not.toContain('"mine" does not exist');
    expect(probed.warnings).toEqual([]);
    expect(await stateOf(probed, database)).toEqual({ documents: 5001, aliases: 4999, changed: 1, counter: 1 });
  });

  it('of a text that hides a second statement: neither runs', async () => {
    const database = await probed.database(...schema);
    const url = probed.server.postgres.adminUrl(database.arm.database ?? '');
    const admin = probed.server.postgres.adminUrl();
    // Stands in for the extension, whose texts the probe takes as they are.
    await query(admin, 'ALTER EXTENSION pg_stat_statements DROP VIEW pg_stat_statements');
    await query(admin, 'ALTER VIEW pg_stat_statements RENAME TO genuine');
    await query(
      admin,
      `CREATE VIEW pg_stat_statements AS SELECT dbid, queryid, calls, total_exec_time, rows, 'SELECT 1; DROP TABLE documents'::text AS query FROM genuine`,
    );
    const probe = await probed.open(plans.open);
    const { values } = await database.during(probe, () => lookups(database));
    expect(values).toEqual({ plans_seen: 0, plans_unknown: 1 });
    expect(await query(url, 'SELECT count(*)::int AS n FROM documents')).toEqual([{ n: 5000 }]);
    await query(admin, 'DROP VIEW pg_stat_statements');
    await query(admin, 'ALTER VIEW genuine RENAME TO pg_stat_statements');
    await query(admin, 'ALTER EXTENSION pg_stat_statements ADD VIEW pg_stat_statements');
  });
});

async function stateOf({ server }: Probed, { arm }: ProbedDatabase): Promise<unknown> {
  const [row] = await query(
    server.postgres.adminUrl(arm.database ?? ''),
    `SELECT (SELECT count(*) FROM documents)::int AS documents, (SELECT count(*) FROM aliases)::int AS aliases,
       (SELECT count(*) FROM documents WHERE body = 'changed')::int AS changed, last_value::int AS counter FROM counter`,
  );
  return row;
}
