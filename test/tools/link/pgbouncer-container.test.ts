import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRunning } from '../../../src/base/process/reaper-processes.mjs';
import type { OpenedLink } from '../../../src/measure/link/link.ts';
import { openLink } from '../../../src/measure/link/open-link.ts';
import { runLabel } from '../../../src/measure/stack/docker/compose.ts';
import { dockerSays, labelled, testImages } from '../../measure/stack/docker/docker.ts';
import { withPostgres } from '../../measure/stack/postgres.ts';
import { debianPackages, libraryPath } from '../../support/debian-package.ts';
import { needs } from '../../support/needs.ts';

const docker = await needs('docker-postgres', 'pgbouncer');
const bouncer = await needs('pgbouncer');
const IMAGE = 'pgsweep-test-pgbouncer';

/** The image of a PgBouncer, made of this machine's own files, since there is no registry. */
async function buildPgBouncer(context: string): Promise<void> {
  const folder = await debianPackages('pgbouncer', 'libc-ares2', 'libevent-2.1-7');
  const program = folder === null ? bouncer.has : join(folder, 'usr/sbin/pgbouncer');
  const env = { ...process.env, LD_LIBRARY_PATH: folder === null ? '' : libraryPath(folder), DOCKER_BUILDKIT: '0' };
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8', env }).matchAll(/=> (\/\S+)/g);
  mkdirSync(join(context, 'lib'));
  copyFileSync(program, join(context, 'pgbouncer'));
  for (const [, file = ''] of libraries) copyFileSync(file, join(context, 'lib', basename(file)));
  const text = `FROM ${testImages.postgres}
COPY pgbouncer /usr/local/bin/
COPY lib /usr/local/lib/pgbouncer/
ENV LD_LIBRARY_PATH=/usr/local/lib/pgbouncer
`;
  writeFileSync(join(context, 'Dockerfile'), text);
  const command = ['build', '--quiet', '--network', 'none', '--tag', IMAGE, context];
  execFileSync('docker', command, { stdio: 'pipe', env: { ...process.env, DOCKER_BUILDKIT: '0' } });
}

describe('a PgBouncer in a container', docker.orSkip, () => {
  const db = withPostgres();
  const context = mkdtempSync(join(tmpdir(), 'pgsweep-test-'));
  beforeAll(() => buildPgBouncer(context));
  afterAll(() => {
    rmSync(context, { recursive: true });
    dockerSays('rmi', '--force', IMAGE);
  });

  const open = (image: string): Promise<OpenedLink> => {
    const pooler = { kind: 'pgbouncer', mode: 'transaction', size: 1, settings: {}, image } as const;
    const variant = { name: 'pooled', factors: {}, env: {}, pooler };
    const { signal } = new AbortController();
    return openLink({ variant, databaseUrl: db.postgres.adminUrl(), reaper: db.reaper, signal });
  };

  it('shares its connection among clients, is seen as a process, tells when it ends, and leaves nothing', async () => {
    const link = await open(IMAGE);
    const pid = link.pids[0] ?? 0;
    const clients = [1, 2, 3].map(() => new pg.Client({ connectionString: link.url }));
    try {
      await Promise.all(clients.map((client) => client.connect()));
      const found = await Promise.all(clients.map((client) => client.query('SELECT pg_backend_pid() AS pid')));
      expect(new Set(found.map(({ rows }) => rows[0].pid)).size).toBe(1);
      expect(await link.verify()).toMatchObject({ pooler: { version: expect.stringMatching(/^\d+\.\d+/) } });
      expect(readFileSync(`/proc/${pid}/comm`, 'utf8').trim()).toBe('pgbouncer');
      expect(labelled(runLabel)).toHaveLength(1);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await link.close();
    }
    expect(await link.exited).toMatch(/^PgBouncer \(/);
    expect(isRunning({ pid, group: false })).toBe(false);
    expect(labelled(runLabel)).toEqual([]);
  });

  it('of an image that has none is an error that names the image', async () => {
    await expect(open(testImages.postgres)).rejects.toMatchObject({
      code: 'stack',
      message: expect.stringContaining(`the image ${testImages.postgres} has no pgbouncer that runs`),
    });
    expect(labelled(runLabel)).toEqual([]);
  });
});
