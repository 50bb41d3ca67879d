import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Queue } from './queues.ts';

/** A service that is such a queue, in a process of its own. */
export interface QueueService {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts test/bench/services/queue.mjs; resolves when it listens. */
export async function startQueue({ workers, meanMs }: Queue): Promise<QueueService> {
  const env = { ...process.env, PORT: '0', WORKERS: String(workers), MEAN_MS: String(meanMs) };
  const service = spawn(process.execPath, [resolve('test/bench/services/queue.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(service.stdout, 'data');
  return { url: `http://127.0.0.1:${String(port).trim()}`, stop: () => stopped(service) };
}

async function stopped(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null) return;
  const exit = once(service, 'exit');
  service.kill('SIGTERM');
  await exit;
}
