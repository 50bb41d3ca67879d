import { createRandom } from '../../base/random.ts';
import type { ConnectionCounts } from '../../measure/load/connection-outcomes.ts';
import type { BulkJob, BulkOptions } from '../../measure/load/load-generator.ts';
import type { ExampleDocument } from '../../measure/load/workload-module.ts';
import type { BulkLoaded } from '../../measure/sample.ts';
import { documentsOf } from '../dataset/documents-of.ts';
import { createExamples } from '../dataset/examples.ts';
import type { Document } from '../dataset/types.ts';
import type { FailuresFile } from './failures.ts';
import { createOwnClock, type OwnClock } from './own-clock.ts';
import { type Observer, type Outgoing, startPosting } from './post-all.ts';
import { type Answer, openPoster } from './poster.ts';
import { createProgress } from './progress.ts';
import { createBulkTally } from './tally-bulk.ts';

/** All documents of a data set, posted once, in turns. */
export interface Pass {
  /** Resolves when the first document is at hand: reading ahead is no load. */
  readonly ready: Promise<void>;
  /** Posts for this long, or to the end. Throws what ended the pass before that. */
  turn(durationMs: number, onProgress: BulkOptions['onProgress']): Promise<{ wallMs: number; done: boolean }>;
  /** Counts and examples until now. */
  loaded(): BulkLoaded;
  /** Cuts off whatever is under way. */
  close(): Promise<void>;
}

export interface PassOptions {
  readonly unmeasured: boolean;
  /** Null for a pass whose failures are not recorded. */
  readonly failures: FailuresFile | null;
  readonly signal: AbortSignal;
}

export function openPass(job: BulkJob, options: PassOptions): Pass {
  const { spec, timeoutMs } = job;
  const { signal } = options;
  const poster = openPoster({ ...job, connections: spec.connections, timeoutMs });
  const clock = createOwnClock();
  let total: number | null = null;
  const documents = documentsOf(spec.dataset, {
    onIndexed: (known) => {
      total = known;
    },
  });
  let started = (): void => {};
  const first = new Promise<void>((resolve) => {
    started = resolve;
  });
  const { observer, tally, loaded } = observe(options, started);
  const posting = startPosting({ ...spec, documents, poster, random: createRandom(job.seed), observer, signal });
  const ready = Promise.race([first, posting.finished]);
  // What goes wrong between two turns is thrown by the next.
  for (const promise of [posting.finished, ready]) promise.catch(() => {});
  const { unmeasured } = options;
  const progress = createProgress(clock, () => ({ documents: tally.documents, total, unmeasured }));
  return {
    ready,
    async turn(durationMs, onProgress) {
      await poster.connect();
      const stopTelling = progress.during(onProgress);
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<false>((resolve) => {
        if (durationMs === Number.POSITIVE_INFINITY) return;
        timer = setTimeout(() => void posting.pause().then(() => resolve(false)), durationMs);
      });
      clock.resume();
      posting.resume();
      try {
        const done = await Promise.race([over, posting.finished.then(() => true)]);
        return { wallMs: clock.pause(), done };
      } finally {
        clearTimeout(timer);
        clock.pause();
        stopTelling();
      }
    },
    loaded: () => loaded(clock, poster.counts),
    close: async () => poster.close(),
  };
}

/** Everything that is recorded of a pass. */
function observe({ failures }: Pick<PassOptions, 'failures'>, started: () => void) {
  const tally = createBulkTally();
  const examples = createKeptExamples();
  const observer: Observer = {
    started,
    read(outgoing) {
      tally.read(outgoing);
      examples.read(outgoing);
    },
    answered: (outgoing, answer) => tally.answered(outgoing, answer),
    settled(outgoing, answer, accepted) {
      tally.settled(outgoing, answer, accepted);
      examples.settled(outgoing, answer, accepted);
      if (accepted) return;
      const { document, description, attempts } = outgoing;
      const { identity } = description;
      failures?.add({
        resource: document.resource,
        identity,
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

/** Some of the documents that were loaded, in bounded memory. */
interface KeptExamples {
  /** In the order of the data set, so that the same are kept whatever order the answers come in. */
  read(outgoing: Outgoing): void;
  settled(outgoing: Outgoing, answer: Answer, accepted: boolean): void;
  list(): ExampleDocument[];
}

interface Example extends Document {
  /** Filled when the answer has come; an object, since what is kept is a copy of the example. */
  readonly settled: { id: string | null };
}

function createKeptExamples(): KeptExamples {
  const examples = createExamples<Example>();
  const unsettled = new Map<Outgoing, Example>();
  return {
    read(outgoing) {
      const example = { ...outgoing.document, settled: { id: null } };
      unsettled.set(outgoing, example);
      examples.add(example, outgoing.description.isDescriptor);
    },
    settled(outgoing, answer, accepted) {
      const example = unsettled.get(outgoing);
      unsettled.delete(outgoing);
      if (example && accepted) example.settled.id = idOf(answer);
    },
    list: () =>
      examples.list().flatMap(({ settled: { id }, resource, body }) => (id === null ? [] : [{ id, resource, body }])),
  };
}

/** The last part of the Location header, or else the body's `id`. */
function idOf({ location, text }: Answer): string | null {
  if (location !== null) return location.split('?')[0]?.split('/').pop() || null;
  return /"id"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? null;
}
