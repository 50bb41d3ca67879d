import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { libpqEnv } from '../../../../src/base/libpq-env.ts';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import { CUT_OFF_HINT } from '../../../../src/measure/dataset/dump-kind.ts';
import { dumpFingerprint, loadDataset } from '../../../../src/measure/dataset/load-dataset.ts';
import { findRestoreFor, nearestFirst, readsMinor } from '../../../../src/measure/run/servers/find-restore.ts';
import { createDatabase } from '../../../../src/measure/stack/common/databases.ts';
import type { StartedPostgres } from '../../../../src/measure/stack/common/postgres.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { needs } from '../../../support/needs.ts';
import { startEmbeddedPostgres } from '../../../support/started-postgres.ts';

describe('a pg_restore for a server', () => {
  it('is that of its version, else the next younger, else the nearest older', () => {
    const versions = ['18.4', '13.2', '15.18', '17.10', '14.1'].map((version) => ({ version }));
    expect(nearestFirst(versions, 15).map(({ version }) => version)).toEqual([
      '15.18',
      '17.10',
      '18.4',
      '14.1',
      '13.2',
    ]);
  });

  it('reads the formats of its time', () => {
    expect(['13.2', '15.18', '16.9', '17.0', '18.4'].map(readsMinor)).toEqual([14, 14, 15, 16, 16]);
  });

  it('that nobody has is asked for with the version that wrote the dump', async () => {
    const find = findRestoreFor({ version: '15.18', adminUrl: () => 'postgres://nobody@127.0.0.1:1/postgres' });
    const finding = find('/data/app.dump', { kind: 'archive', format: 'custom', minor: 99 });
    await expect(finding).rejects.toThrow(
      /\/data\/app\.dump (was written by pg_dump 17 or later|is an archive of pg_dump)/,
    );
    await expect(finding).rejects.toMatchObject({
      code: 'dataset',
      hint: expect.stringMatching(/Postgres 17 or later/),
    });
  });
});

const pgDump = await needs('pg_dump');

describe('a dump that pg_dump of this machine has made', pgDump.orSkip, () => {
  let folder: string;
  let reaper: Reaper;
  let server: StartedPostgres;
  let databases = 0;

  beforeAll(async () => {
    if (!pgDump.isHere) return;
    folder = mkdtempSync(join(tmpdir(), 'pgsweep-dumps-'));
    reaper = startReaper();
    server = await startEmbeddedPostgres({ reaper });
    await createDatabase(server, 'source');
    await query(
      server.adminUrl('source'),
      `CREATE SCHEMA shop;
       CREATE TABLE shop.items (id int PRIMARY KEY, name text NOT NULL);
       INSERT INTO shop.items SELECT i, 'item ' || i FROM generate_series(1, 1000) i;
       CREATE INDEX items_by_name ON shop.items (name);
       CREATE ROLE somebody; ALTER TABLE shop.items OWNER TO somebody; GRANT SELECT ON shop.items TO somebody`,
    );
    for (const format of ['plain', 'custom', 'directory', 'tar']) dump(format);
    writeFileSync(join(folder, 'gzipped'), gzipSync(readFileSync(join(folder, 'plain'))));
  });
  afterAll(async () => {
    await server?.stop();
    await reaper?.close();
    if (pgDump.isHere) rmSync(folder, { recursive: true });
  });

  function dump(format: string): void {
    const args = [`--format=${format}`, `--file=${join(folder, format)}`];
    execFileSync('pg_dump', args, { env: { ...process.env, ...libpqEnv(server.adminUrl('source')) }, stdio: 'pipe' });
  }

  async function restore(name: string) {
    const database = `restored_${databases++}`;
    await createDatabase(server, database);
    const said: string[] = [];
    const { record } = await loadDataset({ kind: 'dump', dump: join(folder, name) }, server.adminUrl(database), {
      findRestore: findRestoreFor(server),
      reaper,
      onProgress: (message) => said.push(message),
      signal: new AbortController().signal,
    });
    return { record, said, ask: (sql: string) => query(server.adminUrl(database), sql) };
  }

  it.each(['plain', 'gzipped', 'custom', 'directory', 'tar'])('is restored whole: %s', async (name) => {
    const { record, ask } = await restore(name);
    expect(record).toMatchObject({ name, fingerprint: await dumpFingerprint(join(folder, name)) });
    const [rows] = await ask(
      "SELECT count(*)::int AS count, min(name) AS first FROM shop.items WHERE name LIKE 'item %'",
    );
    expect(rows).toEqual({ count: 1000, first: 'item 1' });
    // With statistics, as after any other way of loading.
    const [seen] = await ask("SELECT reltuples::int AS rows FROM pg_class WHERE relname = 'items'");
    expect(seen).toEqual({ rows: 1000 });
    const [index] = await ask("SELECT indexname FROM pg_indexes WHERE indexname = 'items_by_name'");
    expect(index).toBeDefined();
  });

  it('is refused with its statement where it does not fit', async () => {
    const database = `restored_${databases++}`;
    await createDatabase(server, database);
    await query(server.adminUrl(database), 'CREATE SCHEMA shop; CREATE TABLE shop.items (other int)');
    const loading = loadDataset({ kind: 'dump', dump: join(folder, 'custom') }, server.adminUrl(database), {
      findRestore: findRestoreFor(server),
      reaper,
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    await expect(loading).rejects.toThrow(
      /custom: pg_restore \d+[^\n]*\ncould not execute query: ERROR: +schema "shop" already exists \(CREATE SCHEMA shop;\)/,
    );
    await expect(loading).rejects.toMatchObject({ code: 'dataset' });
  });

  it.each(['custom', 'tar', 'directory'])('is refused as what it is where it is cut off: %s', async (format) => {
    const [from, to] = [join(folder, format), join(folder, `${format}-cut`)];
    cpSync(from, to, { recursive: true });
    const isRows = (name: string): boolean => name.endsWith('.dat.gz');
    const file = format === 'directory' ? join(to, readdirSync(to).find(isRows) ?? '') : to;
    const whole = readFileSync(file);
    // Of a tar file pg_restore may restore what is there without a word, or never end.
    for (const share of format === 'directory' ? [0, 0.5] : [0.5, 0.95]) {
      writeFileSync(file, whole.subarray(0, share * whole.length));
      await expect(restore(`${format}-cut`)).rejects.toMatchObject({ code: 'dataset', hint: CUT_OFF_HINT });
    }
  });

  it('is refused where it is damaged', async () => {
    const whole = readFileSync(join(folder, 'gzipped'));
    writeFileSync(join(folder, 'cut'), whole.subarray(0, whole.length / 2));
    await expect(restore('cut')).rejects.toThrow(/cut cannot be read: the gzip file is damaged or ends early/);
  });
});
