import { describe, expect, it } from 'vitest';
import { orderOf } from '../../../src/judge/external/in-turn.ts';
import type { ExternalRun, Taken } from '../../../src/judge/external/types.ts';

function run(variant: string, taken: Taken | null, place = variant): ExternalRun {
  return { variant, place, taken, values: new Map(), texts: new Map(), samples: null, failures: null };
}

/** Runs of ten seconds, a second apart, in the order of the letters. */
function inOrder(letters: string): ExternalRun[] {
  return [...letters].map((variant, i) =>
    run(variant, { startMs: 11_000 * i, endMs: 11_000 * i + 10_000, source: 'tool' }, `${variant}${i}`),
  );
}

function roundsOf(letters: string): string[] | string {
  const order = orderOf(inOrder(letters), 'A');
  return order.kind === 'in-turn'
    ? order.rounds.map((round) => round.map(({ variant }) => variant).join(''))
    : order.kind;
}

describe('the order of runs', () => {
  it.each([
    ['ABABAB', ['AB', 'AB', 'AB']],
    ['ABBAAB', ['AB', 'BA', 'AB']],
    ['ABCCBABCA', ['ABC', 'CBA', 'BCA']],
    // One run of B was lost: its round is none.
    ['ABAABABAB', ['AB', 'AB', 'AB', 'AB']],
    // C was measured twice only.
    ['ABCABCABAB', ['ABC', 'ABC', 'AB', 'AB']],
  ])('%s is rounds', (letters, rounds) => {
    expect(roundsOf(letters)).toEqual(rounds);
  });

  it.each(['AAAABBBB', 'BBBAAA', 'AABB', 'AAAAABAAAA'])('%s was not taken in turn', (letters) => {
    expect(roundsOf(letters)).toBe('not-in-turn');
  });

  it('has no rounds of one run each', () => {
    expect(roundsOf('AB')).toBe('single');
  });

  it('is of times, and not of the order in which files are named', () => {
    const shuffled = inOrder('ABABABAB').sort((a, b) => a.variant.localeCompare(b.variant));
    expect(shuffled.map(({ variant }) => variant).join('')).toBe('AAAABBBB');
    expect(orderOf(shuffled, 'A')).toMatchObject({ kind: 'in-turn', outside: 0, controlFirst: true });
  });

  it('tells whether the control always came first', () => {
    expect(orderOf(inOrder('ABBAAB'), 'A')).toMatchObject({ controlFirst: false });
  });

  it('is not known without times', () => {
    const runs = [...inOrder('ABA'), run('B', null, 'b.txt')];
    expect(orderOf(runs, 'A')).toEqual({ kind: 'no-times', place: 'b.txt' });
  });

  it('is none of runs at the same time: a checkout writes all files at once', () => {
    const copied = [...'ABAB'].map((variant, i) =>
      run(variant, { startMs: 100 * i, endMs: 100 * i + 10_000, source: 'file' }, `${variant}${i}`),
    );
    expect(orderOf(copied, 'A')).toEqual({ kind: 'overlapping', places: ['A0', 'B1'], source: 'file' });
  });

  it('is none of rows with the same date', () => {
    const day = { startMs: 0, endMs: 0, source: 'column' } as const;
    expect(orderOf([run('A', day), run('B', day), run('A', day)], 'A')).toMatchObject({ kind: 'overlapping' });
  });

  it('bears that a tool measured its own time a little too long', () => {
    const close = [...'ABAB'].map((variant, i) =>
      run(variant, { startMs: 9500 * i, endMs: 9500 * i + 10_000, source: 'file' }),
    );
    expect(orderOf(close, 'A')).toMatchObject({ kind: 'in-turn' });
  });
});
