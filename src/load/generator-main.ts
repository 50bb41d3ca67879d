import { messageOf, PgsweepError } from '../base/errors.ts';
import { createRandom } from '../base/random.ts';
import type { WorkloadSpec } from '../journal/scenario-record.ts';
import { bulkLoad } from './bulk/bulk-load.ts';
import { createLoadedDocuments } from './bulk/loaded-documents.ts';
import { declaredRequests } from './declared-requests.ts';
import { documentWorkload } from './document-workloads.ts';
import type { FromGenerator, ToGenerator, WorkloadMessage } from './generator-messages.ts';
import { httpLoad } from './http-load.ts';
import type { BulkJob, BulkProgress, LoadJob } from './load-generator.ts';
import { moduleWorkload } from './module-workload.ts';
import type { RequestSource, WorkloadContext } from './request-source.ts';

/** The load generator's process: it gets jobs by messages, one at a time, and answers each with its result. */

// Above the ids of every template, below the largest 32-bit integer.
let unique = 1_000_000_000;
let workload: WorkloadMessage | null = null;
let abort: AbortController | null = null;
let finish: AbortController | null = null;
const loaded = createLoadedDocuments();

function send(message: FromGenerator): void {
  process.send?.(message);
}

async function sourceFor(job: LoadJob): Promise<RequestSource> {
  if (workload === null) throw new Error('a job came before the workload');
  const context: WorkloadContext = {
    random: createRandom(job.seed),
    unique: () => unique++,
    documents: loaded.of(job.url) ?? workload.documents,
  };
  const spec: WorkloadSpec =
    job.load.workload === undefined ? workload.workload : { kind: 'built-in', workload: job.load.workload };
  switch (spec.kind) {
    case 'built-in':
      return documentWorkload(spec.workload, context);
    case 'requests':
      return declaredRequests(spec.requests, context);
    case 'module':
      return moduleWorkload(spec.module, context);
  }
}

async function run(job: LoadJob): Promise<void> {
  const finishing = new AbortController();
  finish = finishing;
  await attempt(async (signal) => {
    const onLive = (requestsPerSecond: number): void => send({ kind: 'live', requestsPerSecond });
    const onBatch = (requestsPerSecond: number): void => send({ kind: 'batch', requestsPerSecond });
    const options = { onLive, onBatch, signal, finish: finishing.signal };
    return { kind: 'result', result: await httpLoad(job, await sourceFor(job), options) };
  });
}

async function bulk(job: BulkJob): Promise<void> {
  await attempt(async (signal) => {
    const onProgress = (progress: BulkProgress): void => send({ kind: 'bulk-progress', progress });
    const { result, examples } = await bulkLoad(job, { onProgress, signal });
    loaded.remember(job.url, examples);
    return { kind: 'bulk-result', result };
  });
}

/** Sends what the work comes to, or how it failed. */
async function attempt(work: (signal: AbortSignal) => Promise<FromGenerator>): Promise<void> {
  const controller = new AbortController();
  abort = controller;
  const { signal } = controller;
  try {
    send(await work(signal));
  } catch (error) {
    if (signal.aborted) return send({ kind: 'aborted' });
    const known = error instanceof PgsweepError ? error : null;
    send({ kind: 'failed', code: known?.code ?? null, message: messageOf(error), hint: known?.hint ?? null });
  }
}

process.on('message', (message: ToGenerator) => {
  if (message.kind === 'workload') workload = message;
  else if (message.kind === 'abort') abort?.abort();
  else if (message.kind === 'finish') finish?.abort();
  else if (message.kind === 'bulk') void bulk(message.job);
  else void run(message.job);
});
// The bench has gone: nobody waits for the answers.
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready' });
