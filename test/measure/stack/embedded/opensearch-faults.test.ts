import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import { isRunning } from '../../../../src/base/process/reaper-processes.mjs';
import { requireDiskSpace } from '../../../../src/measure/stack/common/disk-space.ts';
import { findJava } from '../../../../src/measure/stack/embedded/find-java.ts';
import { startEmbeddedOpenSearch } from '../../../../src/measure/stack/embedded/opensearch.ts';
import { fullRelease, releaseFor } from '../../../../src/measure/stack/embedded/opensearch-version.ts';

let reaper: Reaper;
/** A machine of our own making: `bin` is all of its PATH. */
let machine: string;
beforeAll(() => {
  reaper = startReaper();
});
afterAll(() => reaper.close());
beforeEach(() => {
  machine = mkdtempSync(join(tmpdir(), 'pgsweep-machine-'));
  mkdirSync(join(machine, 'bin'));
});
afterEach(() => rmSync(machine, { recursive: true }));

const env = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: join(machine, 'bin'),
  XDG_CACHE_HOME: join(machine, 'cache'),
  ...more,
});

function plant(name: string, script: string, folder = 'bin'): void {
  const file = join(machine, folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

const plantJava = (version: string): void => plant('java', `echo '    java.specification.version = ${version}' >&2`);

async function failure(options: Partial<Parameters<typeof startEmbeddedOpenSearch>[0]> = {}): Promise<PgsweepError> {
  const machineOnly = { reaper, env: env(), javaFolders: [] };
  const error = await startEmbeddedOpenSearch({ ...machineOnly, ...options }).catch((reason: unknown) => reason);
  if (error instanceof PgsweepError && error.code === 'stack') return error;
  throw new Error(`expected a PgsweepError of the stack, got ${String(error)}`);
}

const built = (): string[] => {
  const cache = join(machine, 'cache', 'pgsweep', 'opensearch');
  return existsSync(cache) ? readdirSync(cache) : [];
};

describe('Java', () => {
  test('that is missing', async () => {
    const { message, hint } = await failure();
    expect(message).toBe('OpenSearch needs Java 11 or later. Found PATH: no java');
    expect(hint).toMatch(/^Install one: .+ OPENSEARCH_JAVA_HOME at one\. Or turn search off: .*SEARCH_MODE=off\.$/);
  });

  test('that is too old', async () => {
    plantJava('1.8');
    expect((await failure()).message).toContain('PATH: Java 8, which is too old');
  });

  test('that says nothing of its version, or cannot be run', async () => {
    plant('java', 'echo hello >&2');
    expect((await failure()).message).toContain('PATH: java reports no version');
    chmodSync(join(machine, 'bin', 'java'), 0o644);
    expect((await failure()).message).toContain('PATH: java cannot be run (EACCES)');
  });

  test('of OPENSEARCH_JAVA_HOME is not replaced by another, that of JAVA_HOME is', async () => {
    plantJava('17');
    const home = join(machine, 'none');
    const { message } = await failure({ env: env({ OPENSEARCH_JAVA_HOME: home }) });
    expect(message).toBe(`OpenSearch needs Java 11 or later. Found OPENSEARCH_JAVA_HOME: no ${home}/bin/java`);
    expect((await failure({ env: env({ JAVA_HOME: home }) })).message).toContain('Maven');
  });
});

describe('the release', () => {
  test.each([
    [8, undefined],
    [11, '2.19.6'],
    [17, '2.19.6'],
    [23, '2.19.6'],
    [24, '3.6.0'],
    [26, '3.6.0'],
  ])('for Java %i is %s', (major, version) => expect(releaseFor(major)).toBe(version));

  test.each([
    ['2', '2.19.6'],
    ['2.19', '2.19.6'],
    ['2.18.0', '2.18.0'],
    ['3', '3.6.0'],
  ])('%s is %s', (asked, version) => expect(fullRelease(asked)).toBe(version));

  test.each(['1.3.0', '2.18', 'latest', ''])('"%s" cannot be had', (asked) =>
    expect(() => fullRelease(asked)).toThrow(`there is no embedded OpenSearch "${asked}"`),
  );
});

describe('with several Javas', () => {
  const javas = (): string => join(machine, 'jvm');
  const install = (folder: string, version: string): string => {
    mkdirSync(join(machine, 'jvm', folder, 'bin'), { recursive: true });
    plant('java', `echo '    java.specification.version = ${version}' >&2`, join('jvm', folder, 'bin'));
    return join(javas(), folder);
  };
  const find = (version?: string, more: NodeJS.ProcessEnv = {}) =>
    findJava({ env: env(more), version, folders: [javas()] });

  test('the one that the release runs on is found, wherever it is', async () => {
    plantJava('17');
    const [old, young] = [install('java-11', '11'), install('temurin-25', '25')];
    expect(await find()).toMatchObject({ version: '2.19.6', java: { source: 'PATH', major: 17 } });
    expect(await find('3')).toMatchObject({ version: '3.6.0', java: { program: join(young, 'bin/java'), major: 25 } });
    const others = { JAVA_HOME: young };
    expect(await find(undefined, others)).toMatchObject({ version: '3.6.0', java: { source: 'JAVA_HOME' } });
    expect(await find('2.19.6', others)).toMatchObject({ version: '2.19.6', java: { source: 'PATH', major: 17 } });
    rmSync(join(machine, 'bin', 'java'));
    expect(await find('2.19.6', others)).toMatchObject({ java: { program: join(old, 'bin/java'), major: 11 } });
  });

  test('of which none will do, all are named', async () => {
    plantJava('17');
    const old = install('java-8', '1.8');
    await expect(find('3.6.0')).rejects.toMatchObject({
      message: `OpenSearch 3.6.0 needs Java 21 or later. Found PATH: Java 17, which is too old; ${old}/bin/java: Java 8, which is too old`,
      hint: expect.stringMatching(/^Install one: .*21.* leave stack\.opensearch\.version out/),
    });
    const asked = { OPENSEARCH_JAVA_HOME: install('temurin-25', '25') };
    await expect(find('2.19.6', asked)).rejects.toThrow(
      'OpenSearch 2.19.6 needs Java 11 to 23. Found OPENSEARCH_JAVA_HOME: Java 25, which is too new',
    );
  });
});

describe('the set-up', () => {
  test('without Maven', async () => {
    plantJava('17');
    const { message, hint } = await failure();
    expect(message).toBe('Maven (mvn) fetches OpenSearch, once, and it cannot start mvn: no such program');
    expect(hint).toMatch(/^Install it: .*maven.* Or turn search off/);
    expect(built()).toEqual([]);
  });

  test('whose download fails', async () => {
    plantJava('17');
    plant(
      'mvn',
      'echo "[ERROR] Could not transfer artifact x: repo.maven.apache.org: Name or service not known"; exit 1',
    );
    const { message, hint } = await failure();
    expect(message).toMatch(
      /^OpenSearch 2\.19\.6 cannot be fetched: mvn ended with exit code 1\.\n\[ERROR\] Could not transfer/,
    );
    expect(hint).toContain('is this machine online?');
    expect(built()).toEqual([]);
  });

  test('that fills the disk', async () => {
    plantJava('17');
    plant('mvn', 'echo "[ERROR] java.io.IOException: No space left on device"; exit 1');
    expect((await failure()).hint).toContain('The disk is full');
  });

  test('on a disk that is nearly full', () => {
    expect(() => requireDiskSpace(machine, 2 ** 62, 'set up OpenSearch', 'Free some.')).toThrow(
      /^the disk of .* has \d+ MB free; to set up OpenSearch takes \d+ MB$/,
    );
    expect(() => requireDiskSpace(machine, 1, 'live', '')).not.toThrow();
  });

  test('where the cache cannot be written', async () => {
    plantJava('17');
    writeFileSync(join(machine, 'cache'), 'a file');
    const { message, hint } = await failure();
    expect(message).toMatch(/^cannot write to the cache folder .*ENOTDIR/);
    expect(hint).toContain('XDG_CACHE_HOME');
  });

  test('that is interrupted ends Maven, and leaves nothing', async () => {
    plantJava('17');
    plant('mvn', 'exec /bin/sleep 60');
    const interrupt = new AbortController();
    const starting = startEmbeddedOpenSearch({ reaper, env: env(), javaFolders: [], signal: interrupt.signal });
    await vi.waitFor(() => expect(built()).toHaveLength(1), { timeout: 60_000 });
    interrupt.abort(new Error('Ctrl-C'));
    await expect(starting).rejects.toThrow('Ctrl-C');
    expect(built()).toEqual([]);
  });

  test('that is killed half-way leaves nothing, or what the next one removes', async () => {
    plantJava('17');
    plant(
      'mvn',
      'echo $$ > "${0%/*}/pid"; for a in "$@"; do case "$a" in -Dlayout.dir=*) /bin/mkdir -p "${a#*=}/opensearch-2.19.6/lib";; esac; done; exec /bin/sleep 60',
    );
    const script = fileURLToPath(new URL('killed-search-bench.ts', import.meta.url));
    const bench = spawn(process.execPath, ['--import', './src/base/typescript.mjs', script], {
      stdio: 'ignore',
      env: env(),
    });
    const halfDone = (): string | undefined =>
      built().find((name) => existsSync(join(machine, 'cache/pgsweep/opensearch', name, 'opensearch-2.19.6/lib')));
    await vi.waitFor(() => expect(halfDone()).toMatch(/^\.building-/), { timeout: 60_000 });
    const maven = Number(readFileSync(join(machine, 'bin/pid'), 'utf8'));
    expect(isRunning({ pid: maven, group: false })).toBe(true);
    bench.kill('SIGKILL');
    await vi.waitFor(() => expect(built()).toEqual([]), { timeout: 60_000 });
    await vi.waitFor(() => expect(isRunning({ pid: maven, group: false })).toBe(false), { timeout: 60_000 });

    // A power cut kills the guard too.
    const old = join(machine, 'cache/pgsweep/opensearch/.building-2.19.6-old');
    const young = join(machine, 'cache/pgsweep/opensearch/.building-2.19.6-young');
    mkdirSync(old);
    mkdirSync(young);
    utimesSync(old, new Date(0), new Date(0));
    plant('mvn', 'exit 1');
    await failure();
    expect(built()).toEqual(['.building-2.19.6-young']);
  });
});
