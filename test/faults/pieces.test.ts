import { expect, it } from 'vitest';
import { type Piece, partNames, piecesLeft, piecesOf, sizes, type Tried, totalsOf } from './pieces.ts';

const seed = '1';
const tried = (piece: Piece, faults: readonly string[] = []): Tried => ({
  ...piece,
  seed,
  seconds: 2,
  result: { tried: piece.to - piece.from, outcomes: { read: piece.to - piece.from }, faults, skipped: null },
});

it('pieces together are all of every part, each once', () => {
  for (const counts of Object.values(sizes)) {
    const pieces = piecesOf(counts);
    for (const part of partNames) {
      const own = pieces.filter((piece) => piece.part === part);
      const ends = own.map(({ to }) => to);
      expect(own.map(({ from }) => from)).toEqual([0, ...ends].slice(0, own.length));
      expect(ends.at(-1) ?? 0).toBe(counts[part]);
    }
  }
});

it('what was tried is not tried again, but for what had faults, and adds up', () => {
  const pieces = piecesOf(sizes.long, 'journals');
  const [first, second, third] = pieces as [Piece, Piece, Piece];
  const broken = tried(second, ['a fault']);
  expect(piecesLeft(pieces, [tried(first), broken], seed).slice(0, 2)).toEqual([second, third]);
  expect(piecesLeft(pieces, [tried(first), broken], '2')).toEqual(pieces);
  expect(piecesLeft(pieces, [tried(first), broken, tried(second)], seed)[0]).toEqual(third);
  expect(totalsOf(pieces, [tried(first), broken], seed)).toEqual([
    {
      part: 'journals',
      from: 0,
      to: 1000,
      seed,
      seconds: 4,
      result: { tried: 1000, outcomes: { read: 1000 }, faults: ['a fault'], skipped: null },
    },
  ]);
  expect(totalsOf(pieces, [broken, tried(second)], seed)[0]?.result.faults).toEqual([]);
});
