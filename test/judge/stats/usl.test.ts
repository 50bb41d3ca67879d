import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../../src/base/random.ts';
import { fitUsl, throughputAt, type UslLevel } from '../../../src/judge/stats/usl.ts';

const clients = [1, 5, 10, 25, 50, 100];

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

interface Planted {
  readonly sigma: number;
  readonly kappa: number;
  readonly rounds?: number;
  /** Of ln X: of a whole round, and of one level in a round. */
  readonly noise?: readonly [between: number, within: number];
  readonly seed?: number;
}

function planted({ sigma, kappa, rounds = 8, noise = [0, 0], seed = 1 }: Planted, at = clients): UslLevel[] {
  const random = createRandom(seed);
  const starts = Array.from({ length: rounds }, () => noise[0] * normal(random));
  return at.map((n) => ({
    clients: n,
    byRound: starts.map((start) => {
      const exact = throughputAt({ lambda: 120, sigma, kappa }, n);
      return exact * Math.exp(start + noise[1] * normal(random));
    }),
  }));
}

/** Means without noise between rounds: what is fitted is the same in each. */
const given = (at: readonly number[], means: readonly number[]): UslLevel[] =>
  at.map((n, i) => ({ clients: n, byRound: new Array<number>(4).fill(means[i] ?? Number.NaN) }));

function fitted(levels: readonly UslLevel[]) {
  const fit = fitUsl(levels);
  if (fit.kind === 'refused') throw new Error(fit.reason);
  return fit;
}

function reason(levels: readonly UslLevel[]): string {
  const fit = fitUsl(levels);
  return fit.kind === 'refused' ? fit.reason : `peak at ${fit.peak}`;
}

describe('a fit of the Universal Scalability Law', () => {
  it('finds the curve that was planted', () => {
    const fit = fitted(planted({ sigma: 0.05, kappa: 0.0008 }));
    expect(fit.parameters.lambda).toBeCloseTo(120, 6);
    expect(fit.parameters.sigma).toBeCloseTo(0.05, 8);
    expect(fit.parameters.kappa).toBeCloseTo(0.0008, 10);
    expect(fit.peak).toBeCloseTo(Math.sqrt(0.95 / 0.0008), 6);
    expect(fit.interval[0]).toBeCloseTo(fit.peak, 4);
    expect(fit.interval[1]).toBeCloseTo(fit.peak, 4);
  });

  /**
   * SciPy 1.17.1: N = np.array([...]); X = np.array([...]);
   * least_squares(lambda p: np.log(X) - np.log(p[0]*N / (1 + p[1]*(N-1) + p[2]*N*(N-1))), [900, .01, 1e-4],
   *   x_scale=[1000, .01, 1e-4], xtol=1e-15, ftol=1e-15, gtol=1e-15).x; np.sqrt((1 - p[1]) / p[2])
   */
  it.each([
    {
      at: [1, 2, 4, 8, 16, 32, 64],
      means: [955.2, 1875, 3548, 6110, 8632, 8702, 6217],
      expected: [960.1696555447, 0.02191261982, 0.001863658566176, 22.9089747096],
    },
    {
      at: clients,
      means: [120, 540, 930, 1420, 1390, 1010],
      expected: [120.4584450794, 0.02502308012847, 0.000856009806155, 33.7487582131],
    },
  ])('agrees with SciPy: $means', ({ at, means, expected }) => {
    const { parameters, peak } = fitted(given(at, means));
    [parameters.lambda, parameters.sigma, parameters.kappa, peak].forEach((value, i) => {
      expect(value / (expected[i] ?? Number.NaN)).toBeCloseTo(1, 6);
    });
  });

  it('does not care for noise that a whole round shares: that is in lambda alone', () => {
    const fit = fitted(planted({ sigma: 0.05, kappa: 0.0008, noise: [0.1, 0] }));
    expect(fit.interval[1] / fit.interval[0]).toBeLessThan(1.0001);
  });

  it.each([
    { rounds: 4, within: 0.02 },
    { rounds: 6, within: 0.05 },
    { rounds: 12, within: 0.05 },
  ])(
    'has an interval that covers the true peak 95 times of 100: $rounds rounds, noise $within',
    ({ rounds, within }) => {
      const truth = Math.sqrt(0.95 / 0.0008);
      let covered = 0;
      let refused = 0;
      const sessions = 1000;
      for (let seed = 1; seed <= sessions; seed++) {
        const fit = fitUsl(planted({ sigma: 0.05, kappa: 0.0008, rounds, noise: [0.05, within], seed }));
        if (fit.kind === 'refused') refused++;
        else if (fit.interval[0] <= truth && truth <= fit.interval[1]) covered++;
      }
      expect(refused).toBeLessThan(10);
      expect(covered / (sessions - refused)).toBeGreaterThan(0.93);
      expect(covered / (sessions - refused)).toBeLessThan(0.97);
    },
  );
});

describe('it is refused, with the reason,', () => {
  it('with fewer than six load levels or four whole rounds', () => {
    expect(reason(planted({ sigma: 0.05, kappa: 0.0008 }, [1, 5, 10, 25, 50]))).toBe('5 load levels; it takes 6');
    expect(reason(planted({ sigma: 0.05, kappa: 0.0008 }, [1, 5, 10, 25, 50, 50]))).toBe('5 load levels; it takes 6');
    const gaps = planted({ sigma: 0.05, kappa: 0.0008, rounds: 5 }).map((level, i) => ({
      ...level,
      byRound: level.byRound.map((value, round) => (round === i ? null : value)),
    }));
    expect(reason(gaps)).toMatch(/^0 rounds with a throughput at every load level; it takes 4$/);
  });

  it('where throughput levels off but never falls', () => {
    let peaks = 0;
    for (let seed = 1; seed <= 400; seed++) {
      const found = reason(planted({ sigma: 0.2, kappa: 0, noise: [0.05, 0.03], seed }));
      if (!/^no peak can be found|lies far beyond/.test(found)) peaks++;
    }
    // By chance kappa's 95 % interval lies above 0 in 10 of 400.
    expect(peaks).toBeLessThan(20);
  });

  it('where the peak lies far beyond what was measured', () => {
    expect(reason(planted({ sigma: 0.01, kappa: 0.000001 }))).toBe(
      'the peak, at 990 clients, lies far beyond the 100 measured',
    );
  });

  it('where throughput only falls', () => {
    expect(reason(planted({ sigma: 0.5, kappa: 0.2 }, [5, 10, 15, 20, 30, 40]))).toBe(
      'throughput only falls from the 5 clients of the lowest load level',
    );
  });

  it('where it is not shaped like the law', () => {
    expect(reason(given(clients, [100, 500, 90, 1400, 200, 900]))).toMatch(
      /^throughput is not shaped like the law: \d+ % off its curve at \d+ clients$/,
    );
  });
});
