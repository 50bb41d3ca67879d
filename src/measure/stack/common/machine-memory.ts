import { totalmem } from 'node:os';
import { type MemoryLimit, memoryLimits } from '../../../base/process/control-group.ts';

/** The memory of this machine in bytes, or less where a control group limits this process. */
export function machineMemoryBytes(limits: readonly MemoryLimit[] = memoryLimits()): number {
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(totalmem(), constrained, ...limits.map(({ bytes }) => bytes));
}
