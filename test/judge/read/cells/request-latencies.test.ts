import { expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { createLatencyHistogram } from '../../../../src/journal/histogram.ts';
import { LatencyCounts } from '../../../../src/judge/read/cells/latency-counts.ts';
import { RequestLatencies } from '../../../../src/judge/read/cells/request-counts.ts';

const random = createRandom(1);
/** Latencies of a slice: some milliseconds, with a tail. */
function slice() {
  const histogram = createLatencyHistogram();
  for (let i = 0; i < 3000; i++) histogram.record(1000 * (1 + 20 * -Math.log(1 - random.next())));
  const outcomes = { statuses: { 200: 3000 }, errors: 0, timeouts: 0 };
  return { byRequest: { list: { outcomes, latency: histogram.toRecord() } } };
}

it('the percentiles of a request over several slices are those of its merged histograms', () => {
  const slices = [slice(), slice(), slice()];
  const latencies = new RequestLatencies();
  const merged = new LatencyCounts();
  for (const one of slices) {
    latencies.add(one);
    merged.addRecord(one.byRequest.list.latency);
  }
  const percents = [1, 50, 95, 99, 99.9];
  expect(latencies.percentilesUs('list', percents)).toEqual(merged.percentilesUs(percents));
  expect(latencies.percentilesUs('other', percents)).toBeNull();
});
