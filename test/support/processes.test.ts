import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { descendantsOf, runningProcesses } from './processes.ts';

it('a child and its child are seen by parent and command line, until they end', async () => {
  const inner = `console.log('up'); setInterval(() => {}, 1000)`;
  const outer = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' })`;
  const child = spawn(process.execPath, ['-e', outer], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const own = descendantsOf(process.pid).filter(({ pid, parent }) => pid === child.pid || parent === child.pid);
  expect(own.map(({ args }) => args.includes('setInterval'))).toEqual([true, true]);
  const grandchild = own.find(({ parent }) => parent === child.pid)?.pid ?? 0;
  process.kill(grandchild, 'SIGKILL');
  await once(child, 'exit');
  await expect.poll(() => runningProcesses().filter(({ pid }) => pid === child.pid || pid === grandchild)).toEqual([]);
});
