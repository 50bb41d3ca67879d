import { expect, test } from 'vitest';
import { lastingLine } from '../../../src/cli/progress/describe.ts';
import { nothingLeft } from '../../../src/journal/left-records.ts';

test('which of several processes had to be killed', () => {
  const killed = (processes?: readonly string[]) =>
    lastingLine({ kind: 'service-killed', arm: 'pool=5', afterMs: 5000, ...(processes && { processes }) });
  expect(killed(['0', '2'])).toBe(
    'instances 0 and 2 of the service of pool=5 did not end on SIGTERM: killed after 5 s',
  );
  expect(killed(['worker'])).toMatch(/^worker of the service of pool=5 did not end/);
  expect(killed()).toMatch(/^the service of pool=5 did not end/);
});

test('which arms and load levels are not measured any more, and which are again', () => {
  const cell = (variant: string, connections: number) => ({
    variant,
    load: { connections },
    after: 6,
    worseThan: 'pool=10',
  });
  const gone = [cell('pool=2', 25), cell('pool=2', 50), cell('pool=5', 50)];
  expect(lastingLine({ kind: 'arms-left', gone: { cells: gone, levels: [] }, back: nothingLeft })).toBe(
    'from here on without pool=2 (25 connections, 50 connections), pool=5 (50 connections): another is better by more than the margin',
  );
  expect(lastingLine({ kind: 'arms-left', gone: nothingLeft, back: { cells: [cell('pool=2', 25)], levels: [] } })).toBe(
    'measured again from here on: pool=2 (25 connections)',
  );
  const levels = [{ load: { connections: 1 }, after: 6 }];
  expect(lastingLine({ kind: 'arms-left', gone: { cells: [cell('pool=5', 50)], levels }, back: nothingLeft })).toBe(
    'from here on without 1 connection: it is decided which setting to take there; from here on without pool=5 (50 connections): another is better by more than the margin',
  );
  expect(lastingLine({ kind: 'arms-left', gone: nothingLeft, back: { cells: [], levels } })).toBe(
    'measured again from here on: 1 connection',
  );
});

test('what a search tries, what was refused, and what is confirmed', () => {
  const variants = ['pool=6', 'pool=12'];
  expect(lastingLine({ kind: 'proposed', stage: 'search', variants })).toBe('the next round tries pool=6, pool=12');
  const long = ['a', 'b'].map((name) => name.repeat(200));
  expect(lastingLine({ kind: 'proposed', stage: 'search', variants: long })).toBe('the next round tries 2 settings');
  const two = ['pool=6, jit=off', 'jit=off'];
  expect(lastingLine({ kind: 'proposed', stage: 'search', variants: two })).toBe(
    'the next round tries pool=6, jit=off; jit=off',
  );
  expect(lastingLine({ kind: 'proposed', stage: 'confirm', variants: [] })).toBe(
    'the search is over: from here on the control alone, since no other setting is left, in fresh rounds, which alone count',
  );
  expect(lastingLine({ kind: 'proposed', stage: 'confirm', variants })).toMatch(
    /^the search is over: .* pool=6, pool=12 /,
  );
  expect(lastingLine({ kind: 'proposed', stage: 'confirm', variants, parts: 2 })).toMatch(
    /^it is decided which setting to take; the next rounds measure it without each of its changes, too, /,
  );
  const changes = { measured: 2, of: 5 };
  expect(lastingLine({ kind: 'proposed', stage: 'confirm', variants, parts: 2, changes })).toContain(
    ' measure it without each of 2 of its 5 changes, too, ',
  );
  expect(lastingLine({ kind: 'refused', variant: 'pool=90', reason: 'too many connections' })).toBe(
    'pool=90 was refused, and the round begins again without it: too many connections',
  );
  const search = { best: 'pool=12', percent: 18, range: [9, 27] as const, gainPercent: 2.1 };
  const ended = { round: 3, durationMs: 40_000, undecided: 1, detectablePercent: null, open: [], search } as const;
  expect(lastingLine({ kind: 'round-ended', ...ended, search: null })).toBe(
    'round 3 done in 40 s: no best setting so far',
  );
  const { search: _, ...confirmed } = { ...ended, undecided: 0 };
  const decided = [{ load: { connections: 25 }, setting: '10', variant: 'pool=10' }];
  const found = { decided, differing: [], same: 0 };
  expect(lastingLine({ kind: 'round-ended', ...confirmed, found })).toContain(' 40 s: all decided; so far: take 10 ');
  expect(lastingLine({ kind: 'round-ended', ...confirmed })).toContain(' 40 s: verdicts start at 4 rounds');
  expect(lastingLine({ kind: 'round-ended', ...ended })).toBe(
    'round 3 done in 40 s: best so far pool=12, about +18.0 % [+9, +27]; the best of all may be 2.1 % better',
  );
});

test('a round before verdicts can be decides nothing, also where nothing is open', () => {
  const ended = (round: number) =>
    lastingLine({ kind: 'round-ended', round, durationMs: 54_800, undecided: 0, detectablePercent: null, open: [] });
  expect(ended(1)).toBe('round 1 done in 54.8 s: verdicts start at 4 rounds');
  expect(ended(3)).toBe('round 3 done in 54.8 s: verdicts start at 4 rounds');
  expect(ended(4)).toBe('round 4 done in 54.8 s: all decided');
});

test('why a run ended: that rounds would not settle the rest, or that there was no time for them', () => {
  expect(lastingLine({ kind: 'run-ended', reason: 'stuck' })).toMatch(/more rounds would not settle the rest/);
  expect(lastingLine({ kind: 'run-ended', reason: 'unsettled' })).toBe(
    'done: its budget is over, and what is open needs more than the added time',
  );
});

test('a quick run ends without a number of rounds, since --rounds may give it several', () => {
  expect(lastingLine({ kind: 'run-ended', reason: 'quick' })).toBe('done: the quick run is complete');
});
