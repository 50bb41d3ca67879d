import type { ProcessRow } from '../../../base/process/process-table.ts';
import { addedUp, type Counter, type Counts, tableOf, valuesIn, valuesOf } from '../counters.ts';
import { TICKS_PER_SECOND } from './process-files.ts';

/** A process at one moment. `status` and `io` read a line of its files by name; null where there is none. */
export interface SeenProcess extends Pick<ProcessRow, 'pid' | 'parent' | 'ticks' | 'childTicks' | 'systemTicks'> {
  status(name: string): number | null;
  io(name: string): number | null;
}

/** A thread at one moment. */
export interface SeenThread {
  readonly key: string;
  readonly ticks: number | null;
  readonly waitedNs: number | null;
  status(name: string): number | null;
}

/** A file of a control group (in version 1 after its controller), the lines that are summed up, and the counter's unit in them. */
export type GroupSource = readonly [file: string, lines: RegExp, unit?: number];

/** A counter of processes or of a container, and how it is read of each; absent where that is not known of them, or no plain sum. */
interface UsageCounter extends Counter {
  /** Use of a process and of the children that it has waited for, and the counter's unit in it. */
  readonly process?: readonly [used: (process: SeenProcess) => number | null, unit?: number];
  /** Use of a thread. */
  readonly thread?: (thread: SeenThread) => number | null;
  readonly v2?: GroupSource;
  readonly v1?: GroupSource;
}

/** The whole file. */
const ALL = /^(\d+)\s*$/g;

/**
 * Resources that some processes, or a container, have used, in the order of the samples' columns: cumulative figures only grow
 * within a slice. Null where this machine does not say.
 */
export const usageCounters = tableOf<UsageCounter>()({
  cpu_s: {
    value: 'cpu_cores',
    per: 'seconds',
    process: [({ ticks, childTicks }) => ticks + childTicks, TICKS_PER_SECOND],
    v2: ['cpu.stat', /^usage_usec (\d+)$/gm, 1e6],
    v1: ['cpuacct/cpuacct.usage', ALL, 1e9],
  },
  /** The thread that used most since the first reading. */
  busiest_thread_s: { value: 'busiest_thread_cores', per: 'seconds' },
  /** How long a container wanted CPU and was kept from it by its quota. */
  throttled_s: {
    value: 'throttled_share',
    per: 'seconds',
    v2: ['cpu.stat', /^throttled_usec (\d+)$/gm, 1e6],
    v1: ['cpu/cpu.stat', /^throttled_time (\d+)$/gm, 1e9],
  },
  /** Now, shared memory counted once. */
  memory_bytes: {
    value: 'memory_max_bytes',
    adds: 'most',
    v2: ['memory.current', ALL],
    v1: ['memory/memory.usage_in_bytes', ALL],
  },
  voluntary_switches: {
    value: 'voluntary_switches_per_s',
    per: 'seconds',
    thread: ({ status }) => status('voluntary_ctxt_switches'),
  },
  involuntary_switches: {
    value: 'involuntary_switches_per_s',
    per: 'seconds',
    thread: ({ status }) => status('nonvoluntary_ctxt_switches'),
  },
  /** From and to storage. */
  read_bytes: {
    value: 'read_bytes_per_s',
    per: 'seconds',
    process: [({ io }) => io('read_bytes')],
    v2: ['io.stat', /\brbytes=(\d+)/g],
    v1: ['blkio/blkio.throttle.io_service_bytes', /^\d+:\d+ Read (\d+)$/gm],
  },
  written_bytes: {
    value: 'written_bytes_per_s',
    per: 'seconds',
    process: [({ io }) => io('write_bytes')],
    v2: ['io.stat', /\bwbytes=(\d+)/g],
    v1: ['blkio/blkio.throttle.io_service_bytes', /^\d+:\d+ Write (\d+)$/gm],
  },
  /** How long that thread was ready to run and had no CPU; of a process of one thread unknown. */
  busiest_thread_waited_s: { value: 'busiest_thread_waited_share', per: 'seconds' },
  /** Their own work, and the kernel's for them (system calls). */
  cpu_user_s: {
    value: 'cpu_user_cores',
    per: 'seconds',
    process: [({ ticks, childTicks, systemTicks }) => ticks + childTicks - systemTicks, TICKS_PER_SECOND],
    v2: ['cpu.stat', /^user_usec (\d+)$/gm, 1e6],
    v1: ['cpuacct/cpuacct.usage_user', ALL, 1e9],
  },
  cpu_system_s: {
    value: 'cpu_system_cores',
    per: 'seconds',
    process: [({ systemTicks }) => systemTicks, TICKS_PER_SECOND],
    v2: ['cpu.stat', /^system_usec (\d+)$/gm, 1e6],
    v1: ['cpuacct/cpuacct.usage_sys', ALL, 1e9],
  },
});

export type Usage = Counts<keyof typeof usageCounters>;

/** Takes readings of one thing within one slice. Throws, with the reason, where it cannot be read at all. */
export type ReadUsage = () => Usage;

const roles = ['service', 'postgres', 'opensearch', 'generator'];

/** The names of the values of all roles as a whole. */
export const usageNames: readonly string[] = roles.flatMap((role) =>
  valuesIn(usageCounters).map((value) => `${role}_${value}`),
);

/**
 * The values of a slice, by name (`service_cpu_cores`), from its readings and how long it took. `process` names the one of
 * several processes of that role whose they are: `service_cpu_cores{process="api"}`.
 */
export function usageValues(
  role: string,
  usages: readonly Usage[],
  seconds: number,
  process?: string,
): Record<string, number> {
  if (seconds <= 0) return {};
  const label = process === undefined ? '' : `{process="${process}"}`;
  const values = valuesOf(usageCounters, addedUp(usageCounters, usages), { seconds });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${role}_${name}${label}`, value]));
}
