import { parentPort, workerData } from 'node:worker_threads';
import type { ExitCode } from '../../base/errors.ts';
import { PgsweepError } from '../../base/errors.ts';
import type { Io } from '../io.ts';
import type { ThreadMessage, ThreadWork } from './bounded-thread.ts';

/** The thread in which runs from anywhere are judged, merged or compared. Its bounds come from outside. */

const tell = (message: ThreadMessage): void => parentPort?.postMessage(message);

/** Loads no more than the work needs. */
async function exitCodeOf(work: ThreadWork, io: Pick<Io, 'out' | 'err'>): Promise<ExitCode> {
  if (work.command === 'compare') return (await import('../offline/compare-at.ts')).compareAt(work.asked, io);
  const ioOfReport = { ...work.asked, ...io };
  if (work.command === 'merge') return (await import('../offline/merge-at.ts')).mergeAt(work.asked, ioOfReport);
  return (await import('./report-run.ts')).reportRun(work.asked, ioOfReport);
}

try {
  const exitCode = await exitCodeOf(workerData as ThreadWork, {
    out: (text) => tell({ kind: 'out', text }),
    err: (text) => tell({ kind: 'err', text }),
  });
  tell({ kind: 'done', exitCode });
} catch (error) {
  // What is none of ours is a bug, and reaches the other side with its stack.
  if (!(error instanceof PgsweepError)) throw error;
  tell({ kind: 'failed', code: error.code, message: error.message, hint: error.hint });
}
