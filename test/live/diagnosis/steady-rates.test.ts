import { expect, it } from 'vitest';
import type { RateTrend } from '../../../src/judge/notes.ts';
import { fixtures, swept } from './live-session.ts';

/**
 * The trends of a service whose answers take so many microseconds longer with each that it has given. With 150
 * they take twice as long before a slice is over: the machine would have to do as much to one arm, in each round. Of one arm
 * alone it has to be clear beside a machine that is busy in one round and not in the next, which takes six rounds.
 */
async function trendsOf(tiring: { readonly control: number; readonly variant: number }, turn: string, rounds = 4) {
  const { notes } = await swept(
    `
variants: { Control: { env: { TIRING: "${tiring.control}" } }, Other: { env: { TIRING: "${tiring.variant}" } } }
control: Control
load: { connections: 4, slice: 3s, warmup: 500ms, turn: ${turn}, requests: [{ path: / }] }
`,
    {
      rounds,
      service: `target: { command: ${JSON.stringify(`exec node ${fixtures}/tiring.mjs`)}, database: none }`,
    },
  );
  return notes.flatMap((note): readonly RateTrend[] => (note.kind === 'unsteady-rates' ? note.trends : []));
}

it('a service that gets slower while it runs, unlike the control, is named', async () => {
  const [first, ...others] = await trendsOf({ control: 0, variant: 250 }, 'auto', 6);
  expect(first).toMatchObject({ variant: 'Other', load: { connections: 4 } });
  expect(first?.percent).toBeLessThan(-25);
  expect(others.filter(({ variant }) => variant !== null)).toEqual([]);
});

it('where all arms do, the trend is of all arms; in whole slices, too', async () => {
  const [first, ...others] = await trendsOf({ control: 150, variant: 150 }, 'off');
  expect(first).toMatchObject({ variant: null, load: { connections: 4 } });
  expect(first?.percent).toBeLessThan(-25);
  expect(others).toEqual([]);
});
