import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PgsweepError } from '../../../src/base/errors.ts';
import { freeBytesOf } from '../../../src/base/files/disk.ts';
import { type ProcessRow, parseProcess } from '../../../src/base/process/process-table.ts';
import type { Reaper } from '../../../src/base/process/reaper.ts';
import { renderFindings } from '../../../src/cli/doctor.ts';
import type { Finding } from '../../../src/measure/finding.ts';
import { examineDisk } from '../../../src/measure/run/doctor/disk.ts';
import { examineMachine } from '../../../src/measure/run/doctor/machine.ts';
import { examineNode } from '../../../src/measure/run/doctor/node.ts';
import { busiest, watchOtherLoad } from '../../../src/measure/run/doctor/other-load.ts';
import { examinePostgres, examineSearch, examineStack } from '../../../src/measure/run/doctor/stack.ts';
import { examineShortly } from '../../../src/measure/run/preflight/preflight.ts';
import { makeServerFolder } from '../../../src/measure/stack/common/server-folder.ts';
import { testScenario } from '../../fixtures/scenario.ts';

const machineOf = (files: Record<string, string>): Map<string, Finding> =>
  new Map(examineMachine((file) => files[file] ?? null).map((finding) => [finding.name, finding]));
const meminfo = (available: number, swapFree: number): string =>
  `MemTotal: 8000000 kB\nMemAvailable:  ${available} kB\nSwapTotal:   2000000 kB\nSwapFree:    ${swapFree} kB\n`;
const stateOf = (name: string, files: Record<string, string>) => machineOf(files).get(name)?.state;

describe('the doctor', () => {
  it.each<[string, string, string, string]>([
    ['cpu governor', '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor', 'performance\n', 'ok'],
    ['cpu governor', '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor', 'powersave\n', 'warning'],
    ['cpu limit', '/sys/fs/cgroup/cpu.max', 'max 100000\n', 'ok'],
    ['cpu limit', '/sys/fs/cgroup/cpu.max', '150000 100000\n', 'warning'],
    ['cpu limit', '/sys/fs/cgroup/cpu/cpu.cfs_quota_us', '-1\n', 'ok'],
    ['cpu limit', '/sys/fs/cgroup/cpu/cpu.cfs_quota_us', '50000\n', 'warning'],
    ['memory', '/proc/meminfo', meminfo(4_000_000, 2_000_000), 'ok'],
    ['memory', '/proc/meminfo', meminfo(400_000, 2_000_000), 'problem'],
    ['swap', '/proc/meminfo', meminfo(4_000_000, 2_000_000), 'ok'],
    ['swap', '/proc/meminfo', meminfo(4_000_000, 1_000_000), 'warning'],
    ['open files', '/proc/self/limits', 'Max open files            1048576    1048576    files\n', 'ok'],
    ['open files', '/proc/self/limits', 'Max open files            unlimited  unlimited  files\n', 'ok'],
    ['open files', '/proc/self/limits', 'Max open files            512        512        files\n', 'warning'],
    ['open files', '/proc/self/limits', 'Max open files            64         64         files\n', 'problem'],
    ['clock source', '/sys/devices/system/clocksource/clocksource0/current_clocksource', 'tsc\n', 'ok'],
    ['clock source', '/sys/devices/system/clocksource/clocksource0/current_clocksource', 'hpet\n', 'warning'],
  ])('%s by %s: %j is %s', (name, file, text, state) => {
    expect(stateOf(name, { [file]: text })).toBe(state);
  });

  it('ends its watch with the reason of who stops it, and not with an error of Node.js', async () => {
    const stop = new AbortController();
    const watched = watchOtherLoad(60_000, stop.signal);
    stop.abort(new PgsweepError('interrupted', 'interrupted'));
    await expect(watched).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('takes no offence where a machine tells nothing', () => {
    expect([...machineOf({}).values()].filter(({ state }) => state === 'problem')).toEqual([]);
  });

  it('calls nothing ok that a machine does not tell', () => {
    const states = [...machineOf({}).values()].flatMap(({ name, state }) => (state === 'unknown' ? [name] : []));
    expect(states).toEqual(['cpu governor', 'cpu limit', 'swap', 'open files', 'clock source']);
  });

  it('says something to do wherever something is wrong, and nothing where nothing is', () => {
    const ill = machineOf({
      '/sys/fs/cgroup/cpu.max': '150000 100000',
      '/proc/meminfo': meminfo(1, 1),
      '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor': 'powersave',
    });
    for (const { state, advice } of ill.values()) expect(advice === null).toBe(state === 'ok' || state === 'unknown');
    expect(ill.get('cpu limit')?.found).toBe('1.5 CPUs by cgroup');
  });

  it('finds the CPU limit of its own group where the root has none, with the period it is dealt out in', () => {
    const limited = machineOf({
      '/proc/self/cgroup': '1:cpu,cpuacct:/jobs/bench\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu/jobs/bench/cpu.cfs_quota_us': '25000\n',
      '/sys/fs/cgroup/cpu/jobs/bench/cpu.cfs_period_us': '50000\n',
    }).get('cpu limit');
    expect(limited).toMatchObject({ state: 'warning', found: '0.5 CPUs by cgroup' });
    expect(limited?.advice).toContain('until the next 50 ms');
  });

  it('finds the memory limit of its own group, however much the machine has', () => {
    const limited = machineOf({
      '/proc/self/cgroup': '0::/bench\n',
      '/proc/meminfo': meminfo(16_000_000, 0),
      '/sys/fs/cgroup/bench/memory.max': `${600 * 2 ** 20}\n`,
      '/sys/fs/cgroup/bench/memory.current': `${100 * 2 ** 20}\n`,
    }).get('memory');
    expect(limited).toMatchObject({
      state: 'problem',
      found: '0.488 GiB of 0.586 GiB available (limited by cgroup)',
      advice: expect.stringContaining('raise the limit of the control group'),
    });
  });

  it('names the busiest strangers, those of one name together', () => {
    const row = (pid: number, name: string, ticks: number): ProcessRow => ({
      ...parseProcess(`${pid} (${name}) S 1 1 1 0 0 0 0 0 0 0 0 0 0 0`),
      ticks,
    });
    const before = [row(900_001, 'chrome', 5), row(900_002, 'chrome', 5), row(900_003, 'idle', 9)];
    const after = [
      row(900_001, 'chrome', 15),
      row(900_002, 'chrome', 25),
      row(900_003, 'idle', 9),
      row(900_004, 'new', 12),
    ];
    expect(busiest(before, after)).toEqual(['chrome', 'new']);
    expect(busiest(null, after)).toEqual([]);
  });

  it('tries the disk, and says where it cannot', () => {
    expect(examineDisk().map(({ name }) => name)).toEqual(['disk space', 'disk fsync']);
    expect(examineDisk().at(1)?.found).toMatch(/^[\d.]+ ms \(median of 50\)/);
    expect(examineDisk('/proc').at(1)?.state).toBe('problem');
    const advice = 'PGSWEEP_TMP must be a folder that is there.';
    const missing = { name: 'disk space', state: 'problem', found: 'there is no folder /no/such', advice };
    expect(examineDisk('/no/such')).toEqual([missing]);
    const file = fileURLToPath(import.meta.url);
    expect(examineDisk(join(file, 'inner'))).toMatchObject([{ state: 'problem', advice }]);
  });

  it('finds a missing temporary folder before a sweep, which then ends with an error that names it', async () => {
    vi.stubEnv('PGSWEEP_TMP', '/no/such');
    const found = await examineShortly(testScenario(), { kind: 'embedded' }, new AbortController().signal);
    expect(found.filter(({ name }) => name.startsWith('disk'))).toMatchObject([{ state: 'problem' }]);
    expect(freeBytesOf('/no/such')).toBeNull();
    await expect(makeServerFolder(undefined, {} as Reaper)).rejects.toMatchObject({
      code: 'stack',
      hint: expect.stringContaining('PGSWEEP_TMP'),
    });
    vi.unstubAllEnvs();
  });

  it('knows which versions of Node.js will do', () => {
    const node = (version: string) => examineNode(version).state;
    expect(['20.18.0', '20.19.0', '21.7.0', '22.13.1', '24.0.0'].map(node)).toEqual([
      'problem',
      'ok',
      'problem',
      'ok',
      'ok',
    ]);
  });

  describe('looks for what search without containers needs', () => {
    let machine: string;
    beforeEach(() => {
      machine = mkdtempSync(join(tmpdir(), 'pgsweep-doctor-test-'));
    });
    afterEach(() => rmSync(machine, { recursive: true }));
    const plant = (name: string, says: string): void =>
      writeFileSync(join(machine, name), `#!/bin/sh\n${says}\n`, { mode: 0o755 });
    const search = (needed: boolean, version?: string) =>
      examineSearch({ needed, version, env: { PATH: machine, XDG_CACHE_HOME: machine }, javaFolders: [] });

    it('and says which OpenSearch they allow', async () => {
      plant('java', "echo '  java.specification.version = 25' >&2");
      plant('mvn', "echo 'Apache Maven 3.8.7'");
      expect((await search(true)).map(({ found }) => found)).toEqual(['25 (PATH): OpenSearch 3.6.0', '3.8.7']);
      mkdirSync(join(machine, 'pgsweep', 'opensearch', '3.6.0'), { recursive: true });
      expect((await search(true)).at(1)?.found).toBe('not needed any more: OpenSearch 3.6.0 is set up');
      expect((await search(true, '2.19.6')).at(0)).toMatchObject({
        state: 'problem',
        found: 'OpenSearch 2.19.6 needs Java 11 to 23. Found PATH: Java 25, which is too new',
        advice: expect.stringContaining('Install one: '),
      });
    });

    it('and takes offence only where the run needs them', async () => {
      expect((await search(true)).map(({ name, state }) => `${name} ${state}`)).toEqual([
        'java problem',
        'maven problem',
      ]);
      const unneeded = await search(false);
      expect(unneeded.map(({ state, advice }) => [state, advice])).toEqual([
        ['ok', null],
        ['ok', null],
      ]);
      expect(unneeded.at(1)?.found).toBe(
        'none: it fetches OpenSearch, once (needed only for search without containers)',
      );
    });
  });

  it('looks for the servers of the scenario', async () => {
    const stack = { postgres: { settings: {}, version: '13.99' } };
    const findings = await examineStack(testScenario({ stack }), { kind: 'embedded' });
    expect(findings.slice(0, 2)).toMatchObject([
      { name: 'stack', state: 'ok', found: 'embedded (asked for)' },
      { name: 'postgres 13.99', state: 'ok', found: expect.stringContaining('npm fetches it first, once') },
    ]);
    vi.stubEnv('PATH', tmpdir());
    expect(examinePostgres('13.99')).toMatchObject({ state: 'problem', advice: expect.stringContaining('npm') });
    vi.unstubAllEnvs();
    const target = { kind: 'url', url: 'http://127.0.0.1:1' } as const;
    expect(await examineStack(testScenario({ target }), { kind: 'auto' })).toMatchObject([{ name: 'stack' }]);
  });

  it('without an engine has a problem only where containers are asked for', async () => {
    vi.stubEnv('DOCKER_HOST', `unix://${tmpdir()}/no-engine.sock`);
    const found = async (kind: 'auto' | 'docker') =>
      (await examineStack(testScenario(), { kind }))
        .filter(({ name }) => ['stack', 'docker', 'postgres'].includes(name))
        .map(({ name, state }) => `${name} ${state}`);
    expect(await found('auto')).toEqual(['stack ok', 'postgres ok', 'docker ok']);
    expect(await found('docker')).toEqual(['stack problem', 'docker problem']);
    vi.unstubAllEnvs();
  });

  it('prints a line for each, what to do below it, and what it comes to', () => {
    const text = renderFindings([
      { name: 'cpu steal', state: 'ok', found: '0 %', advice: null },
      { name: 'swap', state: 'problem', found: '1 GiB in use', advice: 'Free memory.' },
    ]);
    expect(text).toBe(
      'ok       cpu steal  0 %\nproblem  swap       1 GiB in use\n                    Free memory.\n\nNot fit: 1 problem. A sweep would fail, or be marked unfit.\n',
    );
    const unseen = { name: 'swap', state: 'unknown', found: 'not told by this machine', advice: null } as const;
    const busy = { name: 'cpu steal', state: 'warning', found: '9 %', advice: null } as const;
    expect(renderFindings([unseen])).toContain('\n\nFit as far as this machine tells.\n');
    expect(renderFindings([unseen, busy])).toContain('\n\nFit as far as this machine tells, with 1 warning.\n');
    expect(renderFindings([busy])).toContain('\n\nFit, with 1 warning.\n');
  });
});
