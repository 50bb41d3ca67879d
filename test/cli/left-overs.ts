import { expect } from 'vitest';
import { runningProcesses } from '../support/processes.ts';

/**
 * Processes that a run has left: the service and the generator by their scripts, but not those that have a parent which
 * is a program of Node.js, a test or a run that goes on: others start some beside this one. What is left has lost it.
 */
function leftOvers(): string[] {
  const all = runningProcesses();
  const atWork = new Set(
    all.filter(({ pid, args }) => pid !== 1 && /^\S*\bnode\b|vitest/.test(args)).map(({ pid }) => pid),
  );
  return all
    .filter(({ parent }) => !atWork.has(parent))
    .map(({ pid, parent, args }) => `${pid} ${parent} ${args}`)
    .filter((line) => /items\.mjs|generator-main/.test(line));
}

export async function untilNothingIsLeft(): Promise<void> {
  await expect.poll(leftOvers).toEqual([]);
}
