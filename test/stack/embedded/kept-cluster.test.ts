import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { query } from '../../../src/stack/common/query.ts';
import { startEmbeddedPostgres } from '../../../src/stack/embedded/postgres.ts';

let reaper: Reaper;
let cacheHome: string;
/** Where a new cluster is kept. */
let clusters: string;
beforeAll(() => {
  reaper = startReaper();
});
beforeEach(() => {
  cacheHome = mkdtempSync(join(tmpdir(), 'pgsweep-cache-'));
  clusters = join(cacheHome, 'pgsweep', 'clusters');
  vi.stubEnv('XDG_CACHE_HOME', cacheHome);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cacheHome, { recursive: true });
});
afterAll(() => reaper.close());

/** Starts a server and returns the number that its cluster got when it was made, and the URL that it had. */
async function startOnce(): Promise<{ made: unknown; url: string }> {
  await using server = await startEmbeddedPostgres({ reaper });
  const [row] = await query(server.adminUrl(), 'SELECT system_identifier::text AS made FROM pg_control_system()');
  return { made: row?.made, url: server.adminUrl() };
}

const kept = (): string => {
  const [name, ...others] = readdirSync(clusters);
  if (name === undefined || others.length > 0) throw new Error(`not one cluster: ${[name, ...others].join()}`);
  return join(clusters, name);
};

describe('a new cluster', () => {
  it('is made once and copied from then on, each copy with a password of its own', async () => {
    const first = await startOnce();
    expect(statSync(clusters).mode & 0o777).toBe(0o700);
    expect(readdirSync(kept())).toContain('PG_VERSION');
    await using server = await startEmbeddedPostgres({ reaper });
    const [row] = await query(server.adminUrl(), 'SELECT system_identifier::text AS made FROM pg_control_system()');
    expect(row?.made).toBe(first.made);
    const old = new URL(server.adminUrl());
    old.password = new URL(first.url).password;
    expect(old.href).not.toBe(server.adminUrl());
    await expect(query(old.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    expect(readdirSync(kept())).not.toContain('postmaster.pid');
  });

  it('is another one for other time zones, which initdb writes into the settings', async () => {
    vi.stubEnv('TZ', 'Asia/Kolkata');
    await startOnce();
    vi.stubEnv('TZ', 'UTC');
    await using server = await startEmbeddedPostgres({ reaper });
    expect(await query(server.adminUrl(), 'SHOW timezone')).toEqual([{ TimeZone: expect.stringMatching(/UTC/) }]);
    expect(readdirSync(clusters)).toHaveLength(2);
  });

  it('may be made by several at once', async () => {
    const made = await Promise.all([startOnce(), startOnce(), startOnce()]);
    expect(made).toHaveLength(3);
    const later = await startOnce();
    expect(made.map((one) => one.made)).toContain(later.made);
    expect(readdirSync(kept())).toContain('PG_VERSION');
  });

  it('is made anew where what is kept is damaged', async () => {
    const first = await startOnce();
    truncateSync(join(kept(), 'global', 'pg_control'), 0);
    const second = await startOnce();
    expect(second.made).not.toBe(first.made);
    expect((await startOnce()).made).toBe(second.made);
  });

  it('is not kept where the folder is not to be trusted, and made all the same', async () => {
    const elsewhere = join(cacheHome, 'elsewhere');
    for (const path of [elsewhere, join(cacheHome, 'pgsweep')]) mkdirSync(path);
    symlinkSync(elsewhere, clusters);
    expect((await startOnce()).made).not.toBe((await startOnce()).made);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('of another version of the same programs takes its place', async () => {
    await startOnce();
    const [kind = ''] = readdirSync(clusters)[0]?.split('-') ?? [];
    rmSync(kept(), { recursive: true });
    mkdirSync(join(clusters, `${kind}-9.6.1`));
    await startOnce();
    expect(kept()).not.toContain('-9.6.1');
  });
});
