import { expect, it } from 'vitest';
import { counterWaits } from '../../src/plan/counter-waits.ts';
import { testScenario } from '../fixtures/scenario.ts';

function waits(load: { sliceMs?: number; warmupMs?: number; variants?: number; levels?: number }) {
  const scenario = testScenario();
  const { sliceMs = 4000, warmupMs = 3000, variants = 4, levels = 3 } = load;
  return counterWaits({
    ...scenario,
    variants: scenario.variants.slice(0, variants),
    load: { ...scenario.load, sliceMs, warmupMs, levels: scenario.load.levels.slice(0, levels) },
  });
}

it('five arms with slices of 4 s need no wait', () => {
  expect(waits({})).toEqual({ waitMs: 0, worthwhile: true });
});

it('three arms with slices of 5 s wait for little', () => {
  const { waitMs, worthwhile } = waits({ variants: 2, sliceMs: 5000 });
  expect(worthwhile).toBe(true);
  expect(waitMs).toBeLessThan(6000);
});

it('short slices of few arms would wait for longer than they measure', () => {
  const { waitMs, worthwhile } = waits({ variants: 2, sliceMs: 500, warmupMs: 300 });
  expect(worthwhile).toBe(false);
  expect(waitMs).toBeGreaterThan(20_000);
});

it('a quick run of the default scenario still has its counters', () => {
  expect(waits({ sliceMs: 2000, warmupMs: 1500 }).worthwhile).toBe(true);
});
