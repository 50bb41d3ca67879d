import { expect, it } from 'vitest';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { steadyTrends } from '../../../src/judge/verdicts/steady-rates.ts';
import { fixtures, readSwept } from './live-session.ts';

/**
 * The trends of a service whose answers take so many microseconds longer with each that it has given, over four rounds, and
 * how much each variant's rate moved in the middle one of its slices. With 150 answers take twice as long before a slice is over:
 * the machine would have to do as much to one arm in three rounds of four. That a trend is told of one arm alone takes
 * rounds that are alike, which a busy machine does not promise (test/judge/verdicts/steady-rates has them simulated).
 */
async function trendsOf(tiring: { readonly control: number; readonly variant: number }, turn: string) {
  const data = await readSwept(
    `
variants: { Control: { env: { TIRING: "${tiring.control}" } }, Other: { env: { TIRING: "${tiring.variant}" } } }
control: Control
load: { connections: 4, slice: 3s, warmup: 500ms, turn: ${turn}, requests: [{ path: / }] }
`,
    {
      rounds: 4,
      service: `target: { command: ${JSON.stringify(`exec node ${fixtures}/tiring.mjs`)}, database: none }`,
    },
    aggregateRun,
  );
  const middle = (name: string): number => {
    const slopes = data.trends.filter(({ variant }) => variant === name).map(({ slope }) => slope);
    return slopes.sort((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? Number.NaN;
  };
  return { told: steadyTrends(data), middle: { control: middle('Control'), other: middle('Other') } };
}

it('a service that gets slower while it runs, unlike the control, is seen, and never said of all arms', async () => {
  const { told, middle } = await trendsOf({ control: 0, variant: 250 }, 'auto');
  expect(Math.exp(middle.other - middle.control)).toBeLessThan(0.75);
  expect(told.filter(({ variant, load }) => load !== null && variant !== 'Other')).toEqual([]);
});

it('where all arms do, the trend is of all arms; in whole slices, too', async () => {
  const {
    told: [first, ...others],
    middle,
  } = await trendsOf({ control: 150, variant: 150 }, 'off');
  expect(Math.exp(Math.max(middle.control, middle.other))).toBeLessThan(0.75);
  expect(first).toMatchObject({ variant: null, load: { connections: 4 } });
  expect(others).toEqual([]);
});
