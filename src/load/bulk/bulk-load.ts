import { createRandom } from '../../base/random.ts';
import { documentsOf } from '../../dataset/documents-of.ts';
import { watchGenerator } from '../generator-use.ts';
import type { BulkJob, BulkProgress, BulkResult } from '../load-generator.ts';
import type { ExampleDocument } from '../request-source.ts';
import { type FailuresFile, openFailures } from './failures.ts';
import { createKeptExamples } from './kept-examples.ts';
import { createPace } from './pace.ts';
import { type Observer, postAll } from './post-all.ts';
import { openPoster } from './poster.ts';
import { createBulkTally } from './tally-bulk.ts';

/** How often progress is told. */
const PROGRESS_MS = 500;

export interface BulkLoadOptions {
  readonly onProgress: (progress: BulkProgress) => void;
  readonly signal: AbortSignal;
}

export interface BulkLoaded {
  readonly result: BulkResult;
  /** Some of what was accepted, with the ids that the service gave. */
  readonly examples: readonly ExampleDocument[];
}

/** Posts a data set as the job says, and leaves nothing running. Throws as `LoadGenerator.bulk` does. */
export async function bulkLoad(job: BulkJob, options: BulkLoadOptions): Promise<BulkLoaded> {
  const failures = openFailures(job);
  try {
    if (job.spec.update) await onePass(job, { ...options, unmeasured: true, failures: null });
    return await onePass(job, { ...options, unmeasured: false, failures });
  } finally {
    failures.close();
  }
}

interface PassOptions extends BulkLoadOptions {
  readonly unmeasured: boolean;
  /** Null for a pass whose failures are not recorded. */
  readonly failures: FailuresFile | null;
}

async function onePass(job: BulkJob, options: PassOptions): Promise<BulkLoaded> {
  const { spec, url, timeoutMs } = job;
  const { signal } = options;
  signal.throwIfAborted();
  const poster = openPoster({ url, connections: spec.connections, timeoutMs });
  let total: number | null = null;
  const documents = documentsOf(spec.dataset, {
    onIndexed: (known) => {
      total = known;
    },
  });
  const { observer, finish, stop } = observe(options, () => total);
  try {
    await postAll({ ...spec, documents, poster, random: createRandom(job.seed), observer, signal });
    return finish(poster.connectionsOpened);
  } finally {
    stop();
    await poster.close();
  }
}

interface Observation {
  readonly observer: Observer;
  finish(connectionsOpened: number): BulkLoaded;
  /** Ends the telling of progress. */
  stop(): void;
}

/** Everything that is recorded of a pass. The clock starts with the first request: reading ahead is no load. */
function observe({ failures, unmeasured, onProgress }: PassOptions, total: () => number | null): Observation {
  const tally = createBulkTally();
  const examples = createKeptExamples();
  let startedAt = new Date();
  let start = performance.now();
  let use = watchGenerator();
  let timer: NodeJS.Timeout | undefined;
  const elapsedMs = (): number => performance.now() - start;
  const observer: Observer = {
    started() {
      startedAt = new Date();
      start = performance.now();
      use = watchGenerator();
      timer = tellProgress(() => ({ documents: tally.documents, total: total(), unmeasured }), onProgress);
    },
    read(outgoing) {
      tally.read(outgoing);
      examples.read(outgoing);
    },
    answered: (outgoing, answer) => tally.answered(outgoing, answer, elapsedMs()),
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
  return {
    observer,
    finish(connectionsOpened) {
      const totalMs = elapsedMs();
      const generator = use();
      const { counts, bulk } = tally.result(totalMs);
      const times = { startedAt: startedAt.toISOString(), loadMs: totalMs, windowMs: totalMs };
      return { result: { ...times, ...counts, generator, connectionsOpened, bulk }, examples: examples.list() };
    },
    stop: () => clearInterval(timer),
  };
}

type Situation = Pick<BulkProgress, 'documents' | 'total'> & { readonly unmeasured: boolean };

function tellProgress(look: () => Situation, tell: (progress: BulkProgress) => void): NodeJS.Timeout {
  const pace = createPace(performance.now());
  return setInterval(() => {
    const { documents, total, unmeasured } = look();
    const documentsPerSecond = pace.at(performance.now(), documents);
    const known = total !== null && documentsPerSecond > 0;
    const leftMs = known ? ((total - documents) * 1000) / documentsPerSecond : null;
    tell({ documents, total, documentsPerSecond, leftMs, unmeasured });
  }, PROGRESS_MS);
}
