import { expect, it } from 'vitest';
import { FIRST_UNIQUE } from '../../../src/base/template.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { firstUnique, setAside, uniqueNumbers } from '../../../src/measure/load/unique-numbers.ts';
import { testScenario } from '../../fixtures/scenario.ts';

it('numbers count up, and more are set aside long before they are used', () => {
  const first = setAside(100);
  const told: { at: number; below: number }[] = [];
  let last = 0;
  const next = uniqueNumbers(100, (below) => told.push({ at: last, below }));
  for (let count = 0; count < 2_000_000; count++) {
    last = next();
    if (last !== 100 + count) throw new Error(`${last} comes after ${count} others`);
  }
  const below = [first, ...told.map((each) => each.below)];
  for (const [index, { at }] of told.entries()) {
    expect((below[index] ?? 0) - at).toBeGreaterThan(400_000);
  }
  expect(below.at(-1)).toBeGreaterThan(last);
});

it('a run begins where its scenario says, and goes on behind what any sitting before set aside', () => {
  const scenario = testScenario();
  expect(firstUnique(scenario, null)).toBe(FIRST_UNIQUE);
  const asked = { ...scenario, load: { ...scenario.load, uniqueFrom: 7 } };
  expect(firstUnique(asked, null)).toBe(7);
  const records: JournalRecord[] = [20, 90, 40].map((below) => ({ type: 'unique', below }));
  expect(firstUnique(asked, { records })).toBe(90);
});
