import { fileURLToPath } from 'node:url';
import { spawnWatched, type WatchedProcess } from '../base/child-process.ts';
import { PgsweepError } from '../base/errors.ts';
import { nodeCommand } from '../base/node-command.ts';
import type { Reaper } from '../base/reaper.ts';
import type { FromGenerator, ToGenerator, WorkloadMessage } from './generator-messages.ts';
import type {
  BulkJob,
  BulkOptions,
  BulkResult,
  LoadGenerator,
  LoadJob,
  LoadOptions,
  LoadResult,
} from './load-generator.ts';

/**
 * Starts the load generator in a process of its own: its work must not wait for the bench's, and the bench must see how
 * busy it is. One process serves the whole run, so that every arm meets an equally warm generator.
 */
export async function startLoadGenerator(workload: WorkloadMessage, reaper: Reaper): Promise<LoadGenerator> {
  const script = fileURLToPath(new URL('./generator-main.ts', import.meta.url));
  const generator = await spawnWatched({ command: nodeCommand(script), reaper, ipc: true });
  await nextMessage(generator, (message) => message.kind === 'ready');
  send(generator, { kind: 'workload', ...workload });
  return {
    pid: generator.pid,
    run: (job, options = {}) => runJob(generator, job, options),
    bulk: (job, options = {}) => runBulk(generator, job, options),
    async stop() {
      await generator.stop();
    },
  };
}

async function runJob(generator: WatchedProcess, job: LoadJob, options: LoadOptions): Promise<LoadResult> {
  const { onLive, onBatch, finish, signal } = options;
  const end = (): void => send(generator, { kind: 'finish' });
  finish?.addEventListener('abort', end, { once: true });
  try {
    const message = await answerTo(generator, { kind: 'run', job }, signal, (message) => {
      if (message.kind === 'live') onLive?.(message.requestsPerSecond);
      if (message.kind === 'batch') onBatch?.(message.requestsPerSecond);
      return message.kind !== 'live' && message.kind !== 'batch';
    });
    if (message.kind === 'result') return message.result;
    throw unexpected(message);
  } finally {
    finish?.removeEventListener('abort', end);
  }
}

async function runBulk(generator: WatchedProcess, job: BulkJob, options: BulkOptions): Promise<BulkResult> {
  const { onProgress, signal } = options;
  const message = await answerTo(generator, { kind: 'bulk', job }, signal, (message) => {
    if (message.kind === 'bulk-progress') onProgress?.(message.progress);
    return message.kind !== 'bulk-progress';
  });
  if (message.kind === 'bulk-result') return message.result;
  throw unexpected(message);
}

/** Sends a job and waits for the message that ends it. Throws what the job failed with, and the signal's reason. */
async function answerTo(
  generator: WatchedProcess,
  job: ToGenerator,
  signal: AbortSignal | undefined,
  ends: (message: FromGenerator) => boolean,
): Promise<FromGenerator> {
  signal?.throwIfAborted();
  const abort = (): void => send(generator, { kind: 'abort' });
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const answer = nextMessage(generator, ends);
    send(generator, job);
    const message = await answer;
    if (message.kind !== 'failed' && message.kind !== 'aborted') return message;
    signal?.throwIfAborted();
    if (message.kind === 'aborted') throw unexpected(message);
    if (message.code === null) throw new Error(message.message);
    throw new PgsweepError(message.code, message.message, message.hint === null ? {} : { hint: message.hint });
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function unexpected({ kind }: FromGenerator): Error {
  return new Error(`unexpected message ${kind} from the load generator`);
}

function send(generator: WatchedProcess, message: ToGenerator): void {
  // A generator that has just died is reported by whoever waits for its answer.
  if (generator.child.connected) generator.child.send(message, () => {});
}

/** The next message that is wanted. Throws PgsweepError `load` when the generator ends before it. */
function nextMessage(generator: WatchedProcess, wanted: (message: FromGenerator) => boolean): Promise<FromGenerator> {
  return new Promise((resolve, reject) => {
    const listen = (message: FromGenerator): void => {
      if (!wanted(message)) return;
      generator.child.off('message', listen);
      resolve(message);
    };
    generator.child.on('message', listen);
    void generator.exited.then(({ code, signal }) => {
      generator.child.off('message', listen);
      reject(
        new PgsweepError('load', `the load generator ended (${signal ?? `exit code ${code}`})`, {
          hint: `Its last lines:\n${generator.tail().join('\n')}`,
        }),
      );
    });
  });
}
