import { expect, it } from 'vitest';
import { createOpenSearchReader, openSearchBetween } from '../../../src/measure/probe/opensearch.ts';
import { askNode, withOpenSearch } from '../../measure/stack/opensearch.ts';
import { needs } from '../../support/needs.ts';

const openSearch = await needs('opensearch');

const search = withOpenSearch(openSearch);

it(
  'the counters of a node count what was done between two readings, also in an index that is gone',
  openSearch.orSkip,
  async () => {
    const { url } = search.node;
    const reader = createOpenSearchReader(url);
    await askNode(url, 'PUT', '/probed', { settings: { number_of_replicas: 0 } });
    const before = await reader.read();
    for (let id = 0; id < 7; id++) await askNode(url, 'PUT', `/probed/_doc/${id}?refresh=true`, { id });
    await askNode(url, 'DELETE', '/probed/_doc/3?refresh=true');
    for (let i = 0; i < 5; i++) await askNode(url, 'GET', '/probed/_search');
    let metrics = openSearchBetween(before, await reader.read());
    // The node keeps its reading of CPU time for a second: on a fast machine both would have the same one.
    const readCpu = async () => {
      metrics = openSearchBetween(before, await reader.read());
      return metrics.opensearch_cpu_percent ?? Number.NaN;
    };
    // It tells that time in steps that a short test may fall between.
    await expect.poll(readCpu).toBeGreaterThanOrEqual(0);
    expect(metrics).toMatchObject({
      opensearch_index_ops: 7,
      opensearch_delete_ops: 1,
      opensearch_query_ops: 5,
      opensearch_index_failures: 0,
    });
    expect(metrics.opensearch_refresh_ops).toBeGreaterThanOrEqual(8);
    expect(metrics.opensearch_heap_used_bytes).toBeGreaterThan(2 ** 20);
    for (const [name, value] of Object.entries(metrics)) {
      expect(name).toMatch(/^opensearch_.*_(ops|failures|ms|percent|bytes)$/);
      expect(value, name).toBeGreaterThanOrEqual(0);
    }

    await askNode(url, 'DELETE', '/probed');
    const later = openSearchBetween(before, await reader.read());
    expect(later).toMatchObject({ opensearch_index_ops: 7, opensearch_query_ops: 5 });
  },
);
