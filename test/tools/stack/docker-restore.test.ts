import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { libpqEnv } from '../../../src/base/libpq-env.ts';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { loadDataset } from '../../../src/measure/dataset/load-dataset.ts';
import { restoreInContainer } from '../../../src/measure/run/servers/find-restore.ts';
import type { StartedPostgres } from '../../../src/measure/stack/common/postgres.ts';
import { query } from '../../../src/measure/stack/common/query.ts';
import { dockerSays, testImages } from '../../measure/stack/docker/docker.ts';
import { needs } from '../../support/needs.ts';
import { startDockerPostgres } from '../../support/started-postgres.ts';

const docker = await needs('docker-postgres', 'pg_dump');

describe('an archive of pg_dump, by the pg_restore of the container', docker.orSkip, () => {
  let reaper: Reaper;
  let folder: string;
  let postgres: StartedPostgres;
  beforeAll(async () => {
    reaper = startReaper();
    folder = mkdtempSync(join(tmpdir(), 'pgsweep-test-'));
    postgres = await startDockerPostgres(docker.has, { reaper, server: { image: testImages.postgres } });
    await query(postgres.adminUrl(), 'CREATE DATABASE source');
    await query(
      postgres.adminUrl('source'),
      `CREATE TABLE items (id int PRIMARY KEY, name text);
       INSERT INTO items SELECT i, 'item ' || i FROM generate_series(1, 1000) i`,
    );
    for (const format of ['custom', 'directory']) {
      const args = [`--format=${format}`, `--file=${join(folder, format)}`];
      const env = { ...process.env, ...libpqEnv(postgres.adminUrl('source')) };
      execFileSync('pg_dump', args, { env, stdio: 'pipe' });
    }
  });
  afterAll(async () => {
    await postgres?.stop();
    await reaper?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  it.each(['custom', 'directory'])('is restored whole: %s', async (format) => {
    const { container = '' } = postgres;
    await query(postgres.adminUrl(), `CREATE DATABASE ${format}`);
    await loadDataset({ kind: 'dump', dump: join(folder, format) }, postgres.adminUrl(format), {
      findRestore: (dump) => restoreInContainer(container, postgres, dump),
      reaper,
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    const [rows] = await query(
      postgres.adminUrl(format),
      'SELECT count(*)::int AS count, max(name) AS last FROM items',
    );
    expect(rows).toEqual({ count: 1000, last: 'item 999' });
    // The copy of the dump is gone.
    expect(dockerSays('exec', container, 'bash', '-c', 'echo /tmp/pgsweep*')).toBe('/tmp/pgsweep*');
  });
});
