import { messageOf, PgsweepError } from '../base/errors.ts';
import { createRandom } from '../base/random.ts';
import type { WorkloadSpec } from '../journal/scenario-record.ts';
import { type BulkLoading, openBulkLoad } from './bulk/bulk-load.ts';
import { createLoadedDocuments } from './bulk/loaded-documents.ts';
import { declaredRequests } from './declared-requests.ts';
import { documentWorkload } from './document-workloads.ts';
import type { Answer, FromGenerator, News, StreamMessage, ToGenerator, WorkloadMessage } from './generator-messages.ts';
import { openHttpStream } from './http-stream.ts';
import type { BulkProgress, BulkResult, LoadJob, LoadStream } from './load-generator.ts';
import { moduleWorkload } from './module-workload.ts';
import type { RequestSource, WorkloadContext } from './request-source.ts';

/** The load generator's process: it keeps the streams, one for each arm, of which one at a time has a turn. */

// Above the ids of every template, below the largest 32-bit integer.
let unique = 1_000_000_000;
let workload: WorkloadMessage | null = null;
const streams = new Map<number, LoadStream>();
const bulkLoads = new Map<number, BulkLoading>();
const turns = new Map<number, AbortController>();
const loaded = createLoadedDocuments();

function send(message: FromGenerator): void {
  process.send?.(message);
}

async function sourceFor(job: LoadJob): Promise<RequestSource> {
  if (workload === null) throw new Error('a job came before the workload');
  const context: WorkloadContext = {
    random: createRandom(job.seed),
    unique: () => unique++,
    ...(job.token !== undefined && { token: job.token }),
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

async function perform(message: StreamMessage, tell: (news: News) => void, signal: AbortSignal): Promise<Answer> {
  const { stream } = message;
  switch (message.kind) {
    case 'open':
      streams.set(stream, openHttpStream(message.job, await sourceFor(message.job)));
      return { kind: 'opened' };
    case 'turn': {
      const onLive = (requestsPerSecond: number): void => tell({ kind: 'live', requestsPerSecond });
      return { kind: 'turned', result: await found(streams, stream).turn(message.turn, { onLive, signal }) };
    }
    case 'close':
      return { kind: 'closed', result: await taken(streams, stream).close() };
    case 'open-bulk':
      bulkLoads.set(stream, await openBulkLoad(message.job, signal));
      return { kind: 'opened' };
    case 'bulk-turn': {
      const durationMs = message.durationMs ?? Number.POSITIVE_INFINITY;
      const onProgress = (progress: BulkProgress): void => tell({ kind: 'bulk-progress', progress });
      return { kind: 'bulk-turned', result: await found(bulkLoads, stream).turn(durationMs, { onProgress, signal }) };
    }
    case 'close-bulk':
      return { kind: 'bulk-closed', result: await closeBulk(taken(bulkLoads, stream)) };
    case 'abort':
      throw new Error('an abort has no answer');
  }
}

async function closeBulk(bulk: BulkLoading): Promise<BulkResult> {
  const { result, examples } = await bulk.close();
  loaded.remember(bulk.url, examples);
  return result;
}

function found<T>(streams: ReadonlyMap<number, T>, stream: number): T {
  const open = streams.get(stream);
  if (open === undefined) throw new Error(`there is no open stream ${stream}`);
  return open;
}

function taken<T>(streams: Map<number, T>, stream: number): T {
  const open = found(streams, stream);
  streams.delete(stream);
  return open;
}

/** Sends what the message asks for, or how that failed. */
async function answer(message: StreamMessage): Promise<void> {
  const { stream } = message;
  const controller = new AbortController();
  turns.set(stream, controller);
  const { signal } = controller;
  try {
    send({ stream, ...(await perform(message, (news) => send({ stream, ...news }), signal)) });
  } catch (error) {
    if (signal.aborted) return send({ kind: 'aborted', stream });
    const known = error instanceof PgsweepError ? error : null;
    send({ kind: 'failed', stream, code: known?.code ?? null, message: messageOf(error), hint: known?.hint ?? null });
  } finally {
    turns.delete(stream);
  }
}

process.on('message', (message: ToGenerator) => {
  if (message.kind === 'workload') workload = message;
  else if (message.kind === 'abort') turns.get(message.stream)?.abort();
  else void answer(message);
});
// The bench has gone: nobody waits for the answers.
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready' });
