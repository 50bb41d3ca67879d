import { describe, expect, it } from 'vitest';
import type { LoadSpec } from '../../../src/journal/scenario-record.ts';
import { expectedSliceMs, takesWholeSlices, wholeSliceMs } from '../../../src/measure/plan/whole-slices.ts';
import { testScenario } from '../../fixtures/scenario.ts';

const load: LoadSpec = { ...testScenario().load, sliceMs: 4000, autoSlice: true };
const bounded = { count: 900, limitMs: 60_000 };

describe('whole slices', () => {
  it('are those of rates, of users, and of so many requests and no more', () => {
    expect(takesWholeSlices(load, { connections: 25 })).toBe(false);
    expect(takesWholeSlices(load, { rate: 200 })).toBe(true);
    expect(takesWholeSlices(load, { users: 8 })).toBe(true);
    expect(takesWholeSlices({ ...load, bounded }, { connections: 25 })).toBe(true);
  });

  it.each([
    ['as long as the first round has them, where p95 needs no more', 1000, 4000],
    ['so long that p95 has its requests', 200, 5500],
    ['no longer than any other', 5, 15_000],
  ])('at a rate are %s', (_, rate, ms) => {
    expect(wholeSliceMs(load, { rate })).toBe(ms);
  });

  it('are as long as the scenario says', () => {
    const { autoSlice: _, ...named } = load;
    expect(wholeSliceMs({ ...named, sliceMs: 7000 }, { rate: 5 })).toBe(7000);
  });

  it('of so many requests take as long as they may, and are expected to take less', () => {
    expect(wholeSliceMs({ ...load, bounded }, { connections: 25 })).toBe(60_000);
    expect(expectedSliceMs({ ...load, bounded }, { connections: 25 })).toBe(9000);
    expect(expectedSliceMs({ ...load, bounded: { count: 1e6, limitMs: 60_000 } }, { connections: 25 })).toBe(60_000);
  });
});
