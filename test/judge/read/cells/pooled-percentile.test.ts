import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { createLatencyHistogram } from '../../../../src/journal/histogram.ts';
import { answersFor } from '../../../../src/journal/run/percentiles.ts';
import { LatencyCounts } from '../../../../src/judge/read/cells/latency-counts.ts';
import {
  type Binned,
  percentileByRound,
  quantilePlace,
  RoundLatencies,
} from '../../../../src/judge/read/cells/round-latencies.ts';
import { mean } from '../../../../src/judge/stats/moments.ts';
import { shapes, simulateTails, type TailsPlan } from '../../../bench/tails-session.ts';

/** Bins of equal width in the logarithm, from 1 on. */
function binned(counts: readonly number[]): Binned {
  return {
    counts: Float64Array.from(counts),
    first: 0,
    end: counts.length,
    total: counts.reduce((sum, count) => sum + count, 0),
    logEdges: Float64Array.from({ length: counts.length + 1 }, (_, bin) => bin / 10),
  };
}

function counted(latenciesUs: readonly number[]): LatencyCounts {
  const histogram = createLatencyHistogram();
  for (const us of latenciesUs) histogram.record(us);
  const counts = new LatencyCounts();
  counts.addRecord(histogram.toRecord());
  return counts;
}

describe('a percentile of all rounds together', () => {
  test('lies in its bin as far as its rank does', () => {
    const all = binned([10, 0, 80, 10]);
    expect(quantilePlace(all, 0.5)).toEqual({ bin: 2, within: 0.5, log: expect.closeTo(0.25, 12) });
    expect(quantilePlace(all, 0.9)?.log).toBeCloseTo(0.3, 12);
    expect(quantilePlace(binned([0, 0]), 0.5)).toBeNull();
  });

  test('is the mean of what rounds add to it, a round with more above it being higher', () => {
    const all = binned([100, 100, 100, 100]);
    const at = quantilePlace(all, 0.75) ?? { bin: 0, within: 0, log: 0 };
    // Ranks rise evenly, by 0.4 in all; two rounds have more and fewer values above, most so in the middle.
    const logs = percentileByRound(
      all,
      0.75,
      ({ bin, within }) => {
        const share = 1 - (bin + within) / 4;
        return [1, -1, 0, 0].map((off) => ({ count: 100, above: 100 * share + (80 / 3) * off * share * (1 - share) }));
      },
      at,
    );
    expect(mean(logs)).toBeCloseTo(0.3, 12);
    const [up = 0, down, ...others] = logs.map((log) => log - 0.3);
    // 5 of 100 more above it are 0.05 of the ranks, so 0.02 up; a little more, since the share scatters more below it.
    expect(up).toBeGreaterThanOrEqual(0.02);
    expect(up).toBeLessThan(0.025);
    expect(down).toBeCloseTo(-up, 12);
    expect(others).toEqual([expect.closeTo(0, 12), expect.closeTo(0, 12)]);
  });

  test('beside a gap between two kinds of values is as unsure as the gap is wide', () => {
    const [low, high] = [980, 20];
    const counts = new Array<number>(30).fill(0);
    [counts[0], counts[20]] = [low, high];
    const all = binned(counts);
    const at = quantilePlace(all, 0.979) ?? { bin: 0, within: 0, log: 0 };
    const rounds = [7, 3, 6, 5].map((above) => ({ count: 250, above }));
    const logs = percentileByRound(all, 0.979, () => rounds, at);
    expect(Math.max(...logs) - Math.min(...logs)).toBeGreaterThan(1);
  });

  test('of histograms is that of all their latencies, of rounds of any size', () => {
    const random = createRandom(5);
    const draw = (count: number): number[] =>
      Array.from({ length: count }, () => 1000 - 20_000 * Math.log(1 - random.next()));
    const rounds = [4000, 1000, 2500, 300].map(draw);
    const latencies = new RoundLatencies();
    rounds.forEach((round, i) => {
      latencies.set(i + 1, counted(round));
    });
    const sorted = rounds.flat().sort((a, b) => a - b);
    for (const percent of [50, 95, 99] as const) {
      const { logByRound, tooFew } = latencies.percentile(percent);
      expect(tooFew).toBeNull();
      expect([...logByRound.keys()]).toEqual([1, 2, 3, 4]);
      const exact = (sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0) / 1000;
      expect(Math.exp(mean([...logByRound.values()])) / exact).toBeCloseTo(1, 2);
    }
    expect(latencies.percentile(99.9).tooFew).toEqual({ samples: 7800, needed: 10_000 });
  });

  test('knows latencies from a microsecond to ten minutes', () => {
    for (const us of [1, 3, 200, 255, 256, 257, 70_000, 599_000_000]) {
      const latencies = new RoundLatencies();
      latencies.set(1, counted(new Array<number>(40).fill(us)));
      const [log = 0] = latencies.percentile(50).logByRound.values();
      // A whole microsecond stands for half of one to either side.
      expect(Math.abs((1000 * Math.exp(log)) / us - 1)).toBeLessThan(0.005 + 0.15 / us);
    }
  });

  test('needs ten answers beyond it', () => {
    expect([50, 95, 99, 99.9, 5].map(answersFor)).toEqual([20, 200, 1000, 10_000, 200]);
  });
});

/** Quick, with fixed seeds; `npm run bench -- tails` plays more of them. */
describe('simulated sessions of tails', () => {
  const few: Omit<TailsPlan, 'shape' | 'rounds' | 'answers'> = {
    percent: 95,
    variants: 1,
    startSd: 0.05,
    tailSd: 0.3,
    effect: 0.2,
  };

  test.each(shapes.flatMap(({ name }) => [4, 12].map((rounds) => [name, rounds] as const)))(
    '%s, %d rounds, as few answers as may be: intervals hold the truth',
    (name, rounds) => {
      const shape = shapes.find((one) => one.name === name) ?? shapes[0];
      const plan = { ...few, shape, rounds, answers: Math.ceil(answersFor(95) / rounds) };
      const held = Array.from({ length: 60 }, (_, seed) => simulateTails(plan, seed).held).filter(Boolean).length;
      // 93 % or more, less two standard errors of 3.3 %.
      expect(held).toBeGreaterThanOrEqual(52);
    },
  );

  test.each(shapes.map(({ name }) => name))(
    '%s: a family is as rarely wrong as is promised, all looks together',
    (name) => {
      const shape = shapes.find((one) => one.name === name) ?? shapes[0];
      const plan = { ...few, effect: 0, variants: 4, shape, rounds: 8, answers: 50 };
      const wrong = Array.from({ length: 60 }, (_, seed) => simulateTails(plan, seed).alarm).filter(Boolean).length;
      // 5 % of 60 are 3, and two standard errors 3.4.
      expect(wrong).toBeLessThanOrEqual(6);
    },
  );

  test.each([1, 2])('stalls that hold %d times the answers above the percentile are noise, however rare', (times) => {
    const [shape] = shapes;
    const stalls = { share: 0.15, answers: 20 * times };
    const plan = { ...few, percent: 99, effect: 0, variants: 3, shape, rounds: 6, answers: 330, stalls } as const;
    const wrong = Array.from({ length: 60 }, (_, seed) => simulateTails(plan, seed).alarm).filter(Boolean).length;
    expect(wrong).toBeLessThanOrEqual(6);
  });

  test('a tail that is 20 % longer is found', () => {
    const [, , shape = shapes[0]] = shapes;
    const plan = { ...few, percent: 99, tailSd: 0.1, shape, rounds: 8, answers: 1000 } as const;
    const found = Array.from({ length: 20 }, (_, seed) => simulateTails(plan, seed).alarm).filter(Boolean).length;
    expect(found).toBeGreaterThanOrEqual(18);
  });
});
