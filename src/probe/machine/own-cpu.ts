import { isKernelThread, type ProcessRow, treesOf } from '../../base/process/process-table.ts';

export interface OwnProcesses {
  /** The bench: only itself, since what it started is named apart. */
  readonly self: number;
  /** The generator, the live services, Postgres, the reaper: each with everything below it. */
  readonly trees: readonly number[];
}

/**
 * The CPU time, in ticks since boot, of the run's own processes and of the kernel's threads (which work for whoever
 * asked them to). Over a tree the sum also holds for processes that end: their time moves to the parent that waits for
 * them, so the difference of two readings is what was used between them.
 */
export function ownTicks(table: readonly ProcessRow[], { self, trees }: OwnProcesses): number {
  const inTrees = treesOf(table, trees);
  let ticks = 0;
  for (const row of table) {
    if (inTrees.has(row.pid)) ticks += row.ticks + row.childTicks;
    else if (row.pid === self || isKernelThread(row)) ticks += row.ticks;
  }
  return ticks;
}
