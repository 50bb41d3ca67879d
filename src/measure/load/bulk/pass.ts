import { setImmediate } from 'node:timers/promises';
import { createRandom } from '../../../base/random.ts';
import type { ConnectionCounts } from '../connection-outcomes.ts';
import type { BulkJob, BulkOptions, BulkResult, BulkTurnResult } from '../load-generator.ts';
import type { BulkRequest, ExampleDocument } from '../workload-module.ts';
import { createExamples } from './examples.ts';
import type { FailuresFile } from './failures.ts';
import { createOwnClock, type OwnClock } from './own-clock.ts';
import { type Observer, startPosting } from './post-all.ts';
import { openPoster } from './poster.ts';
import { createProgress } from './progress.ts';
import { createBulkTally } from './tally-bulk.ts';

/**
 * The requests of a bulk load, in order; they can be asked for again, and are then the same. `onIndexed` gets how many
 * will come, where that is known ahead of the first.
 */
export type BulkRequests = (options: {
  readonly onIndexed: (total: number) => void;
}) => Iterable<BulkRequest> | AsyncIterable<BulkRequest>;

export interface BulkLoaded {
  readonly result: BulkResult;
  /** Some of the accepted documents, with the ids that the service gave. */
  readonly examples: readonly ExampleDocument[];
}

/** All requests of a bulk load, sent once each, in turns. */
export interface Pass {
  /** Resolves when the first request is at hand: reading ahead is no load. */
  readonly ready: Promise<void>;
  /** Sends for this long, or to the end. Throws what ended the pass before that. */
  turn(durationMs: number, onProgress: BulkOptions['onProgress']): Promise<BulkTurnResult>;
  /** Counts and examples until now. */
  loaded(): BulkLoaded;
  /** Cuts off whatever is under way. */
  close(): void;
}

export interface PassOptions {
  readonly unmeasured: boolean;
  /** Null for a pass whose failures are not recorded. */
  readonly failures: FailuresFile | null;
  readonly signal: AbortSignal;
}

export function openPass(job: BulkJob, requests: BulkRequests, options: PassOptions): Pass {
  const { spec } = job;
  const { unmeasured, signal } = options;
  const poster = openPoster({ ...job, connections: spec.connections });
  const clock = createOwnClock();
  let total: number | null = null;
  const ahead = requests({
    onIndexed: (known) => {
      total = known;
    },
  });
  let started = (): void => {};
  const first = new Promise<void>((resolve) => {
    started = resolve;
  });
  const { observer, tally, loaded } = observe(options, started);
  const random = createRandom(job.seed);
  const posting = startPosting({ ...spec, requests: ahead, poster, random, observer, clock, signal });
  const ready = Promise.race([first, posting.finished]);
  // What goes wrong between two turns is thrown by the next.
  for (const promise of [posting.finished, ready]) promise.catch(() => {});
  const report = createProgress(clock, () => ({ documents: tally.documents, total, unmeasured }));
  return {
    ready,
    async turn(durationMs, onProgress) {
      await poster.connect();
      const endReports = report(onProgress);
      const beforeMs = clock.ownMs;
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<Ended>((resolve) => {
        if (durationMs === Number.POSITIVE_INFINITY) return;
        const pause = async (): Promise<void> => {
          const idleMs = await posting.pause();
          // Where nothing else was left to send, the load has ended by now.
          await setImmediate();
          resolve({ idleMs, done: false });
        };
        timer = setTimeout(pause, durationMs);
      });
      clock.resume();
      posting.resume();
      // The last answers of a load are waited for without turns, too.
      const end = posting.finished.then((): Ended => ({ idleMs: 0, done: true }));
      const ended = await Promise.race([over, end]).finally(() => {
        clearTimeout(timer);
        clock.pause();
        endReports();
      });
      return { wallMs: clock.ownMs - beforeMs, ...ended };
    },
    loaded: () => loaded(clock, poster.counts),
    close: poster.close,
  };
}

type Ended = Omit<BulkTurnResult, 'wallMs'>;

/** Everything that is recorded of a pass. */
function observe({ failures }: Pick<PassOptions, 'failures'>, started: () => void) {
  const tally = createBulkTally();
  const examples = createExamples();
  const observer: Observer = {
    read(outgoing) {
      started();
      tally.read(outgoing);
      examples.read(outgoing);
    },
    answered: (outgoing, answer) => tally.answered(outgoing, answer),
    settled(outgoing, answer, accepted) {
      tally.settled(outgoing, answer, accepted);
      examples.settled(outgoing, answer, accepted);
      if (accepted) return;
      const { request, number, resource, attempts } = outgoing;
      failures?.add({
        resource,
        identity: request.identity ?? { request: number },
        status: answer.outcome,
        message: answer.text,
        attempts,
      });
    },
  };
  const loaded = (clock: OwnClock, { opened, reopened, closingAnswers }: ConnectionCounts): BulkLoaded => {
    const { ownMs, startedAt, generator } = clock;
    const { counts, bulk } = tally.result(ownMs);
    const times = { startedAt: startedAt.toISOString(), loadMs: ownMs, windowMs: ownMs };
    return {
      result: { ...times, ...counts, generator, connectionsOpened: opened, reopened, closingAnswers, bulk },
      examples: examples.list(),
    };
  };
  return { observer, tally, loaded };
}
