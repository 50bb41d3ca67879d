import type { BulkJob, BulkOptions, BulkTurnResult } from '../../measure/load/load-generator.ts';
import type { BulkLoading } from '../../measure/sample.ts';
import { openFailures } from './failures.ts';
import { openPass, type Pass } from './pass.ts';

/**
 * Reads up to the first document, and posts in turns. Throws PgsweepError `dataset` for a data set that cannot be read,
 * and the signal's reason when aborted before that. An update is two passes of which the first is not measured; a turn ends with its pass, since what is read ahead of
 * the second is no load.
 */
export async function openBulkLoad(job: BulkJob, signal?: AbortSignal): Promise<BulkLoading> {
  const failures = openFailures(job);
  const ended = new AbortController();
  const open = (unmeasured: boolean): Pass =>
    openPass(job, { unmeasured, failures: unmeasured ? null : failures, signal: ended.signal });
  let isMeasured = !job.spec.update;
  let pass = open(!isMeasured);
  let done = false;
  let ending: Promise<void> | null = null;
  const end = (reason: unknown): Promise<void> => {
    ended.abort(reason);
    ending ??= pass.close().finally(() => failures.close());
    return ending;
  };
  const onePass = async (durationMs: number, onProgress: BulkOptions['onProgress']): Promise<BulkTurnResult> => {
    await pass.ready;
    const turned = await pass.turn(durationMs, onProgress);
    done = turned.done && isMeasured;
    if (turned.done && !isMeasured) {
      await pass.close();
      isMeasured = true;
      pass = open(false);
    }
    return { wallMs: turned.wallMs, done };
  };
  /** Ends the whole load where the work fails, or is aborted. */
  const orEnd = async <T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    signal?.throwIfAborted();
    const abort = (): void => void end(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await work();
    } catch (error) {
      await end(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };
  await orEnd(() => pass.ready, signal);
  return {
    url: job.url,
    async turn(durationMs, { onProgress, signal } = {}) {
      ended.signal.throwIfAborted();
      if (done) return { wallMs: 0, done };
      return orEnd(async () => {
        const turned = await onePass(durationMs, onProgress);
        if (turned.done || durationMs !== Number.POSITIVE_INFINITY) return turned;
        const last = await onePass(durationMs, onProgress);
        return { wallMs: turned.wallMs + last.wallMs, done: last.done };
      }, signal);
    },
    async close() {
      await end(new Error('the bulk load is closed'));
      return pass.loaded();
    },
  };
}
