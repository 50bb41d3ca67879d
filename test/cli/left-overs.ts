import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

/**
 * Processes that a run has left: the service and the generator by their scripts, but not those that have a parent which
 * is a test, or a run that goes on: other tests start some beside this one.
 */
function leftOvers(): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,stat,args'], { encoding: 'utf8' }).trim().split('\n');
  const rows = lines.map((line) => line.trim().split(/\s+/));
  const isAtWork = (row: readonly string[]): boolean => /vitest|src\/cli\//.test(row.slice(3).join(' '));
  const atWork = new Set(rows.filter(isAtWork).map(([pid]) => pid));
  return rows
    .filter(([, parent, state]) => !atWork.has(parent) && !state?.startsWith('Z'))
    .map((row) => row.join(' '))
    .filter((line) => /items\.mjs|generator-main/.test(line));
}

/** Fails when it takes more than 10 s. */
export async function untilNothingIsLeft(): Promise<void> {
  for (let i = 0; i < 100 && leftOvers().length > 0; i++) await sleep(100);
  expect(leftOvers()).toEqual([]);
}
