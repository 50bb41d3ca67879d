import { formatShare } from '../../../base/units.ts';
import { short } from '../../format.ts';
import { postgresAliases, probeValue } from '../../read/metrics/metric-aliases.ts';
import { innerMetric, readingOf } from '../../read/metrics/metrics.ts';
import type { CrossCheck } from '../cross-check.ts';
import type { DiagnosedCell } from '../diagnosed-cell.ts';

/**
 * The factor by which reads must grow, a second and a request. What is read only once is more per request in a slow
 * arm; what every request reads is more per second in a fast arm. Two healthy arms on a busy machine differed by 2.1 in
 * one of them.
 */
const LEAST_RATIO = 2;
/** Less than a block a request is what the first touch of a table costs: 0.2 to 0.7 for the sample service. */
const LEAST_READS = 1;
/** Where the control is no better: a server that gets a fifth of its blocks from elsewhere has too little cache. */
const MOST_HEALTHY_SHARE = 0.2;
const LEAST_READS_ALONE = 2;
/** 4 MB a second: what is read for the first time in a slice is less, and over soon. */
const LEAST_READS_PER_S = 500;

/** Not per request: what is read only once is the same in a fast arm and in a slow one. */
const reads = innerMetric('blocks_read', ({ database, probe }) =>
  // A second, or a slice: all slices are as long.
  readingOf(
    database === null ? probe(postgresAliases.blocksRead[0]) : (1000 * database.delta.blks_read) / database.loadMs,
  ),
);

/** More blocks read from outside of Postgres's cache than the control, or many of all. */
export const cacheMisses: CrossCheck = {
  name: 'cache-misses',
  symptomIn(cell) {
    const perRequest = readsPerRequest(cell);
    if (perRequest === null || perRequest < LEAST_READS) return null;
    const share = probeValue(cell.values, 'blockReadShare') ?? 0;
    const inCache = share > 0 ? ` (${formatShare(1 - share)} of blocks were in the cache)` : '';
    const text = `${short(perRequest)} blocks read a request${inCache}`;
    const next =
      'See which statement reads them (the table of statements), and whether shared_buffers holds its tables and indexes.';
    const change = cell.change(reads);
    const before = cell.control === null ? null : readsPerRequest(cell.control);
    const isMore = change !== null && before !== null && change.value >= LEAST_RATIO * change.control;
    if (isMore && change.isClear !== false && perRequest >= LEAST_RATIO * before) {
      return { text: `${text}, control ${short(before)}`, next, weight: 55 };
    }
    const perS = (1000 * perRequest * cell.sample.ok) / cell.sample.windowMs;
    if (share < MOST_HEALTHY_SHARE || perRequest < LEAST_READS_ALONE || perS < LEAST_READS_PER_S) return null;
    return { text, next, weight: 45 };
  },
};

/** By complete counters, or else by what statements were seen to read; null where neither is known. */
function readsPerRequest({ sample, detail, values }: DiagnosedCell): number | null {
  const { database } = sample;
  if (database !== null && database.answered > 0) return database.delta.blks_read / database.answered;
  const aSlice = probeValue(values, 'blocksRead');
  return aSlice === null || detail.answered === 0 ? null : (aSlice * detail.slices) / detail.answered;
}
