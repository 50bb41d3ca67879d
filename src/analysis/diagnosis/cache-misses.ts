import { probeMetric } from '../compare-probes.ts';
import type { Check } from './finding.ts';
import { exact, percent } from './words.ts';

/** Of all blocks asked for. Below it reads are what a checkpoint or a fresh copy leaves to be read. */
const LEAST_READ_SHARE = 0.01;
/** As clear as that without an interval: the same reading differs by a third from round to round. */
const LEAST_RATIO = 2;
/** A server that gets a tenth of its blocks from elsewhere has too little cache for what is asked. */
const MOST_HEALTHY_SHARE = 0.1;

const readShare = probeMetric('block_read_share');

/** More blocks read from outside of Postgres's cache than the control, or many of all. */
export const cacheMisses: Check = (cell) => {
  const share = cell.values[readShare.name];
  if (share === undefined || share < LEAST_READ_SHARE) return null;
  const change = cell.change(readShare);
  const { database } = cell.sample;
  const blocks =
    database === null || database.answered === 0
      ? ''
      : ` (${exact(database.delta.blks_read / database.answered)} blocks read a request)`;
  const hits = `${percent(1 - share)} of blocks were in the cache${blocks}`;
  const next =
    'See which statement reads them (the table of statements), and whether shared_buffers holds its tables and indexes.';
  if (change !== null && change.isClear !== false && share >= LEAST_RATIO * change.control) {
    const text = `${hits}, in the control ${percent(1 - change.control)}`;
    return { name: 'cache-misses', text, next, weight: 55 };
  }
  if (share < MOST_HEALTHY_SHARE) return null;
  return { name: 'cache-misses', text: hits, next, weight: 45 };
};
