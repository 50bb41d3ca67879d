import { PgsweepError } from '../base/errors.ts';
import type { BulkJob, BulkProgress, BulkResult, LoadJob, LoadOptions, LoadResult } from '../load/load-generator.ts';
import type { StartedTarget } from '../target/target.ts';
import type { LiveArm, RoundContext } from './round-context.ts';

/** Load on an arm, ended at once when the arm's service ends. */
export function runLoad(
  context: RoundContext,
  { arm, target }: LiveArm,
  job: LoadJob,
  options: Pick<LoadOptions, 'onBatch' | 'finish'> = {},
): Promise<LoadResult> {
  const onLive = (requestsPerSecond: number): void => context.emit({ kind: 'live', requestsPerSecond });
  return whileServing({ ...context, name: arm.name, target }, (signal) =>
    context.load.run(job, { ...options, onLive, signal }),
  );
}

/** A bulk load on an arm, ended at once when the arm's service ends. */
export function runBulkLoad(context: RoundContext, { arm, target }: LiveArm, job: BulkJob): Promise<BulkResult> {
  const onProgress = (progress: BulkProgress): void => context.emit({ kind: 'bulk-progress', progress });
  return whileServing({ ...context, name: arm.name, target }, (signal) =>
    context.load.bulk(job, { onProgress, signal }),
  );
}

export interface Serving extends Pick<RoundContext, 'clock' | 'signal'> {
  /** Of the arm, for people. */
  readonly name: string;
  readonly target: StartedTarget;
}

/** Some load on a service. Its signal is aborted when the service ends, and what is thrown then says so. */
export async function whileServing<T>(
  { clock, signal, name, target }: Serving,
  load: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const onEnd = target.exited.then((how) => {
    const lines = target.tail().slice(-15).join('\n');
    ended.abort(
      new PgsweepError('target', `the service of "${name}" ended under load (${how}). Its last lines:\n${lines}`, {
        hint: 'The rounds before this one are kept, and can be reported.',
      }),
    );
    return ended.signal.reason;
  });
  try {
    return await load(AbortSignal.any([signal, ended.signal]));
  } catch (error) {
    // A service that dies makes its connections fail first: say what it was that failed.
    const reason = await Promise.race([onEnd, clock.sleep(200).then(() => null)]);
    throw reason ?? error;
  }
}
