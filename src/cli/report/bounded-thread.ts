import { Worker } from 'node:worker_threads';
import type { ExitCode } from '../../base/errors.ts';
import { type ErrorCode, PgsweepError } from '../../base/errors.ts';
import type { Io } from '../io.ts';
import type { AskedComparison } from '../offline/compare-at.ts';
import type { MergeInThread } from '../offline/merge-at.ts';
import type { AskedReport } from './report-run.ts';

export interface Bounds {
  /** CPU time, so a run does not take too long only because the machine is busy. */
  readonly cpuMs: number;
  /** Memory that the process may add, to some 150 MB that it has by then. */
  readonly residentMb: number;
  /** For JavaScript's objects, which with code, buffers and the other threads meet the bound before as a rule. */
  readonly heapMb: number;
}

/**
 * A minute, and a process of less than 1 GB. The heap has room beyond that: if a single allocation does not fit, such as
 * that of a growing set, Node.js aborts the whole process without a readable message instead of ending the thread.
 */
const usualBounds: Bounds = { cpuMs: 60_000, residentMb: 800, heapMb: 740 };
const LOOK_MS = 100;
const MEMORY = 'more than 1 GB of memory';

/** Messages of a thread that judges runs. */
export type ThreadMessage =
  | { readonly kind: 'out' | 'err'; readonly text: string }
  | { readonly kind: 'done'; readonly exitCode: ExitCode }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly hint: string | undefined };

/** Work of a thread: a command and its arguments, which must survive a structured clone. */
export type ThreadWork =
  | { readonly command: 'report'; readonly asked: AskedReport }
  | { readonly command: 'merge'; readonly asked: MergeInThread }
  | { readonly command: 'compare'; readonly asked: AskedComparison };

export interface ThreadOptions {
  /** For messages: `judging results/x`. */
  readonly doing: string;
  /** Clears up where it was ended before it had answered. */
  readonly onKilled?: () => void;
  /** The usual ones where left out. */
  readonly bounds?: Bounds;
}

/**
 * Reads runs from anywhere in a thread with limited CPU time and memory, and returns the command's exit
 * code. Throws PgsweepError, `journal` where it takes more.
 */
export async function boundedThread(
  work: ThreadWork,
  { doing, onKilled = () => {}, bounds = usualBounds }: ThreadOptions,
  io: Pick<Io, 'out' | 'err' | 'signal'>,
): Promise<ExitCode> {
  const { cpuMs, residentMb, heapMb } = bounds;
  const url = new URL('./thread-main.mjs', import.meta.url);
  const thread = new Worker(url, { workerData: work, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
  const before = process.cpuUsage();
  const mostBytes = process.memoryUsage.rss() + residentMb * 2 ** 20;
  const tooLarge = (what: string): PgsweepError =>
    new PgsweepError('journal', `${doing} takes ${what}`, {
      hint: `Your own run can be judged without these bounds: pgsweep ${work.command} --no-limits. If it is not yours, ask how it was made.`,
    });
  let look: NodeJS.Timeout | undefined;
  let hasAnswered = false;
  try {
    return await new Promise((resolve, reject) => {
      thread.on('message', (message: ThreadMessage) => {
        hasAnswered ||= message.kind === 'done' || message.kind === 'failed';
        if (message.kind === 'done') resolve(message.exitCode);
        else if (message.kind === 'failed')
          reject(new PgsweepError(message.code, message.message, { hint: message.hint }));
        else io[message.kind](message.text);
      });
      thread.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge(MEMORY) : error),
      );
      thread.once('exit', () => reject(new Error('the thread of the report ended without an answer')));
      if (io.signal.aborted) reject(io.signal.reason);
      io.signal.addEventListener('abort', () => reject(io.signal.reason), { once: true });
      look = setInterval(() => {
        const { user, system } = process.cpuUsage(before);
        if (user + system > 1000 * cpuMs) reject(tooLarge('more than a minute of CPU time'));
        if (process.memoryUsage.rss() > mostBytes) reject(tooLarge(MEMORY));
      }, LOOK_MS);
    });
  } catch (error) {
    await thread.terminate();
    if (!hasAnswered) onKilled();
    throw error;
  } finally {
    clearInterval(look);
  }
}
