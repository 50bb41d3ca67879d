import { describe, expect, it } from 'vitest';
import { cpuLimits, memoryLimits, ownGroups, throttlings } from '../../../src/base/process/control-group.ts';

const reading =
  (files: Record<string, string>) =>
  (file: string): string | null =>
    files[file] ?? null;
const v1 = '5:memory:/docker/4f1c\n2:cpu,cpuacct:/jobs/bench\n1:cpuset:/other\n0::/\n';

describe("the own control group's limits", () => {
  it('are those of its folder and of all above, of version 1 by controller', () => {
    const files = { '/proc/self/cgroup': v1 };
    expect(ownGroups('cpu', reading(files)).slice(-3)).toEqual([
      '/sys/fs/cgroup/cpu/jobs/bench',
      '/sys/fs/cgroup/cpu/jobs',
      '/sys/fs/cgroup/cpu',
    ]);
    const v2 = ownGroups('cpu', reading({ '/proc/self/cgroup': '0::/system.slice/bench.scope\n' }));
    expect(v2.slice(0, 3)).toEqual([
      '/sys/fs/cgroup/system.slice/bench.scope',
      '/sys/fs/cgroup/system.slice',
      '/sys/fs/cgroup',
    ]);
  });

  it('of a group outside of the own namespace are those of the root that is seen', () => {
    expect(ownGroups('cpu', reading({ '/proc/self/cgroup': '0::/../..\n' }))[0]).toBe('/sys/fs/cgroup');
    expect(ownGroups('cpu', reading({ '/proc/self/cgroup': '0::\n' }))[0]).toBe('/sys/fs/cgroup');
  });

  it('of CPU come with their period', () => {
    const old = {
      '/proc/self/cgroup': v1,
      '/sys/fs/cgroup/cpu/jobs/bench/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu/jobs/bench/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us': '25000\n',
      '/sys/fs/cgroup/cpu/jobs/cpu.cfs_period_us': '50000\n',
    };
    expect(cpuLimits(reading(old))).toEqual([
      { cpus: Number.POSITIVE_INFINITY, periodMs: 100 },
      { cpus: 0.5, periodMs: 50 },
    ]);
    const current = { '/proc/self/cgroup': '0::/a/b\n', '/sys/fs/cgroup/a/cpu.max': '150000 100000\n' };
    expect(cpuLimits(reading(current))).toEqual([{ cpus: 1.5, periodMs: 100 }]);
  });

  it('say in how many periods they were used up', () => {
    const files = {
      '/proc/self/cgroup': v1,
      '/sys/fs/cgroup/cpu/jobs/bench/cpu.stat': 'nr_periods 0\nnr_throttled 0\nthrottled_time 0\n',
      '/sys/fs/cgroup/cpu/jobs/cpu.stat': 'nr_periods 40\nnr_throttled 26\nthrottled_time 850000000\n',
    };
    expect(throttlings(reading(files))).toEqual([
      { periods: 0, throttled: 0 },
      { periods: 40, throttled: 26 },
    ]);
    // The root of version 2 has no limit.
    const root = { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.stat': 'usage_usec 5\n' };
    expect(throttlings(reading(root))).toEqual([]);
  });

  it('of memory in a container are at the root of what it sees, and files that can be given back are free', () => {
    const files = {
      '/proc/self/cgroup': v1,
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '600000000\n',
      '/sys/fs/cgroup/memory/memory.usage_in_bytes': '300000000\n',
      '/sys/fs/cgroup/memory/memory.stat':
        'inactive_file 5\nactive_file 5\ntotal_inactive_file 60000000\ntotal_active_file 40000000\n',
    };
    expect(memoryLimits(reading(files))).toEqual([{ bytes: 600_000_000, freeBytes: 400_000_000 }]);
    const current = {
      '/proc/self/cgroup': '0::/a\n',
      '/sys/fs/cgroup/a/memory.max': 'max\n',
      '/sys/fs/cgroup/memory.max': '600000000\n',
      '/sys/fs/cgroup/memory.current': '1\n',
    };
    expect(memoryLimits(reading(current)).map(({ freeBytes }) => freeBytes)).toEqual([
      Number.POSITIVE_INFINITY,
      599_999_999,
    ]);
  });
});
