/**
 * Resources that some processes, or a container, have used: cumulative figures only grow within a slice. Null where this
 * machine does not say.
 */
export interface Usage {
  readonly cpuSeconds: number | null;
  /** The two parts of it: their own work, and the kernel's for them (system calls). */
  readonly userSeconds: number | null;
  readonly systemSeconds: number | null;
  /** The CPU time of the thread that used most since the first reading; unknown of a container. */
  readonly busiestThreadSeconds: number | null;
  /** How long that thread was ready to run and had no CPU; of a process of one thread unknown. */
  readonly busiestThreadWaitedSeconds: number | null;
  /** How long a container wanted CPU and was kept from it by its quota. */
  readonly throttledSeconds: number | null;
  /** Now, shared memory counted once. */
  readonly memoryBytes: number | null;
  readonly voluntarySwitches: number | null;
  readonly involuntarySwitches: number | null;
  /** From and to storage. */
  readonly readBytes: number | null;
  readonly writtenBytes: number | null;
}

/** Takes readings of one thing within one slice. Throws, with the reason, where it cannot be read at all. */
export type ReadUsage = () => Usage;

/** In the order of the samples' columns. */
export const usageColumns = [
  'cpu_s',
  'busiest_thread_s',
  'throttled_s',
  'memory_bytes',
  'voluntary_switches',
  'involuntary_switches',
  'read_bytes',
  'written_bytes',
  'busiest_thread_waited_s',
  'cpu_user_s',
  'cpu_system_s',
] as const;

export function usageRow(usage: Usage): (number | null)[] {
  return [
    usage.cpuSeconds,
    usage.busiestThreadSeconds,
    usage.throttledSeconds,
    usage.memoryBytes,
    usage.voluntarySwitches,
    usage.involuntarySwitches,
    usage.readBytes,
    usage.writtenBytes,
    usage.busiestThreadWaitedSeconds,
    usage.userSeconds,
    usage.systemSeconds,
  ];
}

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
  const [first] = usages;
  const last = usages.at(-1);
  if (first === undefined || last === undefined || seconds <= 0) return {};
  const rate = (pick: (usage: Usage) => number | null): number | null => {
    const from = pick(first);
    const to = pick(last);
    return from === null || to === null ? null : (to - from) / seconds;
  };
  const memory = usages.flatMap(({ memoryBytes }) => memoryBytes ?? []);
  const values: readonly (readonly [string, number | null])[] = [
    ['cpu_cores', rate(({ cpuSeconds }) => cpuSeconds)],
    ['cpu_user_cores', rate(({ userSeconds }) => userSeconds)],
    ['cpu_system_cores', rate(({ systemSeconds }) => systemSeconds)],
    ['busiest_thread_cores', rate(({ busiestThreadSeconds }) => busiestThreadSeconds)],
    ['busiest_thread_waited_share', rate(({ busiestThreadWaitedSeconds }) => busiestThreadWaitedSeconds)],
    ['throttled_share', rate(({ throttledSeconds }) => throttledSeconds)],
    ['memory_max_bytes', memory.length === 0 ? null : Math.max(...memory)],
    ['voluntary_switches_per_s', rate(({ voluntarySwitches }) => voluntarySwitches)],
    ['involuntary_switches_per_s', rate(({ involuntarySwitches }) => involuntarySwitches)],
    ['read_bytes_per_s', rate(({ readBytes }) => readBytes)],
    ['written_bytes_per_s', rate(({ writtenBytes }) => writtenBytes)],
  ];
  const label = process === undefined ? '' : `{process="${process}"}`;
  return Object.fromEntries(
    values.flatMap(([name, value]) => (value === null ? [] : [[`${role}_${name}${label}`, value]])),
  );
}
