import { expect, test } from 'vitest';
import { createLatencyHistogram } from '../../../src/journal/histogram.ts';
import { createPartsTally, type LatencyParts } from '../../../src/measure/load/latency-parts.ts';

function partsOf(answers: readonly (readonly [latencyUs: number, parts: LatencyParts])[]) {
  const latency = createLatencyHistogram();
  const tally = createPartsTally(latency);
  for (const [latencyUs, parts] of answers) {
    tally.record(latencyUs, parts);
    latency.record(latencyUs);
  }
  return { ...tally.result(answers.length), latency: latency.toRecord() };
}

test('over connections that stay open, with answers in one piece, nothing is kept but that it is so', () => {
  const { parts } = partsOf([
    [1000, { connectMs: 0, waitingMs: 1 }],
    [3000, { connectMs: 0, waitingMs: 3 }],
  ]);
  expect(parts).toEqual({});
});

test('parts that begin to differ have what was counted before, too', () => {
  const { parts, latency } = partsOf([
    [1000, { connectMs: 0, waitingMs: 1 }],
    [3000, { connectMs: 0, waitingMs: 2 }],
    [8000, { connectMs: 2, waitingMs: 6 }],
    [4000, { connectMs: 0, waitingMs: 4 }],
  ]);
  expect(parts).toMatchObject({
    connect: { count: 4, meanUs: 500, p50Us: 0, maxUs: 2000 },
    processing: { count: 4, meanUs: 3500, maxUs: 6000 },
    waiting: { count: 4, meanUs: 3250, maxUs: 6000 },
  });
  expect((parts?.connect?.meanUs ?? 0) + (parts?.processing?.meanUs ?? 0)).toBe(latency.meanUs);
});

test('without the parts of all latencies there are none', () => {
  const tally = createPartsTally(createLatencyHistogram());
  expect(tally.result(0)).toEqual({});
  tally.record(1000, { connectMs: 0, waitingMs: 1 });
  expect(tally.result(2)).toEqual({});
  expect(tally.result(1)).toEqual({ parts: {} });
});
