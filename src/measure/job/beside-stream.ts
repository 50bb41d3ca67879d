import type { JobRecord } from '../../journal/job-spec.ts';
import type { LoadResult, LoadStream, TurnResult } from '../load/load-generator.ts';
import { failed, type JobToRun, leftItsRows, reportTime } from './job-stream.ts';
import { type JobRun, runJob } from './run-job.ts';

/** Load that a job runs beside. */
export interface LoadBeside {
  readonly requests: LoadStream;
  /** Load before the window without the job. */
  readonly leadMs: number;
  /** Length of that window. */
  readonly withoutMs: number;
  /** Most time in which a request is answered. */
  readonly timeoutMs: number;
  /** Hears how long the job took. */
  readonly onTime: (wallMs: number) => void;
}

/** One turn of requests, in which a job starts when they are steady. The turn ends with the job. */
export function openBesideStream(
  job: JobToRun,
  { requests, leadMs, withoutMs, timeoutMs, onTime }: LoadBeside,
  buffers: () => JobRecord['buffers'],
): LoadStream {
  let run: JobRun | null = null;
  const toMs = leadMs + withoutMs;
  // The run ends it long before: what was sent in the window must be answered, and the job has its own limit.
  const turn = { fromMs: leadMs, toMs, durationMs: toMs + 2 * timeoutMs + job.limitMs };
  return {
    async turn(_, { signal, onLive } = {}): Promise<TurnResult> {
      const [ends, lost] = [new AbortController(), new AbortController()];
      let onSteady = (): void => {};
      const steady = new Promise<void>((resolve) => {
        onSteady = resolve;
      });
      const own = { ends: ends.signal, onSteady, ...(onLive && { onLive }), ...(signal && { signal }) };
      const loading = requests.turn(turn, own);
      // A job is of no use where its load has ended.
      loading.catch((error: unknown) => lost.abort(error));
      let endReports = (): void => {};
      try {
        run = await runJob(job.source, {
          ...job,
          signal: signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]),
          async ready() {
            await Promise.race([steady, loading]);
            endReports = reportTime(job);
          },
          // Requests after it are none beside it.
          onEnd: () => ends.abort(),
        });
      } finally {
        endReports();
        ends.abort();
        await loading.catch(() => {});
      }
      failed(job, run.failure);
      if (run.failure === null) onTime(run.wallMs);
      return loading;
    },
    async close(): Promise<LoadResult> {
      const result = await requests.close();
      const isDone = run !== null && run.failure === null && (await leftItsRows(job));
      return {
        ...result,
        bounded: { wanted: 1, durationMs: isDone ? (run?.wallMs ?? null) : null },
        job: { runs: run === null ? 0 : 1, buffers: buffers() },
      };
    },
  };
}
