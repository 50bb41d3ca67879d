import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { runningProcesses } from '../support/processes.ts';
import { ownMark } from './cli.ts';

/** What the benches of this file have started and left, by a variable that it has inherited. None is seen without /proc. */
function leftOvers(): string[] {
  return runningProcesses()
    .filter(({ pid }) => environmentOf(pid).includes(ownMark))
    .map(({ pid, parent, args }) => `${pid} ${parent} ${args}`);
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // It has ended, or is somebody else's.
    return [];
  }
}

/** Waits until nothing is left. */
export async function untilNothingIsLeft(): Promise<void> {
  await expect.poll(leftOvers).toEqual([]);
}
