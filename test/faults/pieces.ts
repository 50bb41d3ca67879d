import type { PartResult } from './part.ts';

export const partNames = [
  'journals',
  'scenarios',
  'numbers',
  'sql',
  'names',
  'sweeps',
  'disks',
  'kills',
  'elsewhere',
  'against',
] as const;
export type PartName = (typeof partNames)[number];

/** How much of everything is tried; of kills, how often each process is. */
export type Counts = Readonly<Record<PartName, number>>;

/** About a minute, twenty minutes, two hours. */
export const sizes: Readonly<Record<'short' | 'usual' | 'long', Counts>> = {
  short: {
    journals: 80,
    scenarios: 400,
    numbers: 200,
    sql: 5,
    names: 8,
    sweeps: 0,
    disks: 4,
    kills: 0,
    elsewhere: 0,
    against: 0,
  },
  usual: {
    journals: 2000,
    scenarios: 2000,
    numbers: 2000,
    sql: 40,
    names: 60,
    sweeps: 2,
    disks: 20,
    kills: 10,
    elsewhere: 6,
    against: 11,
  },
  long: {
    journals: 10_000,
    scenarios: 10_000,
    numbers: 10_000,
    sql: 1000,
    names: 300,
    sweeps: 10,
    disks: 100,
    kills: 50,
    elsewhere: 30,
    against: 20,
  },
};

/** As much as takes a few minutes at most. */
const most: Counts = {
  journals: 500,
  scenarios: 500,
  numbers: 2000,
  sql: 100,
  names: 30,
  sweeps: 2,
  disks: 10,
  kills: 2,
  elsewhere: 6,
  against: 11,
};

/** Some of a part, by their numbers: `to` is not among them. */
export interface Piece {
  readonly part: PartName;
  readonly from: number;
  readonly to: number;
}

/** A piece that was tried. */
export interface Tried extends Piece {
  readonly seed: string;
  readonly seconds: number;
  readonly result: PartResult;
}

/** All that is to be tried, in pieces; of one part where that is named. */
export function piecesOf(counts: Counts, only?: string): Piece[] {
  return partNames
    .filter((part) => only === undefined || only === part)
    .flatMap((part) => {
      const starts = Array.from({ length: Math.ceil(counts[part] / most[part]) }, (_, i) => i * most[part]);
      return starts.map((from) => ({ part, from, to: Math.min(counts[part], from + most[part]) }));
    });
}

/** What each piece came to when it was tried last. */
function lastTries(pieces: readonly Piece[], tried: readonly Tried[], seed: string): Map<Piece, Tried> {
  return new Map(
    pieces.flatMap((piece) => {
      const isSame = (one: Tried): boolean =>
        one.seed === seed && one.part === piece.part && one.from === piece.from && one.to === piece.to;
      const last = tried.findLast(isSame);
      return last === undefined ? [] : [[piece, last]];
    }),
  );
}

/** Those that still have to be tried: a piece with faults is tried again, once they are mended. */
export function piecesLeft(pieces: readonly Piece[], tried: readonly Tried[], seed: string): Piece[] {
  const last = lastTries(pieces, tried, seed);
  return pieces.filter((piece) => last.get(piece)?.result.faults.length !== 0);
}

/** What all pieces of each part came to together; without parts of which none was tried. */
export function totalsOf(pieces: readonly Piece[], tried: readonly Tried[], seed: string): Tried[] {
  const last = [...lastTries(pieces, tried, seed).values()];
  return partNames.flatMap((part) => {
    const own = last.filter((one) => one.part === part);
    return own.length === 0 ? [] : [own.reduce(added)];
  });
}

function added(sum: Tried, one: Tried): Tried {
  const outcomes = new Map(Object.entries(sum.result.outcomes));
  for (const [kind, count] of Object.entries(one.result.outcomes))
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + count);
  return {
    ...sum,
    to: one.to,
    seconds: sum.seconds + one.seconds,
    result: {
      tried: sum.result.tried + one.result.tried,
      outcomes: Object.fromEntries(outcomes),
      faults: [...sum.result.faults, ...one.result.faults],
      skipped: sum.result.skipped ?? one.result.skipped,
    },
  };
}
