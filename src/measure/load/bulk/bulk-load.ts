import type { BulkJob, BulkOptions, BulkStream, BulkTurnResult } from '../load-generator.ts';
import { openFailures } from './failures.ts';
import { type BulkLoaded, type BulkRequests, openPass, type Pass } from './pass.ts';

/** A bulk load in turns, as `BulkStream`, with the documents that later jobs may draw on. */
export interface BulkLoading extends Pick<BulkStream, 'turn'> {
  readonly url: string;
  close(): Promise<BulkLoaded>;
}

/**
 * Reads up to the first request, and sends in turns. Throws PgsweepError `dataset` for requests that cannot be read,
 * and the signal's reason when aborted before that. An update is two passes of which the first is not measured; a turn ends with its pass, since what is read ahead of
 * the second is no load.
 */
export async function openBulkLoad(job: BulkJob, requests: BulkRequests, signal?: AbortSignal): Promise<BulkLoading> {
  const failures = openFailures(job);
  const ended = new AbortController();
  const open = (unmeasured: boolean): Pass =>
    openPass(job, requests, { unmeasured, failures: unmeasured ? null : failures, signal: ended.signal });
  let isMeasured = !job.spec.update;
  let pass = open(!isMeasured);
  let done = false;
  const end = (reason: unknown): void => {
    if (ended.signal.aborted) return;
    ended.abort(reason);
    pass.close();
    failures.close();
  };
  const onePass = async (durationMs: number, onProgress: BulkOptions['onProgress']): Promise<BulkTurnResult> => {
    await pass.ready;
    const turned = await pass.turn(durationMs, onProgress);
    done = turned.done && isMeasured;
    if (turned.done && !isMeasured) {
      ended.signal.throwIfAborted();
      pass.close();
      isMeasured = true;
      pass = open(false);
    }
    return { ...turned, done };
  };
  /** Ends the whole load where the work fails, or is aborted. */
  const orEnd = async <T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    signal?.throwIfAborted();
    const abort = (): void => end(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await work();
    } catch (error) {
      end(error);
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
      if (done) return { wallMs: 0, idleMs: 0, done };
      return orEnd(async () => {
        const turned = await onePass(durationMs, onProgress);
        if (turned.done || durationMs !== Number.POSITIVE_INFINITY) return turned;
        const last = await onePass(durationMs, onProgress);
        return { ...last, wallMs: turned.wallMs + last.wallMs };
      }, signal);
    },
    async close() {
      end(new Error('the bulk load is closed'));
      return pass.loaded();
    },
  };
}
