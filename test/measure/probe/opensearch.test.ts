import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  createOpenSearchReader,
  type OpenSearchCounts,
  openSearchBetween,
  openSearch as openSearchProbe,
} from '../../../src/measure/probe/opensearch.ts';
import { present, testArm, testContext, wholeLoad } from './probe-context.ts';

describe('the opensearch probe', () => {
  /** A node whose two arms have indexed 10 documents each reading, of 100. */
  async function fakeNode(): Promise<{ readonly url: string; readonly server: Server }> {
    let time = 0;
    const total = { total: 0, total_time_in_millis: 0 };
    const stats = (indexed: number) => ({
      indexing: { index_total: indexed, index_time_in_millis: 0, index_failed: 0, delete_total: 0 },
      search: { query_total: 0, query_time_in_millis: 0 },
      refresh: total,
      flush: total,
      merges: total,
    });
    const server = createServer(({ url = '' }, response) => {
      time += 1000;
      const node = {
        indices: stats(time / 10),
        process: { timestamp: time, cpu: { total_in_millis: time / 2 } },
        jvm: { mem: { heap_used_in_bytes: 5 }, gc: { collectors: {} } },
      };
      const own = url.startsWith('/a-*/_stats/')
        ? { _all: { total: stats(time / 100) } }
        : { _all: { primaries: {}, total: {} } };
      response.end(JSON.stringify(url.startsWith('/_nodes/') ? { nodes: { one: node } } : own));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it('tells of a shared node what was done in the arm’s own indices, and nothing of indices that it cannot tell apart', async () => {
    const { server, url } = await fakeNode();
    const context = testContext({ opensearch: { url, pid: null } });
    const probe = present(await openSearchProbe.open(context));
    const arms = [testArm({ indexPrefix: 'a-' }), testArm({ indexPrefix: 'b-' }), testArm()];
    const marks = [];
    for (const arm of arms) marks.push(await probe.begin(arm));
    const [a, b, unknown] = await Promise.all(marks.map((mark) => mark.end({ ...wholeLoad(), requests: 20 })));
    server.close();
    context.remove();
    expect(a?.values.opensearch_index_ops).toBeGreaterThan(0);
    expect(a?.values.opensearch_index_ops_per_request).toBeCloseTo((a?.values.opensearch_index_ops ?? 0) / 20, 3);
    expect(b?.values.opensearch_index_ops).toBe(0);
    expect(b?.values.opensearch_query_ops_per_request).toBe(0);
    expect(Object.keys(unknown?.values ?? {}).sort()).toEqual([
      'opensearch_cpu_percent',
      'opensearch_gc_ops',
      'opensearch_gc_time_ms',
      'opensearch_heap_used_bytes',
    ]);
    expect(context.warnings).toEqual([]);
  });

  it('asks the node once for all arms, each of which has then the CPU of all', async () => {
    let asked = 0;
    // As OpenSearch does it: whoever asks while it reads gets what it read before.
    const node = (cpuMs: number) => ({
      indices: {
        indexing: { index_total: 0, index_time_in_millis: 0, index_failed: 0, delete_total: 0 },
        search: { query_total: 0, query_time_in_millis: 0 },
        ...Object.fromEntries(
          ['refresh', 'flush', 'merges'].map((name) => [name, { total: 0, total_time_in_millis: 0 }]),
        ),
      },
      process: { timestamp: 2 * cpuMs, cpu: { total_in_millis: cpuMs } },
      jvm: { mem: { heap_used_in_bytes: 5 }, gc: { collectors: {} } },
    });
    const server = createServer(({ url = '' }, response) => {
      if (!url.startsWith('/_nodes/')) return void response.end('{"_all":{"primaries":{},"total":{}}}');
      const fresh = 1000 * ++asked;
      setTimeout(() => response.end(JSON.stringify({ nodes: { one: node(fresh) } })), 20);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const context = testContext({
      opensearch: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, pid: null },
    });
    const probe = present(await openSearchProbe.open(context));
    const arms = ['a-', 'b-', 'c-'].map((indexPrefix) => testArm({ indexPrefix }));
    const marks = await Promise.all(arms.map((arm) => probe.begin(arm)));
    const ended = await Promise.all(marks.map((mark) => mark.end(wholeLoad())));
    server.close();
    context.remove();
    expect(asked).toBe(2);
    expect(ended.map((one) => one?.values.opensearch_cpu_percent)).toEqual([50, 50, 50]);
  });
});

describe('the difference of two readings', () => {
  const reading = (at: number, more: Partial<OpenSearchCounts> = {}): OpenSearchCounts => ({
    at_ms: at,
    opensearch_index_ops: 10 * at,
    opensearch_index_time_ms: 20 * at,
    opensearch_index_failures: 0,
    opensearch_delete_ops: 0,
    opensearch_query_ops: 0,
    opensearch_query_time_ms: 0,
    opensearch_refresh_ops: 0,
    opensearch_refresh_time_ms: 0,
    opensearch_flush_ops: 0,
    opensearch_merge_ops: 0,
    opensearch_merge_time_ms: 0,
    opensearch_cpu_percent: 1.5 * at,
    opensearch_gc_ops: 0,
    opensearch_gc_time_ms: 0,
    opensearch_heap_used_bytes: 5 * at,
    opensearch_index_ops_per_request: 0,
    opensearch_query_ops_per_request: 0,
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

  it('is empty where the node is another, and without CPU where the node has read that once for both', () => {
    expect(openSearchBetween(reading(100), reading(300, { opensearch_cpu_percent: 5 }))).toEqual({});
    const cached = openSearchBetween(reading(100), reading(100, { opensearch_index_ops: 1200 }));
    expect(cached.opensearch_index_ops).toBe(200);
    expect(cached).not.toHaveProperty('opensearch_cpu_percent');
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
