import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { createLead } from '../../../../src/measure/link/distance/lead.ts';

describe('how early a sleeping thread is woken', () => {
  it('is the median of how late it was, within a quarter of a millisecond', () => {
    const random = createRandom('lead');
    const lead = createLead();
    const lateBy = (count: number, lateMs: () => number): number => {
      for (let wake = 0; wake < count; wake++) lead.add(lateMs());
      return lead.ms();
    };
    const usual = lateBy(500, () => (random.next() < 0.2 ? 3 : 0.05 + 0.02 * random.next()));
    expect(usual).toBeGreaterThan(0.05);
    expect(usual).toBeLessThan(0.08);
    expect(lateBy(500, () => 0.01 * random.next())).toBeLessThan(0.02);
    expect(lateBy(500, () => 7)).toBe(0.25);
  });
});
