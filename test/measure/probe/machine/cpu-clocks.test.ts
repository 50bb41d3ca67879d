import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createCpuClocks } from '../../../../src/measure/probe/machine/cpu-clocks.ts';
import { needs } from '../../../support/needs.ts';

const proc = await needs('proc');

/** The pid of a process that has ended since somebody listed it. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

describe('clocks of processes that have ended since they were listed', proc.orSkip, () => {
  it.each([
    ["Postgres's, which come and go, have used nothing more", false, { known: 0, fresh: 0 }],
    ["a service's cannot be read", true, null],
  ])('%s', async (_, threaded, growth) => {
    const clocks = createCpuClocks({ threaded });
    clocks.include([await endedPid()]);
    expect(clocks.grown()).toEqual(growth);
    clocks.close();
  });
});
