import { performance } from 'node:perf_hooks';
import autocannon, { type Options, type Request } from 'autocannon';
import { messageOf, PgsweepError } from '../base/errors.ts';
import { type Connection, type ConnectionCounts, keepConnected, type RequestContext } from './connection.ts';
import { watchGenerator } from './generator-use.ts';
import type { LoadJob, LoadOptions, LoadResult } from './load-generator.ts';
import type { RequestSource } from './request-source.ts';
import { createTally, type Tally } from './tally.ts';

/** autocannon looks this often whether it should end. */
const SAMPLE_MS = 50;
/** Requests under way at the end get this long to be answered, so that the database's counts match the answers. */
const DRAIN_MS = 2000;
/** How often a live display hears the rate. */
const LIVE_MS = 500;
/** A service that refuses every connection would be tried in a tight loop. */
const MOST_ERRORS = 2000;

/**
 * Runs one stretch of closed-loop load with autocannon, and counts for itself: autocannon floors latencies to whole
 * milliseconds and counts errors as throughput. At the end no request is cut off; each connection closes after its
 * last answer. Throws PgsweepError `load` when the service cannot be reached.
 */
export async function httpLoad(job: LoadJob, source: RequestSource, options: LoadOptions = {}): Promise<LoadResult> {
  const { durationMs, dropMs } = job;
  const tally = createTally({ fromMs: dropMs, toMs: durationMs }, source);
  const connections: Connection[] = [];
  const nameOf = (client: Connection): number => client.requestIterator.context.name ?? 0;
  let errors = 0;
  let lastError = '';
  const counts: ConnectionCounts = { opened: 0, closingAnswers: 0 };

  const startedAt = new Date();
  const start = performance.now();
  const generatorUse = watchGenerator();
  let ended: (error: unknown) => void = () => {};
  const end = new Promise<unknown>((resolve) => {
    ended = resolve;
  });
  const instance = autocannon(
    autocannonOptions(job, source, (client) => {
      connections.push(client);
      keepConnected(client, counts);
    }),
    (error) => ended(error),
  );
  const elapsed = (): number => performance.now() - start;
  instance.on('response', (client, status, bytes, latencyMs) => {
    tally.answer(elapsed(), status, bytes, latencyMs * 1000, nameOf(client as unknown as Connection));
  });
  instance.on('reqError', (error: Error) => {
    errors++;
    lastError = error.message;
    tally.failure(elapsed(), error.message === 'request timed out' ? 'timeouts' : 'errors', 0);
  });

  let measured: LoadResult['generator'] | null = null;
  const finish = (): void => {
    if (measured !== null) return;
    measured = generatorUse();
    drain(connections, () => instance.stop());
  };
  const finishing = setTimeout(finish, durationMs);
  options.finish?.addEventListener('abort', finish, { once: true });
  const live = options.onLive && reportRate(tally, LIVE_MS, options.onLive);
  const batches = options.onBatch && job.batchMs !== undefined && reportRate(tally, job.batchMs, options.onBatch);
  const abort = (): void => instance.stop();
  options.signal?.addEventListener('abort', abort, { once: true });
  const failure = await end;
  clearTimeout(finishing);
  clearInterval(live);
  if (batches) clearInterval(batches);
  options.signal?.removeEventListener('abort', abort);
  if (failure)
    throw new PgsweepError('load', `autocannon could not make load: ${messageOf(failure)}`, { cause: failure });
  options.signal?.throwIfAborted();
  if (errors >= MOST_ERRORS) throw unreachable(job, errors, lastError);
  return {
    startedAt: startedAt.toISOString(),
    loadMs: elapsed(),
    windowMs: durationMs - dropMs,
    connectionsOpened: counts.opened,
    closingAnswers: counts.closingAnswers,
    ...tally.result(),
    generator: measured ?? generatorUse(),
  };
}

function autocannonOptions(job: LoadJob, source: RequestSource, onClient: (client: Connection) => void): Options {
  return {
    url: job.url,
    connections: job.load.connections,
    // The end is ours to say; this is only the latest.
    duration: (job.durationMs + job.timeoutMs + DRAIN_MS) / 1000,
    timeout: job.timeoutMs / 1000,
    sampleInt: SAMPLE_MS,
    bailout: MOST_ERRORS,
    excludeErrorStats: true,
    skipAggregateResult: true,
    setupClient: (client) => onClient(client as unknown as Connection),
    requests: [source.fixed ? fixedRequest(source.fixed) : { setupRequest: setUpFrom(source) }],
  };
}

function fixedRequest({ method, path, headers, body }: NonNullable<RequestSource['fixed']>): Request {
  return { method: method as 'GET', path, headers: { ...headers }, ...(body !== undefined && { body }) };
}

function setUpFrom(source: RequestSource): (request: Request, context: object) => Request {
  return (request, context) => {
    const { method, path, headers, body, name } = source.next();
    (context as RequestContext).name = name;
    request.method = method as 'GET';
    request.path = path;
    // A new object: autocannon writes Content-Length into it, and the next request may have no body.
    request.headers = { ...headers };
    request.body = body ?? '';
    return request;
  };
}

/** Lets each connection end after the answer that it waits for; calls `giveUp` for those that get none. */
function drain(connections: readonly Connection[], giveUp: () => void): void {
  for (const connection of connections) connection.responseMax = connection.reqsMade;
  setTimeout(giveUp, DRAIN_MS).unref();
}

function reportRate(tally: Tally, everyMs: number, report: (requestsPerSecond: number) => void): NodeJS.Timeout {
  let before = 0;
  let beforeMs = performance.now();
  return setInterval(() => {
    // A busy event loop is late, so the time is measured and not assumed.
    const nowMs = performance.now();
    report(((tally.ok - before) * 1000) / (nowMs - beforeMs));
    before = tally.ok;
    beforeMs = nowMs;
  }, everyMs);
}

function unreachable({ url }: LoadJob, errors: number, lastError: string): PgsweepError {
  return new PgsweepError('load', `${url} failed ${errors} requests without an answer, lastly by: ${lastError}`, {
    hint: 'Is the service up, and does it accept this many connections?',
  });
}
