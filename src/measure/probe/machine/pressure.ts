import { readProc } from '../../../base/process/read-proc.ts';
import { addedUp, type Counter, type Counts, eachRow, inOrder, tableOf, valuesIn, valuesOf } from '../counters.ts';
import type { AbsentProbe, Probe, ProbeContext, ProbeKind } from '../probe.ts';
import { type MachineCpu, readMachineCpu } from './machine-cpu.ts';
import { machineProbe } from './machine-probe.ts';

const NAME = 'pressure';

/** Counters alone: more samples than the first and the last are for the CSV file. */
const EVERY_MS = 5000;

type PressureResource = 'cpu' | 'memory' | 'io';

/** A cumulative counter, since boot. */
interface MachineCounter extends Counter {
  read(cpu: MachineCpu | null): number | null;
}

const counters = tableOf<MachineCounter>()({
  cpu_waited_us: { value: 'cpu_pressure_share', per: 'us', read: () => readPressureUs('cpu') },
  memory_waited_us: { value: 'memory_pressure_share', per: 'us', read: () => readPressureUs('memory') },
  io_waited_us: { value: 'io_pressure_share', per: 'us', read: () => readPressureUs('io') },
  total_ticks: { value: null, read: (cpu) => cpu?.total ?? null },
  busy_ticks: { value: 'machine_cpu_share', per: 'total_ticks', read: (cpu) => cpu?.busy ?? null },
  steal_ticks: { value: 'cpu_steal_share', per: 'total_ticks', read: (cpu) => cpu?.steal ?? null },
});

/**
 * The share of the time in which some task waited for CPU, memory or IO (PSI), and the shares of the machine's
 * CPU time that were used and that the hypervisor took away: `cpu_pressure_share`, `machine_cpu_share`, `cpu_steal_share`, ...
 */
export const pressure: ProbeKind = { name: NAME, of: 'machine', byTurns: true, values: valuesIn(counters), open };

async function open(context: ProbeContext): Promise<Probe | AbsentProbe> {
  if (readMachineCpu() === null) return { name: NAME, absent: 'this machine has no /proc/stat (not Linux)' };
  return machineProbe<Counts<keyof typeof counters>>({
    name: NAME,
    everyMs: EVERY_MS,
    context,
    columns: Object.keys(counters),
    read() {
      const cpu = readMachineCpu();
      return eachRow(counters, ({ read }) => read(cpu));
    },
    rows: (reading) => [inOrder(counters, reading)],
    values([first, ...others]) {
      const last = others.at(-1) ?? first;
      const us = 1000 * (last.atMs - first.atMs);
      const values = valuesOf(counters, addedUp(counters, [first.value, last.value]), { us });
      return eachRow(values, (share) => Math.min(1, share));
    },
  });
}

/** Microseconds since boot in which some task waited for it; null where the kernel does not say (before 4.20, or switched off). */
export function readPressureUs(resource: PressureResource): number | null {
  const text = readProc(`/proc/pressure/${resource}`);
  return text === null ? null : parsePressureUs(text);
}

export function parsePressureUs(text: string): number | null {
  const total = /^some .*\btotal=(\d+)/m.exec(text)?.[1];
  return total === undefined ? null : Number(total);
}
