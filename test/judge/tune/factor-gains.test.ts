import { describe, expect, it } from 'vitest';
import type { TuneSpec } from '../../../src/journal/tune/tune-spec.ts';
import { variantAt } from '../../../src/journal/tune/variant-at.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { factorGains } from '../../../src/judge/tune/factor-gains.ts';
import { fixtureJournal } from '../journal-fixture.ts';

const tune: TuneSpec = {
  factors: [
    { name: 'pool', env: 'POOL_MAX', values: [10, 25] },
    { name: 'memory', setting: 'work_mem', values: ['4MB', '16MB'] },
  ],
};
const points = [
  [0, 0],
  [1, 1],
  [0, 1],
  [1, 0],
];

/** The pool gives 20 %, memory 5 %. */
const gains = (some: readonly (readonly number[])[], taken: string | null, judged = some.length) => {
  const variants = some.map((point) => variantAt(tune, point));
  const names = variants.map(({ name }) => name);
  const { run, ...rest } = fixtureJournal({
    ...{ variants: names, control: names[0] ?? '', connections: [25], rounds: 10, noise: 0.005 },
    effect: ({ variant }) =>
      (variant.includes('pool=25') ? Math.log(1.2) : 0) + (variant.includes('16MB') ? Math.log(1.05) : 0),
  });
  const scenario = { ...run.scenario, variants: variants.slice(0, judged), tune };
  const data = aggregateRun({ ...rest, run: { ...run, scenario } });
  return factorGains(data, taken, [{ type: 'proposed', round: 0, stage: 'confirm', variants }]);
};

describe('what each factor gives', () => {
  it('is measured by leaving it out of the setting to take, the largest first', () => {
    const found = gains(points, 'pool=25, memory=16MB');
    expect(found.map(({ factor }) => factor)).toEqual(['pool', 'memory']);
    expect(found[0]?.deltaPercent).toBeCloseTo(20, -0.5);
    expect(found[1]?.deltaPercent).toBeCloseTo(5, -0.5);
    for (const { deltaPercent, interval } of found) {
      expect(interval[0]).toBeLessThan(deltaPercent);
      expect(interval[1]).toBeGreaterThan(deltaPercent);
    }
  });

  it('is known of variants that are not judged, too', () => {
    expect(gains(points, 'pool=25, memory=16MB', 2).map(({ factor }) => factor)).toEqual(['pool', 'memory']);
  });

  it('is not known where one factor was changed, or nothing is taken', () => {
    expect(gains(points, 'pool=25, memory=4MB')).toEqual([]);
    expect(gains(points, 'pool=10, memory=4MB')).toEqual([]);
    expect(gains(points, null)).toEqual([]);
    expect(gains(points.slice(0, 2), 'pool=25, memory=16MB')).toEqual([]);
  });
});
