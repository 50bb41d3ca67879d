import { PgsweepError } from '../../base/errors.ts';
import type { JobRecord, JobSource, JobSpec } from '../../journal/job-spec.ts';
import { createGeneratorUse } from '../load/generator-use.ts';
import type { LoadResult, LoadStream, TurnResult } from '../load/load-generator.ts';
import { type PauseClock, withPauses } from '../load/pause-watch.ts';
import { createTally } from '../load/tally.ts';
import { wrongRows } from './check-rows.ts';
import { type JobPlace, type JobRun, runJob } from './run-job.ts';

/** A job on the copy of one arm. */
export interface JobToRun extends Omit<JobPlace, 'signal' | 'ready' | 'onEnd'> {
  readonly source: JobSource;
  readonly check: JobSpec['check'];
  /** How often it runs. */
  readonly runs: number;
  /** Set where a failure ends the run: nothing is lost yet, and it will fail again. */
  readonly endsRun: boolean;
  readonly onProgress: (forMs: number) => void;
  readonly onFailure: (failure: string) => void;
}

const PROGRESS_MS = 1000;

/** A job as load of one turn: each run of it is a request, and its time that of this many requests and no more. */
export function openJobStream(job: JobToRun, buffers: () => JobRecord['buffers'], clock?: PauseClock): LoadStream {
  // Its time is taken by this process, and not by the load generator.
  return withPauses(jobStream(job, buffers), clock);
}

function jobStream(job: JobToRun, buffers: () => JobRecord['buffers']): LoadStream {
  const runs: JobRun[] = [];
  const use = createGeneratorUse();
  let startedAt = new Date();
  return {
    async turn(_, { signal = new AbortController().signal } = {}) {
      startedAt = new Date();
      const endReports = reportTime(job);
      use.resume();
      try {
        while (runs.length < job.runs && runs.every(({ failure }) => failure === null))
          runs.push(await runJob(job.source, { ...job, signal }));
      } finally {
        use.pause();
        endReports();
      }
      failed(job, runs.at(-1)?.failure ?? null);
      return turnOf(runs);
    },
    async close(): Promise<LoadResult> {
      const isDone = runs.length === job.runs && runs.every(({ failure }) => failure === null);
      const isWhole = isDone && (await leftItsRows(job));
      const wallMs = wallOf(runs);
      const cpus = runs.map(({ cpuMs }) => cpuMs);
      return {
        startedAt: startedAt.toISOString(),
        loadMs: wallMs,
        connectionsOpened: 0,
        reopened: 0,
        ...counted(runs, isDone && !isWhole),
        // No load generator sends requests that could be late. A job of milliseconds is all start and end to pgsweep's event loop.
        generator: { ...use.result(), eventLoopUtilisation: 0 },
        bounded: { wanted: job.runs, durationMs: isWhole ? wallMs / job.runs : null },
        job: {
          runs: runs.length,
          buffers: buffers(),
          ...(cpus.every((ms) => ms !== null) && { cpuMs: cpus.reduce((sum, ms) => sum + ms, 0) }),
        },
      };
    },
  };
}

/** Reports every second how long a job has run, until the returned function is called. */
export function reportTime({ onProgress }: Pick<JobToRun, 'onProgress'>): () => void {
  const start = performance.now();
  const reporting = setInterval(() => onProgress(performance.now() - start), PROGRESS_MS);
  return () => clearInterval(reporting);
}

/** Reports why a job failed, if it did. Throws PgsweepError `target` where that ends the run. */
export function failed({ endsRun, onFailure }: Pick<JobToRun, 'endsRun' | 'onFailure'>, failure: string | null): void {
  if (failure === null) return;
  if (endsRun) {
    throw new PgsweepError('target', failure, {
      hint: 'It runs on a fresh copy of the data set each time, which is gone.',
    });
  }
  onFailure(failure);
}

/** True if the rows are those that the job must leave; others are a failure. */
export async function leftItsRows(job: JobToRun): Promise<boolean> {
  const wrong = job.check === undefined ? null : await wrongRows(job.check, job.adminUrl);
  failed(job, wrong && `the job of "${job.name}" left other rows: ${wrong}`);
  return wrong === null;
}

function wallOf(runs: readonly JobRun[]): number {
  return runs.reduce((sum, run) => sum + run.wallMs, 0);
}

function counted(runs: readonly JobRun[], isWrong: boolean): ReturnType<ReturnType<typeof createTally>['result']> {
  const tally = createTally({ names: ['job'], declaresOk: true });
  const allMs = wallOf(runs);
  tally.begin({ fromMs: 0, toMs: allMs + 1 });
  let atMs = 0;
  for (const { wallMs, code, failure, timedOut } of runs) {
    atMs += wallMs;
    if (timedOut || (failure !== null && code === null))
      tally.failure({ atMs, kind: timedOut ? 'timeouts' : 'errors', waitedMs: wallMs, name: 0 });
    else tally.answer(atMs, code ?? 0, 0, 1000 * wallMs, 0, { isOk: failure === null && !isWrong });
  }
  tally.end(allMs);
  return tally.result();
}

function turnOf(runs: readonly JobRun[]): TurnResult {
  const { whole, wholeOk = 0 } = counted(runs, false);
  const wallMs = wallOf(runs);
  return {
    wallMs,
    ok: wholeOk,
    okByTime: wholeOk,
    latencyUs: (1000 * wallMs) / Math.max(1, runs.length),
    whole,
    wholeOk,
  };
}
