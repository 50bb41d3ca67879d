import { isKernelThread, type ProcessRow, treesOf } from '../../../base/process/process-table.ts';
import type { MachineCpu } from './machine-cpu.ts';

/** CPU time in ticks since boot. */
export interface ProcessTicks {
  /** CPU ticks of the run's processes and of the kernel's threads, which work for any process. */
  readonly own: number;
  /** CPU ticks of all visible processes. */
  readonly all: number;
}

/**
 * The CPU time of the processes below some roots, roots included, and of all. A process that has ended counts with the
 * parent that waited for it, so the difference of two readings is what was used between them, also by what began and
 * ended between them.
 */
export function processTicks(table: readonly ProcessRow[], roots: readonly number[]): ProcessTicks {
  const inTrees = treesOf(table, roots);
  let [own, all] = [0, 0];
  for (const row of table) {
    const ticks = row.ticks + row.childTicks;
    all += ticks;
    if (inTrees.has(row.pid) || isKernelThread(row)) own += ticks;
  }
  return { own, all };
}

/** The machine's CPU at one moment. */
export interface CpuReading {
  readonly cpu: Pick<MachineCpu, 'busy' | 'interrupts'>;
  readonly processes: ProcessTicks;
}

/**
 * CPU of other programs between two readings, in ticks. It leaves out interrupts that no process was charged with: network
 * and disk cause them, which the load keeps busy. They were 6 % of all CPU time under small requests.
 */
export function foreignTicks(before: CpuReading, after: CpuReading): number {
  const busy = after.cpu.busy - before.cpu.busy;
  const interrupts = after.cpu.interrupts - before.cpu.interrupts;
  const uncharged = Math.min(interrupts, Math.max(0, busy - (after.processes.all - before.processes.all)));
  // A process that ends before anybody waits for it takes its time with it: own time can seem to go back.
  const own = Math.max(0, after.processes.own - before.processes.own);
  return Math.max(0, busy - own - uncharged);
}
