import { expect, it } from 'vitest';
import { askedBenches, benchNames } from '../bench/names.ts';
import { askedFaults } from '../faults/asked.ts';
import { partNames } from '../faults/pieces.ts';

it.each([
  ['bench', askedBenches, Object.keys(benchNames)],
  ['faults', askedFaults, partNames],
] as const)(
  '%s: --help is its usage, with a line for each name, and so is a mistake, with exit code 2',
  (_, asked, names) => {
    const help = asked(['--help']);
    if (help.kind !== 'told') throw new Error('no usage');
    expect(help.exitCode).toBe(0);
    for (const name of names) expect(help.text).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
    expect(asked(['--hepl'])).toEqual({
      kind: 'told',
      text: expect.stringMatching(/'--hepl'[\s\S]*\n\nnpm run /),
      exitCode: 2,
    });
  },
);

it('a name that there is not is said, with the list', () => {
  const told = [
    askedBenches(['quantiles', 'qantiles']),
    askedFaults(['--part', 'kill']),
    askedFaults(['--count', 'x']),
  ];
  expect(told.map((one) => one.kind === 'told' && [one.exitCode, one.text.split('\n')[0]])).toEqual([
    [2, 'There is no bench qantiles.'],
    [2, 'There is no part kill.'],
    [2, '--count x: expected a number.'],
  ]);
});

it('what is asked for is done, and all where nothing is', () => {
  expect(askedBenches(['start', 'quantiles'])).toMatchObject({ kind: 'run', what: { names: ['quantiles', 'start'] } });
  expect(askedBenches([])).toMatchObject({
    what: { names: Object.keys(benchNames).filter((name) => name !== 'arms') },
  });
  expect(askedBenches(['arms', '--folder', 'here', '--sessions', '0'])).toMatchObject({
    what: { names: ['arms'], arms: { folder: 'here', sessions: 0, rounds: 6, defaults: 0 } },
  });
  expect(askedFaults(['--short', '--part', 'kills', '--count', '2', '--minutes', '8'])).toMatchObject({
    kind: 'run',
    what: { size: 'short', part: 'kills', count: 2, minutes: 8, seed: '1' },
  });
  expect(askedFaults([])).toMatchObject({ what: { size: 'usual', minutes: Number.POSITIVE_INFINITY } });
});
