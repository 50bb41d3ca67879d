import { expect, it } from 'vitest';
import { measure, resume, seenHere } from '../../../src/report/words/commands.ts';

const scenario = { file: 'w.yaml', here: '/home/ci/my bench/w.yaml' };

it('a command that measures names the scenario as the reader sees it, with its options', () => {
  expect(seenHere(measure('w.yaml'), scenario)).toBe("pgsweep sweep '/home/ci/my bench/w.yaml'");
  const against = { refs: ['main'], carry: [], own: [] };
  expect(seenHere(measure('w.yaml', against), scenario)).toBe(
    "pgsweep sweep '/home/ci/my bench/w.yaml' --against main",
  );
});

it('any other command stays as it is', () => {
  for (const command of [measure('w.yaml2'), measure('other.yaml'), resume('--rounds 4'), 'pgsweep doctor'])
    expect(seenHere(command, scenario)).toBe(command);
});
