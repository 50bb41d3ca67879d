import { ask, describeReply, isOk } from '../../base/ask.ts';
import { isObject } from '../../base/json-path.ts';
import { addedUp, type Counter, type Counts, eachRow, tableOf, valuesIn, valuesOf } from './counters.ts';
import type { AbsentProbe, Probe, ProbeContext, ProbeKind } from './probe.ts';
import { createPlaces } from './shared-by.ts';
import { warnOnce } from './warn-once.ts';

const NAME = 'opensearch';

/** A counter of a node since it started, and where it stands in its statistics; `*` adds up all that there are. */
interface NodeCounter extends Counter {
  readonly at: readonly string[];
}

/** Counters under `indices` are of an arm's own ones, too; the others stand for all arms together. Deleted indices still count. */
const counters = tableOf<NodeCounter>()({
  opensearch_index_ops: { at: ['indices.indexing.index_total'] },
  opensearch_index_time_ms: { at: ['indices.indexing.index_time_in_millis'] },
  opensearch_index_failures: { at: ['indices.indexing.index_failed'] },
  opensearch_delete_ops: { at: ['indices.indexing.delete_total'] },
  opensearch_query_ops: { at: ['indices.search.query_total'] },
  opensearch_query_time_ms: { at: ['indices.search.query_time_in_millis'] },
  opensearch_refresh_ops: { at: ['indices.refresh.total'] },
  opensearch_refresh_time_ms: { at: ['indices.refresh.total_time_in_millis'] },
  opensearch_flush_ops: { at: ['indices.flush.total'] },
  opensearch_merge_ops: { at: ['indices.merges.total'] },
  opensearch_merge_time_ms: { at: ['indices.merges.total_time_in_millis'] },
  opensearch_gc_ops: { at: ['jvm.gc.collectors.*.collection_count'] },
  opensearch_gc_time_ms: { at: ['jvm.gc.collectors.*.collection_time_in_millis'] },
  /** When its CPU time was read, by the node's own clock: it keeps a reading for a second. */
  at_ms: { value: null, at: ['process.timestamp'] },
  /** Time of the whole process; 100: one CPU. None where the node read it once for both readings. */
  opensearch_cpu_percent: { at: ['process.cpu.total_in_millis'], per: 'at_ms', times: 100 },
  opensearch_heap_used_bytes: { at: ['jvm.mem.heap_used_in_bytes'], adds: 'last' },
  /** Over the answers that came; none where those are not known. */
  opensearch_index_ops_per_request: {
    at: ['indices.indexing.index_total', 'indices.indexing.delete_total'],
    per: 'requests',
  },
  opensearch_query_ops_per_request: { at: ['indices.search.query_total'], per: 'requests' },
});

/** Counts of an OpenSearch node since it started, and its present sizes. */
export type OpenSearchCounts = Counts<keyof typeof counters>;

/**
 * Counts of OpenSearch over a pass, from the arm's own indices, whichever arm's turn it was: work that an arm has queued when
 * its turn ends counts for that arm. CPU, garbage collection and heap are the node's. Of a node whose arms share their
 * indices (a url target), only these are recorded.
 */
export const openSearch: ProbeKind = { name: NAME, of: 'machine', values: valuesIn(counters), open };

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
          const values = openSearchBetween(from, to, requests);
          return { values: place.shared && indexPrefix === undefined ? nodeAlone(values) : values };
        },
      };
    },
    close: async () => {},
  };
}

function nodeAlone(values: OpenSearchMetrics): OpenSearchMetrics {
  const ofIndices = (name: string): boolean =>
    counters[name as keyof OpenSearchCounts].at[0]?.startsWith('indices.') === true;
  return Object.fromEntries(Object.entries(values).filter(([name]) => !ofIndices(name)));
}

/** Reads the counters of one node from outside. The run knows only this, so that a fake can stand in. */
export interface OpenSearchReader {
  /**
   * Counters of indices whose names begin with the prefix; without a prefix, of all indices, deleted ones included. Rejects
   * where the node does not answer within 5 s.
   */
  read(indexPrefix?: string): Promise<OpenSearchCounts>;
}

/** Metric names, with their units, and values. */
export type OpenSearchMetrics = Readonly<Record<string, number>>;

const answerLimitMs = 5000;

/**
 * Makes a reader of the node at a URL such as http://127.0.0.1:9200. It holds no connection that must be closed. Whoever
 * asks at once gets one reading of the node: it refreshes its own for the first, and gives the others an old one.
 */
export function createOpenSearchReader(url: string): OpenSearchReader {
  const readNode = shareWhileAsked(async (): Promise<object> => {
    // `_local`: the node that answers, which alone is the bench's.
    const address = `${url}/_nodes/_local/stats/indices,process,jvm`;
    const { nodes } = (await get(address)) as { nodes: Record<string, object> };
    const [node] = Object.values(nodes);
    if (node === undefined) throw new Error(`${address} names no node`);
    return node;
  });
  return {
    async read(indexPrefix) {
      const node = await readNode();
      if (indexPrefix === undefined) return countsIn(node);
      const own = `${encodeURIComponent(`${indexPrefix}*`)}/_stats/indexing,search,refresh,flush,merge`;
      const { _all: all } = (await get(`${url}/${own}`)) as { _all?: { total?: object } };
      return countsIn({ ...node, indices: sumOf(all?.total) });
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

/** Null where no index has that prefix yet: OpenSearch 2.19 then adds up nothing to `{}`. */
function sumOf(total: object | undefined): object | null {
  return total === undefined || Object.keys(total).length === 0 ? null : total;
}

/** `indices` is null of an arm that has none yet. Throws where the node does not say one of the numbers. */
function countsIn(stats: object): OpenSearchCounts {
  return eachRow(counters, ({ at }) => at.reduce((sum, path) => sum + sumAt(stats, path.split('.'), path), 0));
}

function sumAt(value: unknown, [key, ...rest]: readonly string[], path: string): number {
  if (value === null) return 0;
  if (key === undefined && typeof value === 'number') return value;
  if (key === undefined || !isObject(value)) throw new Error(`OpenSearch does not say ${path}`);
  if (key !== '*') return sumAt(value[key], rest, path);
  return Object.values(value).reduce((sum: number, one) => sum + sumAt(one, rest, path), 0);
}

/**
 * Changes between two readings: counts and times as differences, the heap as it is at the end, and the CPU as a percentage of
 * the time between them. Times are summed over the node's threads, so they can exceed the time between the readings. Empty
 * where the node restarted in between.
 */
export function openSearchBetween(from: OpenSearchCounts, to: OpenSearchCounts, requests = 0): OpenSearchMetrics {
  const counts = addedUp(counters, [from, to]);
  // CPU time alone always grows while a process lives.
  if ((counts.at_ms ?? 0) < 0 || (counts.opensearch_cpu_percent ?? 0) < 0) return {};
  return valuesOf(counters, counts, { requests });
}
