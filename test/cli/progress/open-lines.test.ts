import { describe, expect, test } from 'vitest';
import { choiceWords, foundWords } from '../../../src/cli/progress/open-lines.ts';
import type { OpenChoice } from '../../../src/journal/open-estimate.ts';

const choice: OpenChoice = {
  load: { connections: 25 },
  setting: '10',
  rival: { setting: '50', percent: 6.07 },
  roundsNeeded: 8,
};

describe('a load level without a decision', () => {
  test('names the setting that may still be better, by how much, and how many more rounds that takes', () => {
    expect(choiceWords(choice, 6)).toBe(
      '25 connections: 50 may still be up to 6.1 % better than 10; about 2 more rounds',
    );
    expect(choiceWords(choice, 7)).toMatch(/; about 1 more round$/);
  });

  test('takes one more round at least, whatever was expected', () => {
    expect(choiceWords({ ...choice, roundsNeeded: 5 }, 6)).toMatch(/; about 1 more round$/);
  });

  test('says nothing of rounds where the last look would not decide it', () => {
    expect(choiceWords({ ...choice, roundsNeeded: null }, 6)).toMatch(/better than 10$/);
  });

  test('says of one setting that it is open where no bound is known', () => {
    expect(choiceWords({ ...choice, rival: null, roundsNeeded: null }, 2)).toBe(
      '25 connections: whether 10 is good enough is not decided yet',
    );
  });
});

describe('what a run has found so far', () => {
  const change = (variant: string, deltaPercent: number, connections = 1) => ({
    variant,
    load: { connections },
    deltaPercent,
    interval: [deltaPercent - 1, deltaPercent + 1] as const,
  });

  test('is the settings to take, by load level', () => {
    const decided = [
      { load: { connections: 1 }, setting: '10' },
      { load: { connections: 25 }, setting: '25' },
      { load: { connections: 50 }, setting: '25' },
    ].map((one) => ({ ...one, variant: `pool=${one.setting}` }));
    expect(foundWords({ decided, differing: [], same: 0 })).toBe(
      'take 10 (1 connection), 25 (25 connections, 50 connections)',
    );
  });

  test('is the changes that differ, three at most, and how many are the same', () => {
    const differing = [change('a', -20), change('b', 12, 25), change('c', 6), change('d', 5.5)];
    expect(foundWords({ decided: [], differing, same: 1 })).toBe(
      'a, 1 connection: -20.0 % [-21.0, -19.0]; b, 25 connections: +12.0 % [+11.0, +13.0]; c, 1 connection: +6.0 % [+5.0, +7.0], and 1 more differ; 1 is the same',
    );
    expect(foundWords({ decided: [], differing: [], same: 0 })).toBe('');
  });
});
