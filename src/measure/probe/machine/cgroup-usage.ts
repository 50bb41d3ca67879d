import { join } from 'node:path';
import { readProc } from '../../../base/process/read-proc.ts';
import type { ReadUsage, Usage } from './usage.ts';

/**
 * Takes readings of a container by its control group, as /proc/<pid>/cgroup names it (`/docker/<id>`), under
 * `/sys/fs/cgroup`: version 2 where that folder has `cgroup.controllers`, else version 1 with a folder for each
 * controller. Throws where there is no such group. (Linux: Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/.)
 */
export function cgroupUsage(group: string, root = '/sys/fs/cgroup'): ReadUsage {
  const isV2 = readProc(join(root, 'cgroup.controllers')) !== null;
  return () => {
    const usage = isV2 ? readV2(join(root, group)) : readV1(root, group);
    if (usage.cpuSeconds === null && usage.memoryBytes === null) throw new Error(`there is no control group ${group}`);
    return usage;
  };
}

const untold = {
  busiestThreadSeconds: null,
  busiestThreadWaitedSeconds: null,
  voluntarySwitches: null,
  involuntarySwitches: null,
};

function readV2(folder: string): Usage {
  const file = (name: string): string => readProc(join(folder, name)) ?? '';
  const cpu = file('cpu.stat');
  const io = file('io.stat');
  return {
    ...untold,
    cpuSeconds: scaled(field(cpu, 'usage_usec'), 1e6),
    userSeconds: scaled(field(cpu, 'user_usec'), 1e6),
    systemSeconds: scaled(field(cpu, 'system_usec'), 1e6),
    throttledSeconds: scaled(field(cpu, 'throttled_usec'), 1e6),
    memoryBytes: withoutCache(whole(file('memory.current')), field(file('memory.stat'), 'inactive_file')),
    readBytes: sumOf(io, /\brbytes=(\d+)/g),
    writtenBytes: sumOf(io, /\bwbytes=(\d+)/g),
  };
}

function readV1(root: string, group: string): Usage {
  const file = (controller: string, name: string): string => readProc(join(root, controller, group, name)) ?? '';
  const io = file('blkio', 'blkio.throttle.io_service_bytes');
  const inactive = field(file('memory', 'memory.stat'), 'total_inactive_file');
  return {
    ...untold,
    cpuSeconds: scaled(whole(file('cpuacct', 'cpuacct.usage')), 1e9),
    userSeconds: scaled(whole(file('cpuacct', 'cpuacct.usage_user')), 1e9),
    systemSeconds: scaled(whole(file('cpuacct', 'cpuacct.usage_sys')), 1e9),
    throttledSeconds: scaled(field(file('cpu', 'cpu.stat'), 'throttled_time'), 1e9),
    memoryBytes: withoutCache(whole(file('memory', 'memory.usage_in_bytes')), inactive),
    readBytes: sumOf(io, /^\d+:\d+ Read (\d+)$/gm),
    writtenBytes: sumOf(io, /^\d+:\d+ Write (\d+)$/gm),
  };
}

/** A line `name value`. */
function field(text: string, name: string): number | null {
  const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

function whole(text: string): number | null {
  return /^\d+\s*$/.test(text) ? Number(text) : null;
}

function scaled(value: number | null, perSecond: number): number | null {
  return value === null ? null : value / perSecond;
}

/** As `docker stats` counts: files that nobody has used lately are the kernel's cache, not the container's need. */
function withoutCache(bytes: number | null, inactiveFile: number | null): number | null {
  return bytes === null ? null : Math.max(0, bytes - (inactiveFile ?? 0));
}

/** Over all devices; null where there is no such file. A group that has not used any device has an empty one. */
function sumOf(text: string, pattern: RegExp): number | null {
  const found = [...text.matchAll(pattern)];
  return found.length === 0 ? null : found.reduce((sum, match) => sum + Number(match[1]), 0);
}
