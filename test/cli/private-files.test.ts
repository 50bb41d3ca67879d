import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ownCache, userCache } from '../../src/base/user-cache.mjs';
import { createBulkFolder } from '../../src/measure/run/bulk/bulk-folder.ts';
import { createRunFolder } from '../../src/measure/run/run-folder.ts';
import { clonedBin, startCli } from './cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-private-'));
afterAll(() => rmSync(folder, { recursive: true }));
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('what tsx compiles', () => {
  it('is kept in a folder of the user alone, and nothing in the folder for temporary files', async () => {
    const [cache, temporary] = [join(folder, 'cache'), join(folder, 'tmp')];
    mkdirSync(temporary);
    const env = { XDG_CACHE_HOME: cache, TMPDIR: temporary };
    const { code, out } = await startCli(['--version'], { env, bin: clonedBin }).done;
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(readdirSync(temporary)).toEqual([]);
    expect(modeOf(join(cache, 'pgsweep', 'tsx'))).toBe('700');
    expect(readdirSync(join(cache, 'pgsweep', 'tsx'), { recursive: true }).length).toBeGreaterThan(10);
  });

  it('is not kept where the folder is a link', async () => {
    const [cache, elsewhere] = [join(folder, 'linked'), join(folder, 'elsewhere')];
    for (const path of [join(cache, 'pgsweep'), elsewhere]) mkdirSync(path, { recursive: true });
    symlinkSync(elsewhere, join(cache, 'pgsweep', 'tsx'));
    const script = `console.log((await import('${resolve('src/base/units.ts')}')).formatDuration(1500))`;
    const args = ['--import', resolve('src/base/typescript.mjs'), '--input-type=module', '-e', script];
    const env = { ...process.env, XDG_CACHE_HOME: cache };
    expect((await promisify(execFile)(process.execPath, args, { env })).stdout).toBe('1.5 s\n');
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe("a folder of the user's cache", () => {
  it('is made for the user alone, and made so where it was not', () => {
    const env = { XDG_CACHE_HOME: join(folder, 'own') };
    const own = ownCache(env, 'kind') ?? '';
    expect(modeOf(own)).toBe('700');
    chmodSync(own, 0o777);
    expect(ownCache(env, 'kind')).toBe(own);
    expect(modeOf(own)).toBe('700');
  });

  it('is in the home of the user, whatever folder an empty or relative HOME would mean', () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const other of ['', 'relative']) {
      vi.stubEnv('HOME', other);
      expect(userCache({}, 'kind')).toBe(join(userInfo().homedir, '.cache', 'pgsweep', 'kind'));
    }
  });

  it('is none where others can write the folder that it is in', () => {
    const env = { XDG_CACHE_HOME: join(folder, 'open') };
    ownCache(env, 'kind');
    chmodSync(join(folder, 'open', 'pgsweep'), 0o777);
    expect(ownCache(env, 'kind')).toBeNull();
  });

  it.runIf(process.getuid?.() === 0)('is none where it is somebody else’s', async () => {
    const { chownSync } = await import('node:fs');
    const env = { XDG_CACHE_HOME: join(folder, 'theirs') };
    chownSync(ownCache(env, 'kind') ?? '', 12345, 12345);
    expect(ownCache(env, 'kind')).toBeNull();
  });
});

describe('a run folder', () => {
  it("is the user's alone, and what it is in is not", () => {
    const { path, samples } = createRunFolder(join(folder, 'results', 'run'));
    for (const own of [path, join(samples, '..'), join(path, 'logs')]) expect(modeOf(own)).toBe('700');
    expect(modeOf(join(folder, 'results'))).toBe((0o777 & ~process.umask()).toString(8));
  });

  it('is for everybody where that was asked for', () => {
    process.env.PGSWEEP_SHARE = '1';
    try {
      expect(modeOf(createRunFolder(join(folder, 'shared')).path)).toBe((0o755 & ~process.umask()).toString(8));
    } finally {
      delete process.env.PGSWEEP_SHARE;
    }
  });

  it('has files for the user alone, or for everybody', () => {
    expect(modeOf(createBulkFolder(join(folder, 'own')).failures)).toBe('600');
    process.env.PGSWEEP_SHARE = '1';
    try {
      const { failures } = createBulkFolder(join(folder, 'all'));
      expect(modeOf(failures)).toBe((0o644 & ~process.umask()).toString(8));
    } finally {
      delete process.env.PGSWEEP_SHARE;
    }
  });
});
