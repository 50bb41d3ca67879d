import { readProc } from '../../../base/process/read-proc.ts';

/** The machine's CPU time since boot, in clock ticks, over all its CPUs. */
export interface MachineCpu {
  readonly total: number;
  /** Used by any process or interrupt. */
  readonly busy: number;
  /** The part of it that interrupts used. Some kernels charge it to whatever process was interrupted, too. */
  readonly interrupts: number;
  /** Taken away by the hypervisor. */
  readonly steal: number;
}

/** Reads /proc/stat; null where there is none. */
export function readMachineCpu(): MachineCpu | null {
  const text = readProc('/proc/stat');
  return text === null ? null : parseMachineCpu(text);
}

export function parseMachineCpu(text: string): MachineCpu | null {
  const match = /^cpu +([\d ]+)$/m.exec(text);
  if (match === null) return null;
  // `guest` and `guest_nice`, which follow, are already counted in `user` and `nice`.
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = (match[1] ?? '')
    .split(' ')
    .map(Number);
  const busy = user + nice + system + irq + softirq;
  return { total: busy + idle + iowait + steal, busy, interrupts: irq + softirq, steal };
}
