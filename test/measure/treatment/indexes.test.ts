import { describe, expect, it } from 'vitest';
import type { PgsweepError } from '../../../src/base/errors.ts';
import { readIndexUse } from '../../../src/measure/treatment/indexes.ts';
import { withPostgres } from '../stack/postgres.ts';
import { itemsDatabase, planOf } from './treated-database.ts';

const server = withPostgres();
const bySize = 'SELECT * FROM items WHERE size = 7';
const byName = `SELECT * FROM items WHERE name = 'item 7'`;

describe('dropIndex', () => {
  it('drops the index, and says so from the catalog', async () => {
    const database = await itemsDatabase(server, 'dropped');
    expect(await planOf(database, bySize)).toContain('ix_items_size');
    expect(await database.apply({ dropIndex: ['ix_items_size'] })).toEqual([
      { kind: 'dropIndex', name: 'ix_items_size', found: 'ix_items_size dropped' },
    ]);
    expect(await planOf(database, bySize)).not.toContain('ix_items_size');
    const uses = await database.connect(readIndexUse);
    expect(uses.map(({ name }) => name)).toEqual(['items_pkey', 'ux_items_name']);
  });

  it('takes a name with its schema', async () => {
    const database = await itemsDatabase(server, 'dropped_by_schema');
    await database.run(
      'CREATE SCHEMA other; CREATE TABLE other.items (size int); CREATE INDEX ix_items_size ON other.items (size)',
    );
    await expect(database.apply({ dropIndex: ['ix_items_size'] })).rejects.toThrow(
      'variant "Changed": there are several indexes ix_items_size: other.ix_items_size, public.ix_items_size',
    );
    await database.apply({ dropIndex: ['other.ix_items_size'] });
    expect(await planOf(database, bySize)).toContain('ix_items_size');
  });

  it('refuses a name that is not there, with the nearest, and the index of a constraint', async () => {
    const database = await itemsDatabase(server, 'refused');
    await expect(database.apply({ dropIndex: ['ix_item_sise'] })).rejects.toThrow(
      'variant "Changed": there is no index ix_item_sise in the loaded database (did you mean ix_items_size?)',
    );
    await expect(database.apply({ dropIndex: ['items_pkey'] })).rejects.toThrow(
      'items_pkey cannot be dropped: it is the index of the constraint items_pkey of items',
    );
  });

  it('names a statement that drops a constraint, in whatever schema', async () => {
    const database = await itemsDatabase(server, 'constraint');
    await database.run('CREATE SCHEMA app; CREATE TABLE app.others (id int CONSTRAINT "Once" UNIQUE)');
    const refused = await database.apply({ dropIndex: ['Once'] }).catch(({ hint }: PgsweepError) => hint);
    const [, apply = ''] = /sql: (ALTER TABLE .*?)\. /.exec(String(refused)) ?? [];
    await database.apply({ sql: [{ apply }] });
    expect(await database.run(`SELECT conname FROM pg_constraint WHERE conname = 'Once'`)).toEqual([]);
  });
});

describe('hideIndex', () => {
  it('is used by no query and kept up by every write', async () => {
    const database = await itemsDatabase(server, 'hidden');
    expect(await database.apply({ hideIndex: ['ix_items_size', 'ux_items_name'] })).toEqual([
      { kind: 'hideIndex', name: 'ix_items_size', found: expect.stringMatching(/^ix_items_size hidden \(\d+ kB\)$/) },
      {
        kind: 'hideIndex',
        name: 'ux_items_name',
        found: expect.stringMatching(/^ux_items_name hidden \(\d+ kB, still unique\)$/),
      },
    ]);
    expect(await planOf(database, bySize)).toContain('Seq Scan');
    expect(await planOf(database, byName)).toContain('Seq Scan');
    // A unique index that is hidden still is what it says.
    await expect(database.run(`INSERT INTO items VALUES (3001, 'item 7', 7)`)).rejects.toThrow(/ux_items_name/);
    const before = await database.connect(readIndexUse);
    await database.run(`INSERT INTO items SELECT n, 'item ' || n, n FROM generate_series(4001, 14000) AS n`);
    const after = await database.connect(readIndexUse);
    const bytes = (uses: typeof after): number => uses.find(({ name }) => name === 'ix_items_size')?.bytes ?? 0;
    expect(bytes(after)).toBeGreaterThan(2 * bytes(before));
    // What was written meanwhile is found by it once it is shown again: so it was kept up.
    await database.run(`UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'ix_items_size'::regclass`);
    expect(await planOf(database, 'SELECT * FROM items WHERE size = 14000')).toContain('ix_items_size');
    const [row] = await database.connect(async (run) => {
      await run('SET enable_seqscan = off');
      return run('SELECT id FROM items WHERE size = 14000');
    });
    expect(Number(row?.id)).toBe(14_000);
  });
});

describe('createIndex', () => {
  it('creates it, with statistics where it is on an expression', async () => {
    const database = await itemsDatabase(server, 'created');
    const applied = await database.apply({
      createIndex: ['CREATE INDEX ON items (name, size)', 'CREATE INDEX ix_items_rest ON items ((size % 10));'],
    });
    expect(applied).toEqual([
      {
        kind: 'createIndex',
        name: 'items_name_size_idx',
        found: expect.stringMatching(/^items_name_size_idx created \(/),
      },
      {
        kind: 'createIndex',
        name: 'ix_items_rest',
        found: expect.stringMatching(/^ix_items_rest created \(\d+ kB\)$/),
      },
    ]);
    expect(await planOf(database, 'SELECT * FROM items WHERE size % 10 = 3')).toMatch(/ix_items_rest.*rows=200 /s);
  });

  it.each([
    ['no name', 'CREATE INDEX ON events (lower(name))', 'events_lower_idx'],
    ['the first name', 'CREATE INDEX a_name ON events (lower(name))', 'a_name'],
  ])('of a partitioned table is told as a whole, with statistics of all partitions: %s', async (_, sql, name) => {
    const database = await itemsDatabase(server, `partitioned_${name}`);
    await database.run(`CREATE TABLE events (name text, day int) PARTITION BY RANGE (day);
      CREATE TABLE days_1 PARTITION OF events FOR VALUES FROM (0) TO (10);
      CREATE TABLE days_2 PARTITION OF events FOR VALUES FROM (10) TO (20);
      INSERT INTO events SELECT 'Name ' || n % 7, n % 20 FROM generate_series(1, 4000) AS n`);
    const [applied] = await database.apply({ createIndex: [sql] });
    const [row] = await database.run(
      "SELECT pg_size_pretty(sum(pg_relation_size(indexrelid))) AS size FROM pg_stat_user_indexes WHERE relname ~ 'days'",
    );
    expect(applied).toEqual({ kind: 'createIndex', name, found: `${name} created (${row?.size})` });
    expect(row?.size).not.toBe('0 bytes');
    const known = await database.run("SELECT tablename AS of FROM pg_stats WHERE attname = 'lower' ORDER BY 1");
    expect(known).toEqual([{ of: 'days_1_lower_idx' }, { of: 'days_2_lower_idx' }]);
  });

  it('is an error with the statement and what Postgres says, or where it makes none', async () => {
    const database = await itemsDatabase(server, 'not_created');
    await expect(database.apply({ createIndex: ['CREATE INDEX ix ON items (colour)'] })).rejects.toThrow(
      'variant "Changed": Postgres refuses CREATE INDEX ix ON items (colour): column "colour" does not exist',
    );
    await expect(
      database.apply({ createIndex: ['CREATE INDEX IF NOT EXISTS ix_items_size ON items (name)'] }),
    ).rejects.toThrow('has made no index');
  });

  it('comes after drops and before hiding, so that one index can be replaced by a hidden one', async () => {
    const database = await itemsDatabase(server, 'replaced');
    const applied = await database.apply({
      hideIndex: ['ix_new'],
      createIndex: ['CREATE INDEX ix_new ON items (size, id)'],
      dropIndex: ['ix_items_size'],
    });
    expect(applied.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'dropIndex ix_items_size',
      'createIndex ix_new',
      'hideIndex ix_new',
    ]);
    expect(await planOf(database, bySize)).toContain('Seq Scan');
  });
});

describe('the use of indexes', () => {
  it('counts the scans of connections that have closed', async () => {
    const database = await itemsDatabase(server, 'used');
    await database.connect(async (run) => {
      await run('SET enable_seqscan = off; SET enable_bitmapscan = off');
      for (let i = 0; i < 5; i++) await run(bySize);
    });
    const uses = await database.connect(readIndexUse);
    expect(uses.find(({ name }) => name === 'ix_items_size')).toEqual({
      table: 'items',
      name: 'ix_items_size',
      bytes: expect.any(Number),
      scans: 5,
    });
    expect(uses.find(({ name }) => name === 'ux_items_name')?.scans).toBe(0);
  });
});
