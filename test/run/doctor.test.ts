import { describe, expect, it } from 'vitest';
import { renderFindings } from '../../src/cli/doctor.ts';
import { type ProcessRow, parseProcess } from '../../src/probe/process-table.ts';
import { examineDisk } from '../../src/run/doctor/disk.ts';
import type { Finding } from '../../src/run/doctor/finding.ts';
import { examineMachine } from '../../src/run/doctor/machine.ts';
import { busiest } from '../../src/run/doctor/other-load.ts';
import { examinePrograms } from '../../src/run/doctor/programs.ts';

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
    ['clock source', '/sys/devices/system/clocksource/clocksource0/current_clocksource', 'tsc\n', 'ok'],
    ['clock source', '/sys/devices/system/clocksource/clocksource0/current_clocksource', 'hpet\n', 'warning'],
  ])('%s by %s: %j is %s', (name, file, text, state) => {
    expect(stateOf(name, { [file]: text })).toBe(state);
  });

  it('takes no offence where a machine tells nothing', () => {
    expect([...machineOf({}).values()].filter(({ state }) => state === 'problem')).toEqual([]);
  });

  it('says something to do wherever something is wrong, and nothing where nothing is', () => {
    const ill = machineOf({
      '/sys/fs/cgroup/cpu.max': '150000 100000',
      '/proc/meminfo': meminfo(1, 1),
      '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor': 'powersave',
    });
    for (const { state, advice } of ill.values()) expect(advice === null).toBe(state === 'ok');
    expect(ill.get('cpu limit')?.found).toBe('1.5 CPUs by cgroup');
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
  });

  it('knows which versions of Node.js will do', () => {
    const node = (version: string) => examinePrograms(version)[0]?.state;
    expect(['20.18.0', '20.19.0', '21.7.0', '22.13.1', '24.0.0'].map(node)).toEqual([
      'problem',
      'ok',
      'problem',
      'ok',
      'ok',
    ]);
  });

  it('prints a line for each, what to do below it, and what it comes to', () => {
    const text = renderFindings([
      { name: 'cpu steal', state: 'ok', found: '0 %', advice: null },
      { name: 'swap', state: 'problem', found: '1 GiB in use', advice: 'Free memory.' },
    ]);
    expect(text).toBe(
      'ok       cpu steal  0 %\nproblem  swap       1 GiB in use\n                    Free memory.\n\nNot fit: 1 problem. Runs here will be marked unfit, or fail.\n',
    );
  });
});
