import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLookingOnce } from './look-once.ts';
import { neededOf } from './needs.ts';
import { requiredThings } from './required.ts';
import { looks, type Thing } from './things.ts';

describe('what tests need', () => {
  const here = { has: 7 };
  const away = { lacks: 'there is no such program' };
  const nothing = new Set<Thing>();

  it('is handed to them where it is here, and nothing is skipped', () => {
    const needed = neededOf(['powershell'], [here], nothing);
    expect(needed).toMatchObject({ orSkip: {}, isHere: true, has: 7 });
  });

  it('skips them where it is lacking, with its name and the reason', () => {
    const needed = neededOf(['powershell'], [away], nothing);
    const lacking = { thing: 'powershell', why: 'there is no such program' };
    expect(needed.orSkip).toEqual({ skip: true, meta: { lacking } });
    expect(needed.isHere).toBe(false);
    expect(() => needed.has).toThrow('powershell is not here: there is no such program');
  });

  it('skips them where one of several is lacking', () => {
    const needed = neededOf(['postgres-15', 'postgres-17'], [here, away], nothing);
    expect(needed.orSkip.meta?.lacking.thing).toBe('postgres-17');
    expect(needed.isHere).toBe(false);
  });

  it('fails them where it is lacking and was required, whatever else is', () => {
    const required = requiredThings('versions');
    expect(() => neededOf(['powershell', 'postgres-17'], [away, away], required)).toThrow(
      'PGSWEEP_TEST_REQUIRE asks for postgres-17, and it is not here: there is no such program',
    );
    expect(neededOf(['postgres-17'], [here], required).orSkip).toEqual({});
    expect(neededOf(['powershell'], [away], required).orSkip.skip).toBe(true);
  });
});

describe('what is required', () => {
  it('is named by group or by itself', () => {
    expect([...requiredThings('opensearch, docker-ports')]).toEqual(['opensearch', 'maven', 'docker-ports']);
    expect(requiredThings('versions').size).toBe(6);
    expect(requiredThings('').size).toBe(0);
  });

  it('cannot be something that nobody looks for', () => {
    expect(() => requiredThings('opensearch,dokcer')).toThrow('names "dokcer"; there are opensearch, docker, versions');
  });
});

describe('a look', () => {
  it('is taken once, however many ask, also where nothing is found', async () => {
    let looked = 0;
    const powershell = async () => {
      looked++;
      return { lacks: 'none' };
    };
    const { url, close } = await startLookingOnce({ powershell }, { env: {} });
    const asked = [1, 2, 3].map(async () => (await fetch(`${url}/powershell`)).json());
    expect(await Promise.all(asked)).toEqual(Array(3).fill({ lacks: 'none' }));
    expect(looked).toBe(1);
    close();
  });

  it('that fails is no skip: it is told as an error', async () => {
    const powershell = async () => {
      throw new TypeError('a mistake of ours');
    };
    const { url, close } = await startLookingOnce({ powershell }, { env: {} });
    const answer = await fetch(`${url}/powershell`);
    expect([answer.status, await answer.text()]).toEqual([500, 'looking for powershell: a mistake of ours']);
    expect((await fetch(`${url}/nonsense`)).status).toBe(500);
    close();
  });
});

/** A machine of our own making: `bin` is all of its PATH. */
describe('OpenSearch on a machine', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pgsweep-machine-'));
    mkdirSync(join(folder, 'bin'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const machine = () => ({
    env: { PATH: join(folder, 'bin'), HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') },
    javaFolders: [],
  });
  const plant = (name: string, script: string): void => {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  };
  const plantJava = (): void => plant('java', `echo '    java.specification.version = 17' >&2`);

  it('without Java is lacking', async () => {
    expect(await looks.opensearch(machine())).toEqual({
      lacks: 'OpenSearch needs Java 11 or later. Found PATH: no java',
    });
  });

  it('without Maven is lacking', async () => {
    plantJava();
    expect(await looks.opensearch(machine())).toEqual({
      lacks: 'Maven (mvn) fetches OpenSearch, once, and it cannot start mvn: no such program',
    });
  });

  it('whose Maven cannot reach Maven Central is lacking, and nothing is left', async () => {
    plantJava();
    plant(
      'mvn',
      'echo "[ERROR] Could not transfer artifact: repo.maven.apache.org: Name or service not known"; exit 1',
    );
    const lacks = expect.stringMatching(
      /^OpenSearch 2\.19\.6 cannot be fetched: mvn ended with exit code 1\. .*Central|Name or service/,
    );
    expect(await looks.opensearch(machine())).toEqual({ lacks });
    expect(await looks.maven(machine())).toEqual({ lacks });
    expect(readdirSync(join(folder, 'cache/pgsweep/opensearch'))).toEqual([]);
  });

  it('that has the release needs no Maven, but for tests of fetching', async () => {
    plantJava();
    mkdirSync(join(folder, 'cache/pgsweep/opensearch/2.19.6'), { recursive: true });
    expect(await looks.opensearch(machine())).toEqual({ has: null });
    expect(await looks.maven(machine())).toEqual({ lacks: expect.stringContaining('cannot start mvn') });
  });

  it('has a younger release only where one was set up', async () => {
    plant('java', `echo '    java.specification.version = 21' >&2`);
    expect(await looks['opensearch-3'](machine())).toEqual({ lacks: 'OpenSearch 3.6.0 is not set up' });
    mkdirSync(join(folder, 'cache/pgsweep/opensearch/3.6.0'), { recursive: true });
    expect(await looks['opensearch-3'](machine())).toEqual({ has: { version: '3.6.0', javaMajor: 21 } });
    expect(existsSync(join(folder, 'cache/pgsweep/opensearch/2.19.6'))).toBe(false);
  });
});
