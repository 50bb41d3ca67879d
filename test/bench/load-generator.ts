import { execFile, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startReaper } from '../../src/base/reaper.ts';
import { startLoadGenerator } from '../../src/load/generator-process.ts';
import type { LoadGenerator } from '../../src/load/load-generator.ts';
import type { Goal } from './goal.ts';

const PAIRS = 6;
const SECONDS = 4;
const CONNECTIONS = 25;

/** The wrapped generator against plain autocannon, and against a server whose latency is known. */
export async function benchLoadGenerator(): Promise<Goal[]> {
  const server = fork(join(import.meta.dirname, 'bare-server.mjs'));
  const port = await new Promise<number>((resolve) =>
    server.once('message', (message: { port: number }) => resolve(message.port)),
  );
  const reaper = startReaper();
  try {
    return [
      await throughput(`http://127.0.0.1:${port}`, reaper),
      await constantLatency(`http://127.0.0.1:${port}`, reaper),
    ];
  } finally {
    server.disconnect();
    await reaper.close();
  }
}

type Reaper = ReturnType<typeof startReaper>;

function generatorFor(path: string, reaper: Reaper): Promise<LoadGenerator> {
  const request = { name: 'get', method: 'GET', path, headers: {}, weight: 1 };
  return startLoadGenerator({ workload: { kind: 'requests', requests: [request] }, documents: [] }, reaper);
}

/** ABBA, so that drift is the same for both. Ours is started anew each time, as plain autocannon is. */
async function throughput(url: string, reaper: Reaper): Promise<Goal> {
  const logs: number[] = [];
  await plain(url);
  for (let pair = 0; pair < PAIRS; pair++) {
    const order = pair % 2 === 0 ? [plain, wrapped] : [wrapped, plain];
    const rates = new Map<unknown, number>();
    for (const measure of order) rates.set(measure, await measure(url, reaper));
    logs.push(Math.log((rates.get(wrapped) ?? 0) / (rates.get(plain) ?? 1)));
  }
  const ratio = Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
  const spread = logs.map((log) => Math.exp(log).toFixed(2)).join(' ');
  return {
    name: "load generator, requests/s against plain autocannon's",
    measured: `${ratio.toFixed(3)} (${spread})`,
    goal: '>= 0.95',
    reached: ratio >= 0.95,
  };
}

async function plain(url: string): Promise<number> {
  const script = createRequire(import.meta.url).resolve('autocannon');
  const args = [script, '--json', '--no-progress', '-c', String(CONNECTIONS), '-d', String(SECONDS), `${url}/fast`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 });
  const { requests } = JSON.parse(stdout) as { requests: { total: number; sent: number } };
  return requests.total / SECONDS;
}

async function wrapped(url: string, reaper: Reaper): Promise<number> {
  const generator = await generatorFor('/fast', reaper);
  const job = {
    url,
    load: { connections: CONNECTIONS },
    seed: 1,
    durationMs: SECONDS * 1000,
    dropMs: 0,
    timeoutMs: 5000,
  };
  const { latency } = await generator.run(job);
  await generator.stop();
  return latency.count / SECONDS;
}

async function constantLatency(url: string, reaper: Reaper): Promise<Goal> {
  const generator = await generatorFor('/slow', reaper);
  const job = { url, load: { connections: 5 }, seed: 1, durationMs: 6000, dropMs: 1000, timeoutMs: 5000 };
  const { latency } = await generator.run(job);
  await generator.stop();
  const error = latency.p50Us / 50_000 - 1;
  return {
    name: 'p50 of a server of constant 50 ms',
    measured: `${(latency.p50Us / 1000).toFixed(2)} ms (${(100 * error).toFixed(2)} %)`,
    goal: 'within 1 %',
    reached: Math.abs(error) <= 0.01,
  };
}
