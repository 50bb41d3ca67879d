import { describe, expect, test } from 'vitest';
import { loadSize } from '../../../src/journal/load-level.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { parseGate } from '../../../src/judge/verdicts/gate.ts';
import { createStopRule, decideStop, needsProbes } from '../../../src/judge/verdicts/stop-rule.ts';
import { type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';

const clear: FixtureOptions = {
  variants: ['a', 'b', 'c'],
  control: 'a',
  connections: [1, 25],
  noise: 0.003,
  effect: ({ variant }) => (variant === 'b' ? 0.4 : 0),
  end: null,
};

test('stops when every comparison is settled, until the last look', () => {
  // Two are `higher` after four rounds; `same` takes five.
  expect(decideStop(fixtureJournal({ ...clear, rounds: 4 }))).toMatchObject({ stop: false, undecided: 2 });
  expect(decideStop(fixtureJournal({ ...clear, rounds: 5 }))).toMatchObject({ stop: true, undecided: 0 });
  expect(decideStop(fixtureJournal({ ...clear, rounds: 8 }))).toMatchObject({ stop: true, undecided: 0 });
  expect(decideStop(fixtureJournal({ ...clear, rounds: 15 }))).toMatchObject({ stop: true, undecided: 0 });
  expect(decideStop(fixtureJournal({ ...clear, rounds: 41 }))).toMatchObject({ stop: false, undecided: 0 });
});

test('tells what it has found, the largest change first', () => {
  const effect: FixtureOptions['effect'] = ({ variant, connections }) =>
    variant === 'b' ? (connections === 25 ? 0.4 : -0.6) : 0;
  const { found } = decideStop(fixtureJournal({ ...clear, effect, rounds: 5 }));
  expect(found.decided).toEqual([]);
  expect(found.same).toBe(2);
  expect(found.differing).toMatchObject([
    { variant: 'b', load: { connections: 25 } },
    { variant: 'b', load: { connections: 1 } },
  ]);
  const best = decideStop(fixtureJournal({ ...clear, question: 'best', rounds: 8 })).found;
  expect(best).toMatchObject({ differing: [], same: 0 });
  expect(best.decided).toMatchObject([{ setting: 'b' }, { setting: 'b' }]);
});

test('goes on while one is noise', () => {
  const noisy = fixtureJournal({ ...clear, noise: 0.1, rounds: 4 });
  const { stop, undecided } = decideStop(noisy);
  expect(stop).toBe(false);
  expect(undecided).toBeGreaterThan(0);
});

test('tells what is open, with its interval and how long it would take', () => {
  const noisy = fixtureJournal({ ...clear, noise: 0.05, rounds: 6 });
  const { open, undecided } = decideStop(noisy);
  expect(open).toHaveLength(undecided);
  const judged = summarize(noisy).comparisons.filter(({ metric }) => metric === 'requests_per_s');
  for (const { variant, load, interval, roundsNeeded } of open) {
    const same = judged.find((one) => one.variant === variant && loadSize(one.load) === loadSize(load));
    expect(same?.verdict).toBe('noise');
    expect(interval[0]).toBeCloseTo(same?.interval?.[0] ?? Number.NaN, 3);
    expect(same?.notes).toContainEqual({ kind: 'rounds-needed', rounds: roundsNeeded, most: 40 });
  }
  // Without intervals there is nothing to tell.
  expect(decideStop(fixtureJournal({ ...clear, rounds: 3 })).open).toEqual([]);
});

test('never under 4 rounds, before rounds.min, or in a quick run', () => {
  expect(decideStop(fixtureJournal({ ...clear, rounds: 3 }))).toMatchObject({ stop: false, undecided: 4 });
  expect(decideStop(fixtureJournal({ ...clear, rounds: 4, minRounds: 6 })).stop).toBe(false);
  expect(decideStop(fixtureJournal({ ...clear, rounds: 6, minRounds: 6 })).stop).toBe(true);
  expect(decideStop(fixtureJournal({ ...clear, rounds: 4, quick: true })).stop).toBe(false);
});

test('needs no more than the run and its records, and ignores a round that is going on', () => {
  const { run, records } = fixtureJournal({ ...clear, rounds: 5, unfinishedSlices: 3 });
  expect(decideStop({ run, records })).toMatchObject({ stop: true, undecided: 0 });
});

test('with size goes on until the changes are known closely enough to quote', () => {
  // 49 % faster, give or take 4: a quarter of it is 12. A change of 4 % must be known to 2 points.
  const large = fixtureJournal({ ...clear, rounds: 8, noise: 0.006 });
  expect(decideStop(large, { size: true })).toMatchObject({ stop: true, undecided: 0 });
  const small: FixtureOptions = { ...clear, noise: 0.015, effect: ({ variant }) => (variant === 'b' ? 0.06 : 0) };
  const early = fixtureJournal({ ...small, rounds: 8 });
  expect(decideStop(early)).toMatchObject({ stop: true, undecided: 0 });
  expect(decideStop(early, { size: true }).stop).toBe(false);
  expect(decideStop(fixtureJournal({ ...small, rounds: 33 }), { size: true })).toMatchObject({
    stop: true,
    undecided: 0,
  });
});

test('with size says how long a change takes that has its verdict, and is not quotable yet', () => {
  const at: FixtureOptions = { ...clear, variants: ['a', 'b'], connections: [25], noise: 0.1, seed: 3 };
  const early = fixtureJournal({ ...at, effect: ({ variant }) => (variant === 'b' ? -0.58 : 0), rounds: 8 });
  expect(decideStop(early).open).toEqual([]);
  const [one, ...others] = decideStop(early, { size: true }).open;
  expect(others).toEqual([]);
  expect(one?.roundsNeeded).toBeGreaterThan(8);
  expect(one?.roundsNeeded).toBeLessThan(16);
});

test('decides the same from records as they come, each seen once, as from the whole journal', () => {
  const { run, records } = fixtureJournal({ ...clear, rounds: 6, noise: 0.05 });
  const rule = createStopRule(run);
  const ends = records.flatMap(({ type }, i) => (type === 'round' ? [i + 1] : []));
  expect(ends).toHaveLength(6);
  for (const [i, end] of ends.entries()) {
    const decision = rule.after(records.slice(ends[i - 1] ?? 0, end));
    expect(decision).toEqual(decideStop({ run, records: records.slice(0, end) }));
  }
});

test('an end by time spends more of the error; one that depends on what was found is a look as any other', () => {
  const noisy: FixtureOptions = { ...clear, noise: 0.05, rounds: 6 };
  const widthAt = (end: FixtureOptions['end']): number => {
    const [one] = summarize(fixtureJournal({ ...noisy, end: end ?? null })).comparisons;
    const [low, high] = one?.interval ?? [Number.NaN, Number.NaN];
    return high - low;
  };
  const whole = widthAt(null);
  expect(widthAt('budget')).toBeLessThan(whole);
  for (const end of ['stuck', 'unsettled', 'verdicts'] as const) expect(widthAt(end)).toBe(whole);
});

describe('with gates', () => {
  const at: FixtureOptions = {
    ...clear,
    noise: 0.012,
    rounds: 8,
    effect: ({ variant }) => (variant === 'b' ? -0.1 : 0),
  };
  // b is 9.5 % slower: that is settled long before it is clear that it is not 11 % slower.
  const gates = [parseGate('rps > -10.8% of b')];

  test('goes on after all verdicts until they are decided', () => {
    expect(decideStop(fixtureJournal(at))).toMatchObject({ stop: true, undecided: 0 });
    expect(decideStop(fixtureJournal(at), { gates })).toMatchObject({ stop: false, undecided: 2 });
    expect(decideStop(fixtureJournal({ ...at, rounds: 33 }), { gates })).toMatchObject({ stop: true, undecided: 0 });
  });

  test('says how many rounds each open gate needs; of none that is decided', () => {
    const { openGates = [] } = decideStop(fixtureJournal(at), { gates });
    expect(openGates).toHaveLength(2);
    for (const rounds of openGates) expect(rounds).toBeGreaterThan(8);
    const early = decideStop(fixtureJournal({ ...at, rounds: 3 }), { gates });
    expect(early.openGates).toEqual([4, 4]);
    expect(decideStop(fixtureJournal(at), { gates: [parseGate('rps > -30%')] }).openGates).toEqual([]);
    expect(decideStop(fixtureJournal(at)).openGates).toBeUndefined();
  });

  test('does not wait for 0 against 0, which has a verdict from five rounds on and never a ratio', () => {
    const two: FixtureOptions = { ...clear, variants: ['a', 'b'], rounds: 4 };
    expect(decideStop(fixtureJournal(two), { gates: [parseGate('tup_deleted_per_s < 5%')] })).toMatchObject({
      ...{ stop: true, undecided: 0, openGates: [] },
    });
  });

  test('does not wait for gates that are decided, or that rounds cannot decide', () => {
    const decided = [parseGate('rps > -30%'), parseGate('rps > -2% of b')];
    expect(decideStop(fixtureJournal(at), { gates: decided })).toMatchObject({ stop: true, undecided: 0 });
    // Percentiles of so few requests are n/a however many rounds there are.
    const never = [parseGate('p99.9_ms < +10%')];
    const few = fixtureJournal({ ...at, requestsPerSecond: 30 });
    expect(decideStop(few, { gates: never })).toMatchObject({ stop: true, undecided: 0 });
  });

  test('reads latencies and work per request', () => {
    const undecided = (text: string): number => decideStop(fixtureJournal(at), { gates: [parseGate(text)] }).undecided;
    expect(undecided('mean_ms < +11% of b')).toBe(2);
    expect(undecided('mean_ms < +50% of b')).toBe(0);
    expect(undecided('tup_inserted_per_request < +10%')).toBe(0);
  });

  test('counts a comparison that is open in two ways once', () => {
    const noisy = fixtureJournal({ ...clear, noise: 0.1, rounds: 4 });
    const { undecided } = decideStop(noisy);
    expect(decideStop(noisy, { gates: [parseGate('rps > -1%')] }).undecided).toBe(undecided);
  });
});

test('gates on work per request need probes, others do not', () => {
  expect(needsProbes([parseGate('rps > -5%'), parseGate('p99_ms < 5%')], fixtureJournal().run.scenario)).toBe(false);
  expect(
    needsProbes([parseGate('rps > -5%'), parseGate('statements_per_request < 5%')], fixtureJournal().run.scenario),
  ).toBe(true);
});
