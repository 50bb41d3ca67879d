import { describe, expect, it } from 'vitest';
import { axisOf, linearAxis, placesAxis, positionOn, roundsAxis } from '../../../src/report/pictures/plot.ts';

const labels = ({ ticks }: { ticks: readonly { label: string }[] }): string[] => ticks.map(({ label }) => label);

describe('a linear axis', () => {
  it.each<[number[], string]>([
    [[3, 18], '0 5 10 15 20'],
    [[-7, 12], '-10 -5 0 5 10 15'],
    [[0.012, 0.019], '0.012 0.014 0.016 0.018 0.02'],
    [[1200, 1900], '1,200 1,400 1,600 1,800 2,000'],
    [[5, 5], '5 6'],
    [[0], '0 0.2'],
    [[], '0 0.2 0.4 0.6 0.8 1'],
    [[Number.NaN, Number.POSITIVE_INFINITY, 1, 2], '1 1.2 1.4 1.6 1.8 2'],
    [[0, 160e6], '0 50M 100M 150M 200M'],
  ])('of %j has round numbers that hold them', (values, wanted) => {
    const axis = linearAxis('x', values);
    for (const value of values.filter(Number.isFinite)) {
      expect(value).toBeGreaterThanOrEqual(axis.low);
      expect(value).toBeLessThanOrEqual(axis.high);
    }
    expect(labels(axis).join(' ')).toBe(wanted);
  });
});

describe('an axis of latencies', () => {
  it('is linear where they are alike', () => {
    expect(axisOf('ms', [2, 30]).isLog).toBe(false);
    expect(axisOf('ms', [0, 3000]).isLog).toBe(false);
  });

  it('is logarithmic where they are not', () => {
    const axis = axisOf('ms', [3, 180]);
    expect(axis).toMatchObject({ isLog: true, low: 2, high: 200 });
    expect(labels(axis)).toEqual(['2', '5', '10', '20', '50', '100', '200']);
    expect(positionOn(axis, 20)).toBeCloseTo(0.5, 9);
    expect(labels(axisOf('ms', [0.3, 90_000]))).toEqual(['0.1', '1', '10', '100', '1,000', '10,000', '100,000']);
  });
});

it('places and rounds stand side by side', () => {
  expect(placesAxis('connections', ['1', '25']).ticks).toEqual([
    { at: 0, label: '1' },
    { at: 1, label: '25' },
  ]);
  expect(labels(roundsAxis(Array.from({ length: 20 }, (_, index) => index + 1)))).toEqual([
    '1',
    '4',
    '7',
    '10',
    '13',
    '16',
    '19',
  ]);
  expect(positionOn(placesAxis('', ['a', 'b']), 0)).toBe(0.25);
});

it('what is beyond an axis is at its end', () => {
  const axis = linearAxis('x', [0, 10]);
  expect([-5, 5, 50].map((value) => positionOn(axis, value))).toEqual([0, 0.5, 1]);
});
