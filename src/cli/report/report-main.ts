import { parentPort, workerData } from 'node:worker_threads';
import { PgsweepError } from '../../base/errors.ts';
import { type AskedReport, reportRun, type ToldByReport } from './report-run.ts';

/** The thread in which a run of anybody's is judged: it has its bounds from outside, and only tells. */

const asked = workerData as AskedReport;
const tell = (told: ToldByReport): void => parentPort?.postMessage(told);

try {
  const exitCode = await reportRun(asked, {
    ...asked,
    out: (text) => tell({ kind: 'out', text }),
    err: (text) => tell({ kind: 'err', text }),
  });
  tell({ kind: 'done', exitCode });
} catch (error) {
  // What is none of ours is a bug, and reaches the other side with its stack.
  if (!(error instanceof PgsweepError)) throw error;
  tell({ kind: 'failed', code: error.code, message: error.message, hint: error.hint });
}
