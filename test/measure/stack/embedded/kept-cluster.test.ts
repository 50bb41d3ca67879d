import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { startEmbeddedPostgres } from '../../../support/started-postgres.ts';

let reaper: Reaper;
/** A cache in which one cluster is kept, made in the time zone UTC. */
let used: string;
let first: unknown;
let cacheHome: string;
/** Where a new cluster is kept. */
let clusters: string;
beforeAll(async () => {
  reaper = startReaper();
  used = mkdtempSync(join(tmpdir(), 'pgsweep-cache-'));
  vi.stubEnv('TZ', 'UTC');
  vi.stubEnv('XDG_CACHE_HOME', used);
  first = (await startOnce()).made;
});
beforeEach(() => {
  cacheHome = mkdtempSync(join(tmpdir(), 'pgsweep-cache-'));
  clusters = join(cacheHome, 'pgsweep', 'clusters');
  vi.stubEnv('TZ', 'UTC');
  vi.stubEnv('XDG_CACHE_HOME', cacheHome);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cacheHome, { recursive: true });
});
afterAll(async () => {
  rmSync(used, { recursive: true });
  await reaper.close();
});

/** The test goes on from the cluster that was made for all of them, with its owner. */
const goOn = (): void => void execFileSync('cp', ['-a', `${used}/.`, cacheHome]);

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
    goOn();
    const before = await startOnce();
    expect(before.made).toBe(first);
    expect(statSync(clusters).mode & 0o777).toBe(0o700);
    expect(readdirSync(kept())).toContain('PG_VERSION');
    await using server = await startEmbeddedPostgres({ reaper });
    const [row] = await query(server.adminUrl(), 'SELECT system_identifier::text AS made FROM pg_control_system()');
    expect(row?.made).toBe(first);
    const old = new URL(server.adminUrl());
    old.password = new URL(before.url).password;
    expect(old.href).not.toBe(server.adminUrl());
    await expect(query(old.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    expect(readdirSync(kept())).not.toContain('postmaster.pid');
  });

  it('is another one for other time zones, which initdb writes into the settings', async () => {
    goOn();
    vi.stubEnv('TZ', 'Asia/Kolkata');
    await using server = await startEmbeddedPostgres({ reaper });
    expect(await query(server.adminUrl(), 'SHOW timezone')).toEqual([{ TimeZone: 'Asia/Kolkata' }]);
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
    goOn();
    truncateSync(join(kept(), 'global', 'pg_control'), 0);
    const second = await startOnce();
    expect(second.made).not.toBe(first);
    expect((await startOnce()).made).toBe(second.made);
  });

  it('is not kept where the folder is not to be trusted, and made all the same', async () => {
    goOn();
    const elsewhere = join(cacheHome, 'elsewhere');
    renameSync(clusters, elsewhere);
    symlinkSync(elsewhere, clusters);
    const there = readdirSync(elsewhere);
    expect((await startOnce()).made).not.toBe(first);
    expect(readdirSync(elsewhere)).toEqual(there);
  });

  it('of another version of the same programs takes its place', async () => {
    goOn();
    const [kind = ''] = readdirSync(clusters)[0]?.split('-') ?? [];
    renameSync(kept(), join(clusters, `${kind}-9.6.1`));
    await startOnce();
    expect(kept()).not.toContain('-9.6.1');
  });

  it('takes the place of those that were not used for longest, where there are many', async () => {
    goOn();
    utimesSync(kept(), 1_000_000, 1_000_000);
    const names = Array.from({ length: 20 }, (_, number) => `${String(number).padStart(16, '0')}-15.0`);
    for (const [number, name] of names.entries()) {
      mkdirSync(join(clusters, name));
      utimesSync(join(clusters, name), 2_000_000 + number, 2_000_000 + number);
    }
    // One that is used stays, though it is the oldest.
    expect((await startOnce()).made).toBe(first);
    vi.stubEnv('TZ', 'Asia/Kolkata');
    await startOnce();
    const left = readdirSync(clusters);
    expect(left).toHaveLength(12);
    expect(left).toEqual(expect.arrayContaining(names.slice(-10)));
  });
});
