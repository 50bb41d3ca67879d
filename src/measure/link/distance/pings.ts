import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Round trips to an echo, directly and through the proxy, for as long as the process runs. */
export interface PingOptions {
  readonly echoPort: number;
  readonly proxyPort: number;
  /** A trip through the proxy took this much longer than the direct one before it, in ms. */
  onPair(addedMs: number): void;
}

/** Until the proxy's code is compiled, which before takes several times as long, and what it takes is known. */
const FIRST_PAIRS = 200;
/** It takes no longer, however far it is. */
const FIRST_MS = 500;
/** Rests in between, on average. */
const REST_MS = 50;

/** Starts a thread that sends back what it gets, and returns its port. Both ends are separate threads: to be woken is what takes time. */
export async function startEcho(): Promise<number> {
  const worker = new Worker(new URL('./echo.mjs', import.meta.url), { execArgv: [] });
  worker.unref();
  const [port] = await once(worker, 'message');
  return port;
}

/** Starts the thread that sends, and resolves after the first pairs. Rejects where the echo does not answer. */
export function startPings({ echoPort, proxyPort, onPair }: PingOptions): Promise<void> {
  const workerData = { ports: [echoPort, proxyPort], restMs: REST_MS, firstPairs: FIRST_PAIRS, firstMs: FIRST_MS };
  const worker = new Worker(new URL('./ping.mjs', import.meta.url), { workerData, execArgv: [] });
  worker.unref();
  return new Promise((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', ({ addedMs, isSettled }: { addedMs: number; isSettled: boolean }) => {
      onPair(addedMs);
      if (isSettled) resolve();
    });
  });
}
