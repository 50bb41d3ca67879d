import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../base/errors.ts';
import type { ProcessExit } from '../../../base/process/child-process.ts';
import { type OpenSearchFacts, readOpenSearchFacts } from './opensearch-facts.ts';

/** A node that has been started. */
export interface StartingNode {
  /** Where it answers. */
  readonly url: string;
  /** Tells it from any other that answers there. */
  readonly name: string;
  readonly exited: Promise<ProcessExit>;
  readonly signal: AbortSignal | undefined;
  /** How long it may answer that its state is red; 60 s where left out. */
  readonly redLimitMs?: number | undefined;
}

/** Usually 5 to 8 s; a busy machine with two cores may take a minute. */
const readyLimitMs = 180_000;
/** A node without data is red for less than a second. */
const usualRedLimitMs = 60_000;
const pollMs = 50;

/** Resolves with a node's facts once it is ready to make indices. Rejects with the reason that it is not. */
export async function waitForNode({
  url,
  name,
  exited,
  signal,
  redLimitMs = usualRedLimitMs,
}: StartingNode): Promise<OpenSearchFacts | string> {
  let ended: string | undefined;
  void exited.then(({ code, signal: by }) => {
    ended = `ended with ${by ?? `exit code ${code}`}`;
  });
  const end = performance.now() + readyLimitMs;
  let redSince: number | null = null;
  let last = 'no answer';
  while (performance.now() < end) {
    if (ended !== undefined) return ended;
    if (signal?.aborted) return 'was stopped';
    const facts = await readOpenSearchFacts(url).catch((error: unknown) => messageOf(error));
    if (typeof facts === 'string') last = facts;
    else if (facts.name !== name) last = 'another node answers on its port';
    else if (facts.health !== 'red') return facts;
    else {
      redSince ??= performance.now();
      if (performance.now() - redSince >= redLimitMs) {
        return `is unhealthy: it answers, and its state stayed red for ${redLimitMs / 1000} s`;
      }
    }
    await sleep(pollMs);
  }
  return `is unhealthy: not ready within ${readyLimitMs / 1000} s (${last})`;
}
