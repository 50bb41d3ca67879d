import { availableParallelism, freemem, totalmem } from 'node:os';
import { type CpuLimit, cpuLimits, type MemoryLimit, memoryLimits } from '../../../base/process/control-group.ts';
import { readProc } from '../../../base/process/read-proc.ts';
import { type Finding, gibOf, ok, problem, unknown, warning } from '../../finding.ts';
import { machineMemoryBytes } from '../../stack/common/machine-memory.ts';

/** Generator, service and Postgres each want a core; with two they share, and with one they take turns. */
const LEAST_CPUS = 2;
const LEAST_FREE_BYTES = 2 ** 30;
/** Reading these costs a system call or worse, and latency is measured by the clock twice a request. */
const slowClocks = ['hpet', 'acpi_pm', 'jiffies'];

/** Facts and settings of this machine, from files of Linux; other systems have fewer. */
export function examineMachine(read: (file: string) => string | null = readProc): Finding[] {
  return [
    cpus(),
    governor(read('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor')),
    cpuLimit(cpuLimits(read), read('/proc/self/cgroup')),
    memory(read('/proc/meminfo'), memoryLimits(read)),
    swap(read('/proc/meminfo')),
    openFiles(read('/proc/self/limits')),
    clockSource(read('/sys/devices/system/clocksource/clocksource0/current_clocksource')),
    // What a NIC's ring buffers drop shows as retransmits; the service is reached over loopback, which has none.
    ok('network', 'loopback: ring buffers do not matter'),
  ];
}

function cpus(): Finding {
  const count = availableParallelism();
  if (count >= LEAST_CPUS) return ok('cpus', String(count));
  return warning('cpus', String(count), 'Generator, service and Postgres take turns on it: use at least two.');
}

function governor(text: string | null): Finding {
  if (text === null) return unknown('cpu governor', ' (usual in a VM)');
  const name = text.trim();
  if (name === 'performance') return ok('cpu governor', name);
  return warning(
    'cpu governor',
    name,
    'The clock rate changes with the load. Set: sudo cpupower frequency-set -g performance',
  );
}

/** The top group of a machine has no limit, and no file for one. */
function cpuLimit(limits: readonly CpuLimit[], own: string | null): Finding {
  if (limits.length === 0 && own === null) return unknown('cpu limit');
  const [tightest] = [...limits].sort((a, b) => a.cpus - b.cpus);
  if (tightest === undefined || !Number.isFinite(tightest.cpus)) return ok('cpu limit', 'none');
  return warning(
    'cpu limit',
    `${Number(tightest.cpus.toPrecision(2))} CPUs by cgroup`,
    `A control group that has used up its share stands still until the next ${tightest.periodMs} ms. Run outside of it (a container without --cpus), or pin it to CPUs (cpuset).`,
  );
}

function kibOf(meminfo: string | null, name: string): number | null {
  const value = new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(meminfo ?? '')?.[1];
  return value === undefined ? null : Number(value);
}

function memory(meminfo: string | null, limits: readonly MemoryLimit[]): Finding {
  const available = kibOf(meminfo, 'MemAvailable');
  const free = available === null ? freemem() : available * 1024;
  const bytes = Math.min(free, ...limits.map(({ freeBytes }) => freeBytes));
  const total = machineMemoryBytes(limits);
  const found = `${gibOf(bytes)} of ${gibOf(total)} available${total < totalmem() ? ' (limited by cgroup)' : ''}`;
  if (bytes >= LEAST_FREE_BYTES) return ok('memory', found);
  const advice = bytes < free ? 'raise the limit of the control group.' : 'close something.';
  return problem('memory', found, `Postgres, services and cached files need at least 1 GiB: ${advice}`);
}

function swap(meminfo: string | null): Finding {
  const [total, free] = [kibOf(meminfo, 'SwapTotal'), kibOf(meminfo, 'SwapFree')];
  if (total === null || free === null) return unknown('swap');
  const used = 1024 * (total - free);
  if (used === 0) return ok('swap', total === 0 ? 'none' : 'not in use');
  return warning(
    'swap',
    `${gibOf(used)} in use`,
    'What was swapped out comes back in the middle of slices: free memory, then sudo swapoff -a && sudo swapon -a',
  );
}

/** Each connection of the load is one in the generator and one in the service; Postgres has some for each backend. */
const LEAST_FILES = 1024;
/** With fewer, not even the sources, the generator and a pool can be opened. */
const FEWEST_FILES = 256;

function openFiles(limits: string | null): Finding {
  const most = /^Max open files +(\w+)/m.exec(limits ?? '')?.[1];
  if (most === undefined) return unknown('open files');
  if (most === 'unlimited' || Number(most) >= LEAST_FILES) return ok('open files', `at most ${most} a process`);
  const found = `at most ${most} a process (ulimit -n)`;
  const advice = `Each connection is an open file: raise it in the shell that starts pgsweep, ulimit -n ${LEAST_FILES} or more.`;
  return Number(most) < FEWEST_FILES ? problem('open files', found, advice) : warning('open files', found, advice);
}

function clockSource(text: string | null): Finding {
  const name = text?.trim();
  if (name === undefined) return unknown('clock source');
  if (!slowClocks.includes(name)) return ok('clock source', name);
  return warning('clock source', name, 'Slow to read. Boot with clocksource=tsc, where the CPU has a stable one.');
}
