import { describe, expect, test } from 'vitest';
import { choiceWords } from '../../../src/cli/progress/open-lines.ts';
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
