import { readProc } from '../../../base/process/read-proc.ts';
import type { AbsentProbe, Probe, ProbeContext, ProbeKind } from '../probe.ts';
import type { Samples } from '../sampled-probe.ts';
import { type MachineCpu, readMachineCpu } from './machine-cpu.ts';
import { machineProbe } from './machine-probe.ts';

const NAME = 'pressure';

/** Counters alone: more samples than the first and the last are for the CSV file. */
const EVERY_MS = 5000;

const resources = ['cpu', 'memory', 'io'] as const;

type PressureResource = (typeof resources)[number];

/** Cumulative, since boot. */
interface PressureReading {
  /** Null where the kernel does not say (before 4.20, or switched off). */
  readonly waitedUs: Readonly<Record<PressureResource, number | null>>;
  readonly cpu: MachineCpu | null;
}

/**
 * The share of the time in which some task waited for CPU, memory or IO (PSI), and the shares of the machine's
 * CPU time that were used and that the hypervisor took away: `cpu_pressure_share`, `machine_cpu_share`, `cpu_steal_share`, ...
 */
export const pressure: ProbeKind = { name: NAME, of: 'machine', byTurns: true, open };

async function open(context: ProbeContext): Promise<Probe | AbsentProbe> {
  if (readMachineCpu() === null) return { name: NAME, absent: 'this machine has no /proc/stat (not Linux)' };
  return machineProbe<PressureReading>({
    name: NAME,
    everyMs: EVERY_MS,
    context,
    columns: ['cpu_waited_us', 'memory_waited_us', 'io_waited_us', 'total_ticks', 'busy_ticks', 'steal_ticks'],
    read: readMachine,
    rows: ({ waitedUs, cpu }) => [
      [...resources.map((resource) => waitedUs[resource]), cpu?.total ?? null, cpu?.busy ?? null, cpu?.steal ?? null],
    ],
    values: pressureValues,
  });
}

function readMachine(): PressureReading {
  const waitedUs = { cpu: readPressureUs('cpu'), memory: readPressureUs('memory'), io: readPressureUs('io') };
  return { waitedUs, cpu: readMachineCpu() };
}

/** The values of a pass, the same for all its arms: shares of the time between its two readings. */
function pressureValues(samples: Samples<PressureReading>): Record<string, number> {
  const [first] = samples;
  const last = samples.at(-1) ?? first;
  const us = 1000 * (last.atMs - first.atMs);
  const values: Record<string, number> = {};
  for (const resource of resources) {
    const from = first.value.waitedUs[resource];
    const to = last.value.waitedUs[resource];
    if (from !== null && to !== null && us > 0) values[`${resource}_pressure_share`] = Math.min(1, (to - from) / us);
  }
  const [from, to] = [first.value.cpu, last.value.cpu];
  if (from === null || to === null || to.total <= from.total) return values;
  const ticks = to.total - from.total;
  values.machine_cpu_share = (to.busy - from.busy) / ticks;
  values.cpu_steal_share = (to.steal - from.steal) / ticks;
  return values;
}

/** Microseconds since boot in which some task waited for it. */
export function readPressureUs(resource: PressureResource): number | null {
  const text = readProc(`/proc/pressure/${resource}`);
  return text === null ? null : parsePressureUs(text);
}

export function parsePressureUs(text: string): number | null {
  const total = /^some .*\btotal=(\d+)/m.exec(text)?.[1];
  return total === undefined ? null : Number(total);
}
