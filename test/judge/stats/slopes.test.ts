import { describe, expect, test } from 'vitest';
import { logChange, slopeWithin } from '../../../src/judge/stats/slopes.ts';

describe('the change of equally spaced values', () => {
  test('is that of their line, from its beginning to its end', () => {
    // Eight parts of a line from 100 to 50.
    const values = Array.from({ length: 8 }, (_, i) => 100 - (50 * (i + 0.5)) / 8);
    expect(logChange(values)).toBeCloseTo(Math.log(0.5), 12);
    expect(logChange(values.toReversed())).toBeCloseTo(Math.log(2), 12);
    expect(logChange([7, 7, 7])).toBe(0);
  });

  test('takes zeros, and is none of too few values or of nothing but zeros', () => {
    expect(logChange([0, 0, 0, 9])).toBeCloseTo(Math.log(1.95 / 0.05), 12);
    expect(logChange([1, 2])).toBeNull();
    expect(logChange([0, 0, 0])).toBeNull();
  });
});

describe('a slope within rows and columns', () => {
  // Normal equations with dummy variables, solved in exact fractions by another program.
  const table = [
    [0, 0, 0.1, 1.02],
    [0, 1, 0.5, 2.31],
    [0, 2, 0.9, 3.9],
    [1, 0, 0.8, 1.55],
    [1, 1, 0.2, 2.41],
    [1, 2, 0.6, 3.42],
    [2, 0, 0.4, 1.6],
    [2, 1, 0.7, 2.88],
    [2, 2, 0.3, 3.31],
    [3, 0, 0.9, 1.95],
    [3, 1, 0.1, 2.2],
  ].map(([row = 0, column = 0, x = 0, y = 0]) => ({ row, column, x, y }));

  test('is the least-squares slope, with its error, also where a value is missing', () => {
    expect(slopeWithin(table)).toEqual({
      slope: expect.closeTo(0.9307176045431079, 8),
      error: expect.closeTo(0.20286059858172925, 8),
      df: 4,
    });
  });

  test('is none where x follows from row and column, or too little is left', () => {
    expect(slopeWithin(table.map((one) => ({ ...one, x: one.row + 2 * one.column })))).toBeNull();
    expect(slopeWithin(table.slice(0, 5))).toBeNull();
    expect(slopeWithin([])).toBeNull();
  });
});
