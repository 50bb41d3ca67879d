import { expect, test } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import { type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';
import { small } from '../small-run.ts';

/** From start to start; of a control each of its arms by itself. */
const swing = (by: number, of: string): NonNullable<FixtureOptions['effect']> => {
  const steps = [1, -1, 0.6, -0.8];
  return ({ variant, repeat, round }) => (variant === of ? by * (steps[(repeat ? round + 1 : round) % 4] ?? 0) : 0);
};
const probes: FixtureOptions['probes'] = () => ({ all: { machine_cpu_share: 0.5 } });
const findingOf = (options: FixtureOptions) => {
  const { findings } = summarize(fixtureJournal({ ...small, connections: [1, 25], rounds: 8, probes, ...options }));
  return findings.find(({ name }) => name === 'noisier-arm');
};

test('a variant that scatters much more from start to start than the control is found, with an interval, once', () => {
  const found = findingOf({ effect: swing(0.08, 'b') });
  expect(found?.cells).toHaveLength(1);
  const [, times, low] =
    /b, 1 connection: scatters ([\d.]+) times \[([\d.]+), [\d.]+\] as much/.exec(found?.text ?? '') ?? [];
  expect(Number(times)).toBeGreaterThan(4);
  expect(Number(low)).toBeGreaterThan(1.5);
});

test('a control that scatters much more than all others has them found as calmer', () => {
  const found = findingOf({ variants: ['a', 'b', 'c', 'd'], effect: swing(0.08, 'a') });
  expect(found?.text).toMatch(/1 connection: scatters 0\.\d+ times \[0\.\d+, 0\.\d+\] as much/);
});

test('arms alike, and one odd start, are no finding', () => {
  for (const seed of [1, 2, 3]) expect(findingOf({ seed })).toBeUndefined();
  expect(findingOf({ effect: ({ variant, round }) => (variant === 'b' && round === 3 ? -0.3 : 0) })).toBeUndefined();
});
