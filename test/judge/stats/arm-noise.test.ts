import { describe, expect, test } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import { type ArmTable, fitTogether } from '../../../src/judge/stats/arm-noise.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import { normal } from '../journal-fixture.ts';

const ROUNDS = 6;

/** Simulated rounds: the control twice, then variants whose scatter is so many times the control's, by load level. */
function tablesOf(name: string, scatter: readonly (readonly number[])[]): ArmTable[] {
  const random = createRandom(seedOf('arm noise', name));
  return scatter.map((ofVariants) => ({
    table: Array.from({ length: ROUNDS }, () => [1, 1, ...ofVariants].map((factor) => 0.01 * factor * normal(random))),
    weights: Array.from({ length: ROUNDS }, () => 1),
    rows: Array.from({ length: ROUNDS }, (_, round) => round),
    programs: ['control', 'control', ...ofVariants.map((_, variant) => `v${variant}`)],
  }));
}

/** How large the estimated scatter of each arm is over many sessions, in units of what was planted for the control. */
function scatterOf(scatter: readonly (readonly number[])[], level = 0): number[] {
  const sessions = Array.from({ length: 60 }, (_, i) => fitTogether(tablesOf(`${i}`, scatter)).tables[level]);
  return (sessions[0]?.noise ?? []).map((_, arm) =>
    Math.sqrt(mean(sessions.map((session) => (session?.noise[arm]?.variance ?? Number.NaN) / 0.01 ** 2))),
  );
}

describe('the noise of each arm', () => {
  test('where arms are alike, each has the noise of all', () => {
    for (const scatter of scatterOf([[1, 1, 1]])) expect(scatter).toBeCloseTo(1, 0);
  });

  test('one that is ten times as noisy has its own, and leaves the others theirs', () => {
    const [control = 0, , noisy = 0, beside = 0] = scatterOf([[10, 1, 1]]);
    expect(noisy).toBeGreaterThan(8);
    expect(control).toBeLessThan(2.5);
    expect(beside).toBeLessThan(2.5);
  });

  test('under one load level alone, it is noisy there and not elsewhere', () => {
    const scatter = [
      [1, 1, 1],
      [1, 1, 1],
      [8, 1, 1],
    ];
    expect(scatterOf(scatter, 2)[2]).toBeGreaterThan(5);
    expect(scatterOf(scatter, 0)[2]).toBeLessThan(4);
  });

  test('other load levels tell it better, unless they say the same again', () => {
    const [one] = tablesOf('levels', [[1, 1, 1]]);
    const three = tablesOf('levels', [
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
    ]);
    if (one === undefined) throw new Error('no table');
    const dfOf = (tables: readonly ArmTable[]): number => fitTogether(tables).programs.get('v0')?.df ?? 0;
    expect(dfOf(three)).toBeGreaterThan(2 * dfOf([one]));
    expect(dfOf([one, one, one])).toBeCloseTo(dfOf([one]), 6);
  });

  test('one odd start among alike ones stays odd: its arm is not taken for a noisy one', () => {
    const [table] = tablesOf('odd', [[1, 1, 1]]);
    if (table === undefined) throw new Error('no table');
    const odd = table.table.map((row, round) => row.map((value, arm) => (round === 4 && arm === 2 ? -0.3 : value)));
    const fitted = fitTogether([{ ...table, table: odd }]).tables[0];
    expect(fitted?.fit.pulledIn.map(({ row, column }) => [row, column])).toContainEqual([4, 2]);
    expect(Math.sqrt(fitted?.noise[2]?.variance ?? 1)).toBeLessThan(0.05);
  });

  test('a load level whose values are mostly equal, such as small whole numbers, says nothing of the others', () => {
    const [table] = tablesOf('whole numbers', [Array.from({ length: 50 }, () => 1)]);
    if (table === undefined) throw new Error('no table');
    const whole = table.table.map((row, round) => row.map((_, arm) => (arm === 2 && round === 3 ? 0.04 : 0)));
    const fitted = fitTogether([{ ...table, table: whole }, table]).tables[1];
    const alone = fitTogether([table]).tables[0];
    expect(fitted?.noise).toEqual(alone?.noise);
  });

  test('without any noise there is none', () => {
    const [table] = tablesOf('none', [[0, 0, 0]]);
    if (table === undefined) throw new Error('no table');
    const still = table.table.map((_, round) => table.programs.map((_, arm) => round + arm));
    expect(fitTogether([{ ...table, table: still }]).tables[0]?.noise.map(({ variance }) => variance)).toEqual([
      0, 0, 0, 0, 0,
    ]);
  });
});
