import { readdirSync } from 'node:fs';
import { readProc } from '../../../base/process/read-proc.ts';

/** USER_HZ: 100 on every kind of machine that Node runs on. */
export const TICKS_PER_SECOND = 100;

export const msOfTicks = (ticks: number): number => (1000 * ticks) / TICKS_PER_SECOND;

/** A process's memory, in bytes. */
export interface ProcessMemory {
  /** Its own. */
  readonly anonymous: number;
  /** Mapped files and shared memory: of several processes most of this is the same memory. */
  readonly shared: number;
}

/** From /proc/<pid>/status; null where it is not told (Linux before 4.5) or the process has ended. */
export function parseMemory(status: string): ProcessMemory | null {
  const [anonymous, file, shmem] = ['RssAnon', 'RssFile', 'RssShmem'].map((name) => lineOf(status, name));
  if (anonymous == null || file == null || shmem == null) return null;
  return { anonymous: 1024 * anonymous, shared: 1024 * (file + shmem) };
}

/** The number in a line `name: 123` of a file of a process; null where there is none. Hundreds are read at once: no pattern is made twice. */
export function lineOf(text: string, name: string): number | null {
  const line = lines.get(name) ?? new RegExp(`^${name}:\\s+(\\d+)`, 'm');
  lines.set(name, line);
  const found = line.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

const lines = new Map<string, RegExp>();

/** The threads of a process; none where it has ended. */
export function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/** A thread's own CPU time, in ticks; null where it has ended. */
export function threadTicks(pid: number, thread: number): number | null {
  const text = readProc(`/proc/${pid}/task/${thread}/stat`);
  if (text === null) return null;
  // Fields 14 and 15, counted from the name's closing bracket, which ends field 2.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** How long a thread was ready to run and had no CPU, in nanoseconds; null where it has ended, or the kernel does not say. */
export function threadWaitNs(pid: number, thread: number): number | null {
  const waited = readProc(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[1];
  return waited === undefined ? null : Number(waited);
}
