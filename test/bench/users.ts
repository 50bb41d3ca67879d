import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { spawnWatched } from '../../src/base/process/child-process.ts';
import { startReaper } from '../../src/base/process/reaper.ts';
import type { ScriptSpec } from '../../src/journal/script-spec.ts';
import { openChannel } from '../../src/measure/load/generator-channel.ts';
import { buildBench } from '../support/build.ts';
import type { Goal } from './goal.ts';

const USERS = 1000;
const THINK_MS = 1000;
const SECONDS = 15;
const MOST_MB = 150;

/** Each user logs in, keeps a cookie and a token, and then asks for something every second. */
const script: ScriptSpec = {
  kind: 'script',
  parts: [
    {
      kind: 'step',
      step: {
        name: 'log in',
        method: 'POST',
        path: '/login',
        headers: {},
        body: { user: '${uuid}' },
        once: true,
        capture: { token: { kind: 'json', path: '$.token' } },
      },
    },
    {
      kind: 'step',
      step: {
        name: 'list',
        method: 'GET',
        path: '/items?limit=10',
        headers: { authorization: 'Bearer ${captured token}' },
        think: { kind: 'exponential', meanMs: THINK_MS },
      },
    },
  ],
};

/**
 * A thousand users with pauses in one generator process, as the package has it: its memory, and whether they are as busy as they
 * should be. What loads TypeScript in a clone takes 35 MB more.
 */
export async function benchUsers(): Promise<Goal[]> {
  let logins = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (request.url !== '/login') return void response.end('[]');
    response.setHeader('set-cookie', `sid=${++logins}; Path=/; HttpOnly`);
    response.end(JSON.stringify({ token: `token-${logins}` }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reaper = startReaper();
  const main = join(dirname(await buildBench()), '..', 'load', 'generator-main.js');
  const generator = await spawnWatched({ command: [process.execPath, main], reaper, ipc: true });
  try {
    const channel = openChannel(generator, () => {});
    await channel.ready;
    channel.tell({ kind: 'workload', secrets: [], uniqueFrom: 1, workload: script, documents: [] });
    const durationMs = 1000 * SECONDS;
    const job = { url, load: { users: USERS }, seed: 1, timeoutMs: 10_000 };
    await channel.ask({ kind: 'open', stream: 1, job }, 'opened');
    const turn = { durationMs, fromMs: 2 * THINK_MS, toMs: durationMs };
    await channel.ask({ kind: 'turn', stream: 1, turn }, 'turned');
    const peakMb = peakOf(generator.pid) / 1e6;
    const {
      latency,
      windowMs,
      busyMs = 0,
      outcomes,
      generator: use,
    } = (await channel.ask({ kind: 'close', stream: 1 }, 'closed')).result;
    const perSecond = (1000 * latency.count) / windowMs;
    // Who waits for no answer is pausing.
    const expected = (1000 * (USERS - busyMs / windowMs)) / THINK_MS;
    const cpus = use.cpuMs / (1000 * SECONDS);
    const failed = outcomes.errors + outcomes.timeouts;
    return [
      {
        name: `memory of the load generator with ${USERS} users`,
        measured: `${peakMb.toFixed(0)} MB at its peak, ${cpus.toFixed(2)} CPUs, p99 ${(latency.p99Us / 1000).toFixed(1)} ms, ${failed} failed`,
        goal: `< ${MOST_MB} MB`,
        reached: peakMb < MOST_MB && failed === 0 && logins === USERS,
      },
      {
        name: `requests/s of ${USERS} users with a mean pause of ${THINK_MS / 1000} s`,
        measured: `${perSecond.toFixed(0)}/s, ${(100 * (perSecond / expected - 1)).toFixed(1)} % from ${expected.toFixed(0)}`,
        goal: 'within 3 %',
        reached: Math.abs(perSecond / expected - 1) < 0.03,
      },
    ];
  } finally {
    await generator.stop();
    await reaper.close();
    server.closeAllConnections();
    server.close();
  }
}

/** The most memory that a process has had, in bytes. */
function peakOf(pid: number): number {
  return 1024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN);
}
