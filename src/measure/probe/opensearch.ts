import { ask, describeReply, isOk } from '../../base/ask.ts';
import type { AbsentProbe, Probe, ProbeContext, ProbeKind } from './probe.ts';
import { createPlaces } from './shared-by.ts';
import { warnOnce } from './warn-once.ts';

const NAME = 'opensearch';

/** Counters of the node instead of an index: they stand for all arms together. */
const ofNode = /^opensearch_(gc_ops|gc_time_ms|cpu_percent|heap_used_bytes)$/;

/**
 * Counts of OpenSearch over a pass, from the arm's own indices, whichever arm's turn it was: work that an arm has queued when
 * its turn ends counts for that arm. CPU, garbage collection and heap are the node's. Of a node whose arms share their
 * indices (a url target), only these are recorded.
 */
export const openSearch: ProbeKind = { name: NAME, of: 'machine', open };

async function open({ opensearch, onWarning }: ProbeContext): Promise<Probe | AbsentProbe> {
  if (opensearch?.url === undefined) return { name: NAME, absent: 'the stack has no OpenSearch' };
  const reader = createOpenSearchReader(opensearch.url);
  const attempt = warnOnce(NAME, onWarning);
  const places = createPlaces<'node'>();
  return {
    name: NAME,
    async begin({ indexPrefix }) {
      const place = places.enter('node');
      const from = await attempt(() => reader.read(indexPrefix));
      return {
        async end({ requests }) {
          place.leave();
          const to = from === null ? null : await attempt(() => reader.read(indexPrefix));
          if (from === null || to === null) return null;
          const values = { ...openSearchBetween(from, to), ...workPerRequest(from, to, requests) };
          return { values: place.shared && indexPrefix === undefined ? nodeAlone(values) : values };
        },
      };
    },
    close: async () => {},
  };
}

/** Operations of the index and queries, over the answers that came; none where those are not known. */
function workPerRequest(from: OpenSearchCounters, to: OpenSearchCounters, requests = 0): OpenSearchMetrics {
  if (requests <= 0 || to.cpuMs < from.cpuMs) return {};
  const operations = to.indexOps - from.indexOps + to.deleteOps - from.deleteOps;
  return {
    opensearch_index_ops_per_request: operations / requests,
    opensearch_query_ops_per_request: (to.queries - from.queries) / requests,
  };
}

function nodeAlone(values: OpenSearchMetrics): OpenSearchMetrics {
  return Object.fromEntries(Object.entries(values).filter(([name]) => ofNode.test(name)));
}

/** Counts of an OpenSearch node since it started, and its present sizes. Deleted indices still count. */
export interface OpenSearchCounters {
  /** When its CPU time was read, by the node's own clock: it keeps a reading for a second. */
  readonly atMs: number;
  readonly indexOps: number;
  readonly indexTimeMs: number;
  readonly indexFailures: number;
  readonly deleteOps: number;
  readonly queries: number;
  readonly queryTimeMs: number;
  readonly refreshes: number;
  readonly refreshTimeMs: number;
  readonly flushes: number;
  readonly merges: number;
  readonly mergeTimeMs: number;
  /** CPU time of the whole process. */
  readonly cpuMs: number;
  readonly collections: number;
  readonly collectionTimeMs: number;
  readonly heapUsedBytes: number;
}

/** Reads the counters of one node from outside. The run knows only this, so that a fake can stand in. */
export interface OpenSearchReader {
  /**
   * Counters of indices whose names begin with the prefix; without a prefix, of all indices, deleted ones included. Rejects
   * where the node does not answer within 5 s.
   */
  read(indexPrefix?: string): Promise<OpenSearchCounters>;
}

/** Metric names, with their units, and values. */
export type OpenSearchMetrics = Readonly<Record<string, number>>;

interface NodeStats {
  readonly indices: IndexStats;
  readonly process: { readonly timestamp: number; readonly cpu: Stats<'total_in_millis'> };
  readonly jvm: {
    readonly mem: Stats<'heap_used_in_bytes'>;
    readonly gc: {
      readonly collectors: Readonly<Record<string, Stats<'collection_count' | 'collection_time_in_millis'>>>;
    };
  };
}

interface IndexStats {
  readonly indexing: Stats<'index_total' | 'index_time_in_millis' | 'index_failed' | 'delete_total'>;
  readonly search: Stats<'query_total' | 'query_time_in_millis'>;
  readonly refresh: Stats<'total' | 'total_time_in_millis'>;
  readonly flush: Stats<'total'>;
  readonly merges: Stats<'total' | 'total_time_in_millis'>;
}

/** The statistics of an arm that has no index yet. */
const noStats: IndexStats = {
  indexing: { index_total: 0, index_time_in_millis: 0, index_failed: 0, delete_total: 0 },
  search: { query_total: 0, query_time_in_millis: 0 },
  refresh: { total: 0, total_time_in_millis: 0 },
  flush: { total: 0 },
  merges: { total: 0, total_time_in_millis: 0 },
};

type Stats<Name extends string> = Readonly<Record<Name, number>>;

const answerLimitMs = 5000;

/**
 * Makes a reader of the node at a URL such as http://127.0.0.1:9200. It holds no connection that must be closed. Whoever
 * asks at once gets one reading of the node: it refreshes its own for the first, and gives the others an old one.
 */
export function createOpenSearchReader(url: string): OpenSearchReader {
  const readNode = shareWhileAsked(async (): Promise<NodeStats> => {
    // `_local`: the node that answers, which alone is the bench's.
    const address = `${url}/_nodes/_local/stats/indices,process,jvm`;
    const { nodes } = (await get(address)) as { nodes: Record<string, NodeStats> };
    const [node] = Object.values(nodes);
    if (node === undefined) throw new Error(`${address} names no node`);
    return node;
  });
  return {
    async read(indexPrefix) {
      const node = await readNode();
      if (indexPrefix === undefined) return countersOf(node);
      const own = `${encodeURIComponent(`${indexPrefix}*`)}/_stats/indexing,search,refresh,flush,merge`;
      const { _all: all } = (await get(`${url}/${own}`)) as { _all?: { total?: Partial<IndexStats> } };
      return countersOf({ ...node, indices: { ...noStats, ...all?.total } });
    },
  };
}

/** Those who ask while an answer is under way get the same. */
function shareWhileAsked<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

async function get(address: string): Promise<unknown> {
  const answer = await ask(address, { signal: AbortSignal.timeout(answerLimitMs) });
  if (!isOk(answer)) throw new Error(`${address} ${describeReply(answer)}`);
  return JSON.parse(answer.text);
}

function countersOf({ indices, process, jvm }: NodeStats): OpenSearchCounters {
  const { indexing, search, refresh, flush, merges } = indices;
  const collectors = Object.values(jvm.gc.collectors);
  return {
    atMs: process.timestamp,
    indexOps: indexing.index_total,
    indexTimeMs: indexing.index_time_in_millis,
    indexFailures: indexing.index_failed,
    deleteOps: indexing.delete_total,
    queries: search.query_total,
    queryTimeMs: search.query_time_in_millis,
    refreshes: refresh.total,
    refreshTimeMs: refresh.total_time_in_millis,
    flushes: flush.total,
    merges: merges.total,
    mergeTimeMs: merges.total_time_in_millis,
    cpuMs: process.cpu.total_in_millis,
    collections: collectors.reduce((sum, { collection_count }) => sum + collection_count, 0),
    collectionTimeMs: collectors.reduce((sum, { collection_time_in_millis }) => sum + collection_time_in_millis, 0),
    heapUsedBytes: jvm.mem.heap_used_in_bytes,
  };
}

/**
 * Changes between two readings: counts and times as differences, the heap as it is at the end, and the CPU as a percentage of
 * the time between them (100: one CPU); none where the node read it once for both. Times are summed over the node's threads, so they can exceed the time between the
 * readings. Empty where the node restarted in between.
 */
export function openSearchBetween(from: OpenSearchCounters, to: OpenSearchCounters): OpenSearchMetrics {
  const between = (name: keyof OpenSearchCounters): number => to[name] - from[name];
  const elapsedMs = between('atMs');
  // CPU time alone always grows while a process lives.
  if (elapsedMs < 0 || between('cpuMs') < 0) return {};
  return {
    opensearch_index_ops: between('indexOps'),
    opensearch_index_time_ms: between('indexTimeMs'),
    opensearch_index_failures: between('indexFailures'),
    opensearch_delete_ops: between('deleteOps'),
    opensearch_query_ops: between('queries'),
    opensearch_query_time_ms: between('queryTimeMs'),
    opensearch_refresh_ops: between('refreshes'),
    opensearch_refresh_time_ms: between('refreshTimeMs'),
    opensearch_flush_ops: between('flushes'),
    opensearch_merge_ops: between('merges'),
    opensearch_merge_time_ms: between('mergeTimeMs'),
    opensearch_gc_ops: between('collections'),
    opensearch_gc_time_ms: between('collectionTimeMs'),
    ...(elapsedMs > 0 && { opensearch_cpu_percent: (100 * between('cpuMs')) / elapsedMs }),
    opensearch_heap_used_bytes: to.heapUsedBytes,
  };
}
