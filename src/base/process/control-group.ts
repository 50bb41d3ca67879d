import { posix } from 'node:path';
import { readProc } from './read-proc.ts';

const ROOT = '/sys/fs/cgroup';

/** How much CPU a control group may use in each period, in cores; Infinity where it has no limit. */
export interface CpuLimit {
  readonly cpus: number;
  readonly periodMs: number;
}

/** How often a control group has used up its CPU limit since it was made: in so many of the periods in which it ran. */
export interface Throttling {
  readonly periods: number;
  readonly throttled: number;
}

/** How much memory a control group may have, and how much of it is free, in bytes; Infinity where it has no limit. */
export interface MemoryLimit {
  readonly bytes: number;
  readonly freeBytes: number;
}

/**
 * The folders of this process's control group and of all groups above it, the nearest first: a limit of each of them holds.
 * Version 1 has a folder for each controller. Groups that a container does not see are missing there, and have no files.
 */
export function ownGroups(controller: string, read = readProc): string[] {
  const own = read('/proc/self/cgroup') ?? '';
  const v1 = new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm').exec(own)?.[1];
  const v2 = /^0::(.*)$/m.exec(own)?.[1];
  return [...upwards(v2).map((path) => ROOT + path), ...upwards(v1).map((path) => `${ROOT}/${controller}${path}`)];
}

/** `/a/b` is ['/a/b', '/a', '']. A path of a group outside of the own namespace begins with `/..`. */
function upwards(path = '/'): string[] {
  const folder = posix.normalize(`/${path}`);
  return folder === '/' ? [''] : [folder, ...upwards(posix.dirname(folder))];
}

/** The CPU limits of this process's groups; none where no group has a file for it. */
export function cpuLimits(read = readProc): CpuLimit[] {
  return ownGroups('cpu', read).flatMap((folder) => {
    const [quota, period] =
      read(`${folder}/cpu.max`)?.trim().split(' ') ??
      ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((file) => read(`${folder}/${file}`)?.trim());
    if (quota === undefined) return [];
    const periodUs = Number(period ?? 100_000);
    return [
      { cpus: Number(quota) > 0 ? Number(quota) / periodUs : Number.POSITIVE_INFINITY, periodMs: periodUs / 1000 },
    ];
  });
}

/** How often each of this process's groups has used up its CPU limit, the nearest first; none where no group says. */
export function throttlings(read = readProc): Throttling[] {
  return ownGroups('cpu', read).flatMap((folder) => {
    const text = read(`${folder}/cpu.stat`) ?? '';
    const [periods, throttled] = [/^nr_periods (\d+)$/m.exec(text)?.[1], /^nr_throttled (\d+)$/m.exec(text)?.[1]];
    return periods === undefined || throttled === undefined
      ? []
      : [{ periods: Number(periods), throttled: Number(throttled) }];
  });
}

/** The memory limits of this process's groups; none where no group has a file for it. */
export function memoryLimits(read = readProc): MemoryLimit[] {
  return ownGroups('memory', read).flatMap((folder) => {
    const limit = read(`${folder}/memory.max`) ?? read(`${folder}/memory.limit_in_bytes`);
    if (limit === null) return [];
    const bytes = limit.trim() === 'max' ? Number.POSITIVE_INFINITY : Number(limit);
    const used = Number(read(`${folder}/memory.current`) ?? read(`${folder}/memory.usage_in_bytes`) ?? 0);
    const stat = read(`${folder}/memory.stat`) ?? '';
    // The kernel takes cached files back before it refuses memory, as the machine's MemAvailable has it.
    const cache = fileBytes(stat, 'inactive') + fileBytes(stat, 'active');
    return [{ bytes, freeBytes: Math.max(0, bytes - Math.max(0, used - cache)) }];
  });
}

/** Cached files by a memory.stat. Of version 1 the total has the groups below, too. */
function fileBytes(stat: string, list: 'inactive' | 'active'): number {
  const bytes = (name: string): string | undefined => new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1];
  return Number(bytes(`total_${list}_file`) ?? bytes(`${list}_file`) ?? 0);
}
