import { expect, it } from 'vitest';
import { armsTimeMs, combinedCosts } from '../../../src/measure/plan/arm-costs.ts';

const waits = { startMs: 4000, cpuMs: 200, stopMs: 100, cores: 2 };
const computes = { startMs: 4000, cpuMs: 4000, stopMs: 100, cores: 2 };

it('arms that wait while they start are ready together, and those that compute share the processors', () => {
  expect(armsTimeMs(5, waits)).toBe(4100);
  expect(armsTimeMs(5, computes)).toBe(10_100);
  expect(armsTimeMs(1, computes)).toBe(4100);
  // What is not seen may be all of it.
  expect(armsTimeMs(5, { ...waits, cpuMs: null })).toBe(10_100);
  expect(armsTimeMs(0, waits)).toBe(0);
});

it('where services differ, the slowest is waited for, and all of them compute', () => {
  expect(combinedCosts([waits, { ...computes, startMs: 6000 }])).toEqual({ ...waits, startMs: 6000, cpuMs: 2100 });
  expect(combinedCosts([waits, { ...computes, cpuMs: null }])?.cpuMs).toBeNull();
  expect(combinedCosts([])).toBeNull();
});
