import { expect, test } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import { differenceInterval, type Evidence, sameInterval } from '../../../src/judge/stats/interval.ts';
import { looks, type RunProgress } from '../../../src/judge/stats/looks.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import { robustFit } from '../../../src/judge/stats/robust-fit.ts';
import { normal } from '../journal-fixture.ts';

/** A comparison of two arms, looked at as a run does that ends after this many rounds; the last look is the end's. */
function evidences(seed: number, effect: number, last: number): Evidence[] {
  const random = createRandom(seedOf('false alarms', seed));
  const rows = Array.from({ length: last }, () => [0.05 * normal(random), 0.05 * normal(random) + effect]);
  return looks
    .filter((n) => n <= last)
    .flatMap((n) => {
      const fit = robustFit(rows.slice(0, n));
      if (fit === null) return [];
      const ratios = fit.values.map(([control, value]) => (value ?? 0) - (control ?? 0));
      const course: RunProgress = { rounds: n, ends: n === last ? [n] : [] };
      return [
        {
          ratios,
          weights: ratios.map(() => 1),
          spread: { ...fit.noise, variance: 2 * fit.noise.variance },
          course,
          comparisons: 1,
        },
      ];
    });
}

function shareOf(sessions: number, holds: (seed: number) => boolean): number {
  return Array.from({ length: sessions }, (_, seed) => holds(seed)).filter(Boolean).length / sessions;
}

// 5 % +- 3 standard errors of 1 %.
test.each([40, 6])('of sessions of up to %d rounds without an effect about 5 %% ever exclude 0', (last) => {
  const alarms = shareOf(500, (seed) =>
    evidences(seed, 0, last).some((evidence) => {
      const range = differenceInterval(evidence);
      return range !== null && (range.low > 0 || range.high < 0);
    }),
  );
  expect(alarms).toBeGreaterThan(0.02);
  expect(alarms).toBeLessThan(0.08);
});

test.each([40, 6])(
  'of sessions of up to %d rounds about 5 %% are ever called the same although they differ',
  (last) => {
    const margin = 0.15;
    const mistakes = shareOf(500, (seed) =>
      evidences(seed, margin, last).some((evidence) => (sameInterval(evidence, margin)?.high ?? 1) <= margin),
    );
    expect(mistakes).toBeGreaterThan(0.015);
    expect(mistakes).toBeLessThan(0.08);
  },
);

test('an estimate lies about what was planted', () => {
  const all = Array.from({ length: 100 }, (_, seed) => mean(evidences(seed, 0.1, 12).at(-1)?.ratios ?? []));
  expect(mean(all)).toBeCloseTo(0.1, 2);
});
