import { PgsweepError } from '../base/errors.ts';
import type { BulkJob, BulkResult, LoadJob, LoadOptions, LoadResult } from '../load/load-generator.ts';
import type { LiveArm, RoundContext } from './round-context.ts';

/** Load on an arm, ended at once when the arm's service ends. */
export function runLoad(
  context: RoundContext,
  live: LiveArm,
  job: LoadJob,
  options: Pick<LoadOptions, 'onBatch' | 'finish'> = {},
): Promise<LoadResult> {
  const onLive = (requestsPerSecond: number): void => context.emit({ kind: 'live', requestsPerSecond });
  return whileServiceLives(context, live, (signal) => context.load.run(job, { ...options, onLive, signal }));
}

/** A bulk load on an arm, ended at once when the arm's service ends. */
export function runBulkLoad(context: RoundContext, live: LiveArm, job: BulkJob): Promise<BulkResult> {
  return whileServiceLives(context, live, (signal) =>
    context.load.bulk(job, {
      signal,
      onProgress: ({ documents, total, documentsPerSecond }) =>
        context.emit({ kind: 'live', requestsPerSecond: documentsPerSecond, documents, total }),
    }),
  );
}

async function whileServiceLives<T>(
  context: RoundContext,
  { arm, target }: LiveArm,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const onEnd = target.exited.then((how) => {
    const lines = target.tail().slice(-15).join('\n');
    ended.abort(
      new PgsweepError('target', `the service of "${arm.name}" ended under load (${how}). Its last lines:\n${lines}`, {
        hint: 'The rounds before this one are kept, and can be reported.',
      }),
    );
    return ended.signal.reason;
  });
  try {
    return await work(AbortSignal.any([context.signal, ended.signal]));
  } catch (error) {
    // A service that dies makes its connections fail first: say what it was that failed.
    const reason = await Promise.race([onEnd, context.clock.sleep(200).then(() => null)]);
    throw reason ?? error;
  }
}
