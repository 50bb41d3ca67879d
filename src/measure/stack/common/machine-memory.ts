import { totalmem } from 'node:os';

/** The memory of this machine in bytes, or less where a control group limits this process. */
export function machineMemoryBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
