import { setTimeout as sleep } from 'node:timers/promises';
import { ask, describeReply, isOk, type Reply } from '../../base/ask.ts';
import { timeLimit } from '../../base/async/time-limit.ts';

const POLL_MS = 25;
const ANSWER_MS = 2000;

export interface ReadyOptions {
  readonly url: string;
  readonly timeoutMs: number;
  /** For this long 404 may be the answer: a path that nobody has named may well not be there. Absent: as long as any other. */
  readonly missingMs?: number;
  /** Settles when the service ends. */
  readonly exited: Promise<string>;
  readonly signal: AbortSignal | undefined;
}

export type ReadyOutcome =
  | { readonly kind: 'ready' }
  | { readonly kind: 'exited'; readonly how: string }
  | { readonly kind: 'timeout' | 'missing' | 'aborted'; readonly last: string };

/** Asks until the service answers 2xx, ends, or its time is up. */
export async function waitUntilReady({
  url,
  timeoutMs,
  missingMs,
  exited,
  signal,
}: ReadyOptions): Promise<ReadyOutcome> {
  const end = performance.now() + timeoutMs;
  let how: string | null = null;
  const ended = new AbortController();
  void exited.then((text) => {
    how = text;
    ended.abort();
  });
  const over = AbortSignal.any([ended.signal, ...(signal ? [signal] : [])]);
  let last = 'was not answered';
  let missingSince: number | null = null;
  while (performance.now() < end) {
    if (signal?.aborted) return { kind: 'aborted', last };
    const answer = await askOnce(url, over);
    if (how !== null) return { kind: 'exited', how };
    if (answer === null) last = 'was not answered';
    else if (isOk(answer)) return { kind: 'ready' };
    else last = describeReply(answer);
    missingSince = answer?.status === 404 ? (missingSince ?? performance.now()) : null;
    if (missingSince !== null && missingMs !== undefined && performance.now() - missingSince >= missingMs)
      return { kind: 'missing', last };
    await sleep(POLL_MS);
  }
  return { kind: 'timeout', last };
}

async function askOnce(url: string, over: AbortSignal): Promise<Reply | null> {
  try {
    return await ask(url, { signal: timeLimit(ANSWER_MS, over) });
  } catch {
    return null;
  }
}
