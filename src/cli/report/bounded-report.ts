import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PgsweepError } from '../../base/errors.ts';
import type { ExitCode } from '../../base/exit-codes.ts';
import { removeUnfinished } from '../../base/files/atomic-file.ts';
import type { Io } from '../io.ts';
import type { ReportIo } from '../show-report.ts';
import { type AskedReport, folderOf, type ReportedRun, type ToldByReport } from './report-run.ts';

interface Bounds {
  /** Of CPU time, so that a machine that is busy with something else makes nobody's run too long. */
  readonly cpuMs: number;
  /** Of JavaScript's objects; with code, buffers and the other threads the process has some 300 MB more. */
  readonly heapMb: number;
}

/** A minute, and a process of less than 1 GB. */
const usualBounds: Bounds = { cpuMs: 60_000, heapMb: 640 };
const LOOK_MS = 250;

/**
 * Judges a run in a thread that may take a minute of CPU time and less than 1 GB, whatever its journal holds, and returns
 * the command's exit code. Throws PgsweepError, `journal` where it takes more.
 */
export async function boundedReport(
  reported: ReportedRun,
  io: ReportIo & Pick<Io, 'signal'>,
  { cpuMs, heapMb }: Bounds = usualBounds,
): Promise<ExitCode> {
  const asked: AskedReport = { ...reported, outColour: io.outColour, outWidthColumns: io.outWidthColumns };
  const thread = new Worker(new URL('./report-main.mjs', import.meta.url), {
    workerData: asked,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const before = process.cpuUsage();
  let look: NodeJS.Timeout | undefined;
  let hasAnswered = false;
  try {
    return await new Promise((resolve, reject) => {
      thread.on('message', (told: ToldByReport) => {
        hasAnswered ||= told.kind === 'done' || told.kind === 'failed';
        if (told.kind === 'done') resolve(told.exitCode);
        else if (told.kind === 'failed') reject(new PgsweepError(told.code, told.message, { hint: told.hint }));
        else io[told.kind](told.text);
      });
      thread.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge(reported.run, 'more than 1 GB of memory') : error),
      );
      thread.once('exit', () => reject(new Error('the thread of the report ended without an answer')));
      if (io.signal.aborted) reject(io.signal.reason);
      io.signal.addEventListener('abort', () => reject(io.signal.reason), { once: true });
      look = setInterval(() => {
        const { user, system } = process.cpuUsage(before);
        if (user + system > 1000 * cpuMs) reject(tooLarge(reported.run, 'more than a minute of CPU time'));
      }, LOOK_MS);
    });
  } catch (error) {
    await thread.terminate();
    const folder = folderOf(reported.run);
    const written = hasAnswered ? [] : [folder, join(folder, 'charts'), join(folder, 'samples')];
    for (const own of written) removeUnfinished(own);
    throw error;
  } finally {
    clearInterval(look);
  }
}

function tooLarge(run: string, what: string): PgsweepError {
  return new PgsweepError('journal', `judging ${run} takes ${what}`, {
    hint: 'A run of your own can be judged without these bounds: pgsweep report --no-limits. Of a run of somebody else, ask how it was made.',
  });
}
