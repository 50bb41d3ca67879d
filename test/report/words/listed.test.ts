import { expect, test } from 'vitest';
import { listed } from '../../../src/report/words/listed.ts';

test('names in a row, those with commas told apart', () => {
  expect(listed([])).toBe('');
  expect(listed(['10'])).toBe('10');
  expect(listed(['10', '25', '35'], 'or')).toBe('10, 25 or 35');
  expect(listed(['pool=12, jit=off', 'pool=9'])).toBe('pool=12, jit=off; and pool=9');
  expect(listed(['pool=6', 'pool=12, jit=off', 'pool=9'], 'or')).toBe('pool=6; pool=12, jit=off; or pool=9');
});
