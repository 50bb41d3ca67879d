import { PgsweepError } from '../base/errors.ts';
import type { LoadJob, LoadOptions, LoadResult } from '../load/load-generator.ts';
import type { LiveArm, RoundContext } from './round-context.ts';

/** Load on an arm, ended at once when the arm's service ends. */
export async function runLoad(
  context: RoundContext,
  { arm, target }: LiveArm,
  job: LoadJob,
  options: Pick<LoadOptions, 'onBatch' | 'finish'> = {},
): Promise<LoadResult> {
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
  const onLive = (requestsPerSecond: number): void => context.emit({ kind: 'live', requestsPerSecond });
  try {
    return await context.load.run(job, { ...options, onLive, signal: AbortSignal.any([context.signal, ended.signal]) });
  } catch (error) {
    // A service that dies makes its connections fail first: say what it was that failed.
    const reason = await Promise.race([onEnd, context.clock.sleep(200).then(() => null)]);
    throw reason ?? error;
  }
}
