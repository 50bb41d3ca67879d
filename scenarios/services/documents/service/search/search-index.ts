import { Client } from '@opensearch-project/opensearch';
import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import type { ServiceConfig } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { ListQuery } from '../list-query.ts';
import { warn } from '../warn.ts';
import { type Batcher, createBatcher } from './batcher.ts';
import type { IndexChange } from './change.ts';
import { failureOf } from './failure.ts';
import { fillIndex } from './fill.ts';
import { createIndices } from './indices.ts';
import { createSearchMetrics, type SearchMetrics } from './metrics.ts';
import { failAll, type SearchCalls, writeBulk, writeOne } from './write-changes.ts';

/** The search index beside the database. */
export interface SearchIndex {
  /** Takes a committed change. Resolves when its write may be answered; never rejects, since failures are counted. */
  apply(change: IndexChange): Promise<void>;
  /** The JSON text of an array of documents. Throws a 503 where OpenSearch does not answer. */
  list(resourceName: string, query: ListQuery): Promise<string>;
  /** Sends what is queued, for as long as that may take, and closes the connections. */
  close(): Promise<void>;
}

const requestLimitMs = 10_000;
/** About 1 MB of the usual documents. */
const batchMax = 500;
const bulkDelayMs = 3;
/** Less than what the service may take to stop. */
const drainLimitMs = 5000;

/** Connects to OpenSearch. Throws an Error that names the host where it does not answer. */
export async function openSearchIndex(config: ServiceConfig, pool: Pool, registry: Registry): Promise<SearchIndex> {
  const node = config.openSearchUrl ?? '';
  // No retries: each would hold up a write without being seen, and a failure is to be counted.
  const client = new Client({ node, maxRetries: 0, requestTimeout: requestLimitMs });
  try {
    await client.info();
  } catch (error) {
    await client.close();
    const { kind, reason } = failureOf(error);
    const advice = 'is it running, and is OPENSEARCH_URL right? To do without it, set SEARCH_MODE=off';
    throw new Error(`cannot reach OpenSearch at ${new URL(node).host} (${kind}: ${reason}); ${advice}`);
  }
  let queue: Batcher<IndexChange> | null = null;
  const metrics = createSearchMetrics(registry, () => queue?.lengths() ?? { queued: 0, waiting: 0 });
  const calls = createCalls(client, config, pool, metrics);
  queue = createQueue(config, calls);
  const waited = async <T>(answer: Promise<T>): Promise<T> => {
    const startMs = performance.now();
    try {
      return await answer;
    } finally {
      metrics.observeWait((performance.now() - startMs) / 1000);
    }
  };
  return {
    apply: (change) => waited(applyBy(config, calls, queue, change)),
    list: (resourceName, query) => waited(list(calls, resourceName, query)),
    async close() {
      const left = (await queue?.drain(drainLimitMs)) ?? [];
      failAll(calls, left, { kind: 'dropped', reason: `the service ended with ${left.length} documents in its queue` });
      await client.close();
    },
  };
}

function createCalls(
  client: Client,
  { indexPrefix, queryFrom }: ServiceConfig,
  pool: Pool,
  metrics: SearchMetrics,
): SearchCalls {
  const timed: SearchCalls['timed'] = async (operation, call) => {
    const startMs = performance.now();
    try {
      return await call();
    } finally {
      metrics.observeCall(operation, (performance.now() - startMs) / 1000);
    }
  };
  const fail: SearchCalls['fail'] = (operation, { kind, reason }, count = 1) => {
    metrics.countFailures(operation, kind, count);
    warn(`OpenSearch, ${operation} (${kind}): ${reason}`);
  };
  const fill = async (resourceName: string, index: string): Promise<void> => {
    // Where nobody asks the index, to fill it would only take time.
    if (queryFrom === 'postgres') return;
    await fillIndex({ pool, client }, { resourceName, index }, (failure) => fail('index', failure));
  };
  return { client, timed, fail, indices: createIndices(client, indexPrefix, timed, fill) };
}

function createQueue(config: ServiceConfig, calls: SearchCalls): Batcher<IndexChange> | null {
  const { searchMode, searchQueueMax } = config;
  if (searchMode !== 'bulk' && searchMode !== 'async') return null;
  const isBulk = searchMode === 'bulk';
  return createBatcher({
    send: (changes) => writeBulk(calls, changes, { refresh: isBulk }),
    batchMax,
    delayMs: bulkDelayMs,
    // In bulk mode every change has a write that waits for it, so the clients are the limit.
    capacity: isBulk ? Number.POSITIVE_INFINITY : searchQueueMax,
  });
}

function applyBy(
  { searchMode }: ServiceConfig,
  calls: SearchCalls,
  queue: Batcher<IndexChange> | null,
  change: IndexChange,
): Promise<void> {
  if (queue === null) return writeOne(calls, change);
  const { accepted, sent } = queue.add(change);
  return searchMode === 'bulk' ? sent : accepted;
}

async function list({ client, indices, timed, fail }: SearchCalls, name: string, query: ListQuery): Promise<string> {
  if (query.offset + query.limit > searchWindow) {
    const message = `OpenSearch lists the first ${searchWindow} documents: expected offset + limit up to that`;
    throw new ServiceError(400, 'invalid_parameter', message, { parameter: 'offset' });
  }
  const search = { index: indices.nameOf(name), body: searchBody(query) };
  try {
    await indices.ensure(name);
    const { body } = await timed('search', () => client.search(search));
    const infos = body.hits.hits.map((hit) => (hit._source as { info: string }).info);
    return `[${infos.join(',')}]`;
  } catch (error) {
    const failure = failureOf(error);
    fail('search', failure);
    throw new ServiceError(503, 'search_unavailable', 'OpenSearch does not answer; try again later', {}, error);
  }
}

/** OpenSearch's own limit (index.max_result_window). */
const searchWindow = 10_000;

/**
 * The body of a search for a list query: every parameter must match, either by one of its values, in the identity, in
 * the body or one level down, as it is with Postgres. The order is that of the index, mostly that of the last writes.
 */
function searchBody({ matches, limit, offset }: ListQuery): object {
  return {
    query: { bool: { filter: matches.map(({ name, values }) => anyOf(name, values)) } },
    from: offset,
    size: limit,
    sort: ['_doc'],
    track_total_hits: false,
    _source: ['info'],
  };
}

function anyOf(name: string, values: readonly string[]): object {
  // A * would match all fields, and a document that has such a name in earnest does not exist.
  if (!/^[\w-]+$/.test(name)) return { match_none: {} };
  const fields = [`identity.${name}`, `body.${name}`, `body.*.${name}`];
  // Lenient: a text matches no number, which is no error.
  return { bool: { should: values.map((query) => ({ multi_match: { query, fields, lenient: true } })) } };
}
