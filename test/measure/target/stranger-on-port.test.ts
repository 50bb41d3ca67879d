import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { strangerOn } from '../../../src/measure/target/stranger-on-port.ts';

const mark = { PGSWEEP_TEST_MARK: 'this one' };
const server = createServer();
/** Runs below this process, with the mark, and listens nowhere. */
let child: ChildProcess;
let port: number;
beforeAll(async () => {
  child = spawn('sleep', ['600'], { env: { ...process.env, ...mark }, detached: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(() => {
  server.close();
  child.kill('SIGKILL');
});

it.runIf(process.platform === 'linux')('one process does not stand for another: its parent is a stranger', () => {
  expect(strangerOn(port, { pid: child.pid ?? 0, mark })).toMatchObject({ pid: process.pid });
});

it.runIf(process.platform === 'linux')(
  'what has left its parents is known by the mark in its environment',
  async () => {
    const script = "net.createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })";
    const daemon = spawn(process.execPath, ['-e', script], { env: { ...process.env, ...mark }, detached: true });
    onTestFinished(() => void daemon.kill('SIGKILL'));
    const [line] = await once(daemon.stdout, 'data');
    const own = { pid: child.pid ?? 0, mark };
    expect(strangerOn(Number(line), own)).toBeNull();
    expect(strangerOn(Number(line), { ...own, mark: { PGSWEEP_TEST_MARK: 'another' } })).toMatchObject({
      pid: daemon.pid,
    });
  },
);

it('what listens itself is none, nor is what it has started', () => {
  expect(strangerOn(port, { pid: process.pid, mark })).toBeNull();
  expect(strangerOn(port, { pid: process.ppid, mark })).toBeNull();
});

it('on a port where nobody listens there is none', () => {
  expect(strangerOn(1, { pid: process.pid, mark })).toBeNull();
});
