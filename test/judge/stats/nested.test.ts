import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { tInterval } from '../../../src/judge/stats/interval.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import { nestedNoise, valuesPerStart } from '../../../src/judge/stats/variance.ts';

/** A standard normal value (Box and Muller 1958). */
function normalOf(random: { next(): number }): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

interface Model {
  readonly between: number;
  readonly within: number;
  readonly starts: number;
  readonly blocks: number;
}

function simulate({ between, within, starts, blocks }: Model, seed: number): number[][] {
  const random = createRandom(seed);
  return Array.from({ length: starts }, () => {
    const own = between * normalOf(random);
    return Array.from({ length: blocks }, () => own + within * normalOf(random));
  });
}

describe('noise that is nested in starts', () => {
  it('is what a textbook has', () => {
    // One-way random effects by hand: means 2, 4 and 9; mean squares 52 between and 1 within.
    const noise = nestedNoise([
      [1, 3, 2, 2],
      [3, 5, 4, 4],
      [8, 10, 9, 9],
    ]);
    expect(noise?.within).toBeCloseTo(6 / 9);
    expect(noise?.between).toBeCloseTo((52 - 6 / 9) / 4);
  });

  it('has no component between starts where they differ less than their values do', () => {
    expect(
      nestedNoise([
        [1, -1],
        [1, -1],
        [-1, 1],
      ]),
    ).toMatchObject({ between: 0, within: 2 });
  });

  it('is not known of one start, or of single values', () => {
    expect(nestedNoise([[1, 2, 3]])).toBeNull();
    expect(nestedNoise([[1], [2], [3]])).toBeNull();
    expect(nestedNoise([])).toBeNull();
  });

  it('is found in simulated data: both components on average', () => {
    const model = { between: 2, within: 3, starts: 6, blocks: 5 };
    const found = Array.from({ length: 600 }, (_, seed) => nestedNoise(simulate(model, seed)));
    expect(mean(found.map((one) => one?.within ?? 0))).toBeCloseTo(9, 0);
    const between = mean(found.map((one) => one?.between ?? 0));
    expect(between).toBeGreaterThan(3.6);
    expect(between).toBeLessThan(4.6);
  });

  it.each([0, 0.5, 1, 3])(
    'is in the interval of the means of starts, whatever starts have of their own (%d of a block)',
    (between) => {
      const sessions = 1500;
      let [ofStarts, ofBlocks] = [0, 0];
      for (let seed = 0; seed < sessions; seed++) {
        const starts = simulate({ between, within: 1, starts: 5, blocks: 6 }, seed);
        const holds = (values: readonly number[]): boolean => {
          const range = tInterval(values, 0.05);
          return range !== null && range.low <= 0 && 0 <= range.high;
        };
        if (holds(starts.map(mean))) ofStarts++;
        if (holds(starts.flat())) ofBlocks++;
      }
      expect(ofStarts / sessions).toBeGreaterThan(0.93);
      expect(ofStarts / sessions).toBeLessThan(0.97);
      // Blocks that are taken for starts promise too much as soon as starts differ.
      if (between >= 1) expect(ofBlocks / sessions).toBeLessThan(0.8);
    },
  );
});

describe('how many blocks a start deserves', () => {
  it('is the number that makes the mean of a given time closest', () => {
    const [startMs, valueMs, within, between] = [12_000, 1500, 4, 1];
    const varianceIn = (blocks: number): number => {
      const starts = 1e6 / (startMs + blocks * valueMs);
      return (between + within / blocks) / starts;
    };
    const best = valuesPerStart({ within, between }, { startMs, valueMs });
    for (const blocks of [best - 1, best - 0.1, best + 0.1, best + 1])
      expect(varianceIn(blocks)).toBeGreaterThan(varianceIn(best));
  });

  it('has no end where starts do not differ, and is one at least', () => {
    expect(valuesPerStart({ within: 1, between: 0 }, { startMs: 1, valueMs: 1 })).toBe(Number.POSITIVE_INFINITY);
    expect(valuesPerStart({ within: 1, between: 100 }, { startMs: 1, valueMs: 1 })).toBe(1);
  });
});
