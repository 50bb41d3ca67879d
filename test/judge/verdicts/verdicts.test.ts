import { expect, test } from 'vitest';
import { noises, type SessionOutcome, simulateSession } from '../../bench/verdicts-session.ts';

/** `npm run bench:verdicts` in little: the same sessions, few enough for a test. Seeded, so it cannot fail by chance. */
function play(
  variants: number,
  loads: number,
  sessions: number,
  effect: (variant: number) => number,
): SessionOutcome[] {
  return Array.from({ length: sessions }, (_, seed) =>
    simulateSession({ noise: noises.typical, variants, loads, effect }, seed),
  );
}

const isAlarm = ({ finding }: SessionOutcome['cells'][number]): boolean =>
  finding.verdict === 'higher' || finding.verdict === 'lower';

test('of sessions without an effect hardly any raises a false alarm, and all intervals hold together', () => {
  const single = play(1, 1, 60, () => 0);
  expect(single.filter(({ cells }) => cells.some(isAlarm)).length).toBeLessThanOrEqual(4);
  const sweeps = play(20, 1, 8, () => 0);
  expect(sweeps.filter(({ cells }) => cells.some(isAlarm)).length).toBeLessThanOrEqual(1);
  for (const { finding } of [...single, ...sweeps].flatMap(({ cells }) => cells)) {
    const [low, high] = finding.interval ?? [Number.NaN, Number.NaN];
    expect(isAlarm({ finding, effect: 0 })).toBe(low > 0 || high < 0);
  }
});

test('a planted 10 % is found, with its sign, within 18 rounds', () => {
  for (const sign of [1, -1]) {
    const outcomes = play(1, 1, 25, () => sign * Math.log(1.1));
    expect(outcomes.every(({ rounds }) => rounds <= 18)).toBe(true);
    expect(outcomes.map(({ cells }) => cells[0]?.finding.verdict)).toEqual(
      outcomes.map(() => (sign > 0 ? 'higher' : 'lower')),
    );
  }
});

test('a sweep finds the one variant that differs', () => {
  const verdicts = play(4, 2, 8, (variant) => (variant === 2 ? -0.07 : 0)).map(({ cells }) =>
    cells.filter(({ effect }) => effect !== 0).map(({ finding }) => finding.verdict),
  );
  // In one session the control itself is off by 5 %, which is found, and no verdict stands.
  expect(verdicts.filter((one) => one.every((verdict) => verdict === 'lower'))).toHaveLength(7);
  expect(verdicts).toContainEqual(['unfit', 'unfit']);
});
