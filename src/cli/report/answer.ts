import { parentPort } from 'node:worker_threads';
import { PgsweepError } from '../../base/errors.ts';
import type { ExitCode } from '../../base/exit-codes.ts';
import type { Io } from '../io.ts';
import type { ToldByThread } from './bounded-thread.ts';

/** The thread's side of `boundedThread`: it has its bounds from outside, and only tells. */
export async function answer(judge: (io: Pick<Io, 'out' | 'err'>) => Promise<ExitCode> | ExitCode): Promise<void> {
  const tell = (told: ToldByThread): void => parentPort?.postMessage(told);
  try {
    const exitCode = await judge({
      out: (text) => tell({ kind: 'out', text }),
      err: (text) => tell({ kind: 'err', text }),
    });
    tell({ kind: 'done', exitCode });
  } catch (error) {
    // What is none of ours is a bug, and reaches the other side with its stack.
    if (!(error instanceof PgsweepError)) throw error;
    tell({ kind: 'failed', code: error.code, message: error.message, hint: error.hint });
  }
}
