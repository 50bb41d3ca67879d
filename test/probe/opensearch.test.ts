import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createOpenSearchReader, type OpenSearchCounters, openSearchBetween } from '../../src/probe/opensearch.ts';
import { askNode, needsOpenSearch, whyNoOpenSearch, withOpenSearch } from '../stack/opensearch.ts';

const search = withOpenSearch();

describe.skipIf(whyNoOpenSearch !== null)(needsOpenSearch('the counters of a node'), () => {
  it('count what was done between two readings, also in an index that is gone', async () => {
    const { url } = search.node;
    const reader = createOpenSearchReader(url);
    await askNode(url, 'PUT', '/probed', { settings: { number_of_replicas: 0 } });
    const before = await reader.read();
    for (let id = 0; id < 7; id++) await askNode(url, 'PUT', `/probed/_doc/${id}?refresh=true`, { id });
    await askNode(url, 'DELETE', '/probed/_doc/3?refresh=true');
    for (let i = 0; i < 5; i++) await askNode(url, 'GET', '/probed/_search');
    const after = await reader.read();
    const metrics = openSearchBetween(before, after);
    expect(metrics).toMatchObject({
      opensearch_index_ops: 7,
      opensearch_delete_ops: 1,
      opensearch_query_ops: 5,
      opensearch_index_failures: 0,
    });
    expect(metrics.opensearch_refresh_ops).toBeGreaterThanOrEqual(8);
    // The node tells its CPU time in steps that a short test may fall between.
    expect(metrics.opensearch_cpu_percent).toBeGreaterThanOrEqual(0);
    expect(metrics.opensearch_heap_used_bytes).toBeGreaterThan(2 ** 20);
    for (const [name, value] of Object.entries(metrics)) {
      expect(name).toMatch(/^opensearch_.*_(ops|failures|ms|percent|bytes)$/);
      expect(value, name).toBeGreaterThanOrEqual(0);
    }

    await askNode(url, 'DELETE', '/probed');
    const later = openSearchBetween(before, await reader.read());
    expect(later).toMatchObject({ opensearch_index_ops: 7, opensearch_query_ops: 5 });
  });
});

describe('the difference of two readings', () => {
  const reading = (at: number, more: Partial<OpenSearchCounters> = {}): OpenSearchCounters => ({
    atMs: at,
    indexOps: 10 * at,
    indexTimeMs: 20 * at,
    indexFailures: 0,
    deleteOps: 0,
    queries: 0,
    queryTimeMs: 0,
    refreshes: 0,
    refreshTimeMs: 0,
    flushes: 0,
    merges: 0,
    mergeTimeMs: 0,
    cpuMs: 1.5 * at,
    collections: 0,
    collectionTimeMs: 0,
    heapUsedBytes: 5 * at,
    ...more,
  });

  it('has differences of counters, the heap of the end, and CPU in percent of one', () => {
    expect(openSearchBetween(reading(100), reading(300))).toMatchObject({
      opensearch_index_ops: 2000,
      opensearch_index_time_ms: 4000,
      opensearch_cpu_percent: 150,
      opensearch_heap_used_bytes: 1500,
    });
  });

  it('is empty where the node is another, or no time has passed', () => {
    expect(openSearchBetween(reading(100), reading(300, { cpuMs: 5 }))).toEqual({});
    expect(openSearchBetween(reading(100), reading(100))).toEqual({});
  });
});

describe('a reader', () => {
  it('rejects where the node is gone, or answers with something else', async () => {
    await expect(createOpenSearchReader('http://127.0.0.1:1').read()).rejects.toThrow();
    const server = createServer((_, response) => response.writeHead(503).end('{}')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(createOpenSearchReader(`http://127.0.0.1:${port}`).read()).rejects.toThrow('answered 503');
    server.close();
  });
});
