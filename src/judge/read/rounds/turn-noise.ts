import { groupBy } from '../../../base/group-by.ts';
import { loadKey } from '../../../journal/load-level.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { Spread } from '../../stats/block-noise.ts';
import { mean, sum } from '../../stats/moments.ts';
import { turnSpread } from '../../stats/turn-spread.ts';
import type { CompleteRound, JudgedSlice } from './complete-rounds.ts';
import { turnCounts } from './turn-counts.ts';

/** By load level, then by round: the noise of a slice's ln(rate) in each pass, from the slice's turns. */
export type TurnNoise = Map<string, Map<number, PassNoise[]>>;

/** Arms of one pass, and the noise that their turns show; null where they had whole slices. */
interface PassNoise {
  readonly group: number;
  readonly noise: Spread | null;
}

/** Adds the passes of a round in which slices counted. */
export function addTurnNoise(known: TurnNoise, { round, slices }: CompleteRound): void {
  const counted = slices.filter(({ voided }) => voided.length === 0);
  const passOf = ({ slice }: JudgedSlice): string => `${loadKey(slice.load)} ${slice.pass} ${slice.group ?? 0}`;
  for (const members of groupBy(counted, passOf)) {
    const [first] = members;
    if (first === undefined) continue;
    const { load, group = 0 } = first.slice;
    const byRound = known.get(loadKey(load)) ?? new Map<number, PassNoise[]>();
    known.set(loadKey(load), byRound);
    const noise = turnSpread(members.map(({ slice }) => turnCounts(slice)));
    byRound.set(round, [...(byRound.get(round) ?? []), { group, noise }]);
  }
}

/**
 * The same by round of those passes alone that a cell had a part in (`groupOf`, empty where it had one in all). A round
 * in which some such pass shows none is not in the map.
 */
export function turnNoiseUnder(
  known: TurnNoise,
  load: LoadLevel,
  groupOf: ReadonlyMap<number, number>,
): ReadonlyMap<number, Spread> {
  const byRound = known.get(loadKey(load)) ?? new Map<number, PassNoise[]>();
  return new Map(
    [...byRound].flatMap(([round, passes]) => {
      const group = groupOf.get(round);
      const own = passes.filter((pass) => group === undefined || pass.group === group);
      const spreads = own.flatMap(({ noise }) => noise ?? []);
      if (spreads.length === 0 || spreads.length < own.length) return [];
      const together = { variance: mean(spreads.map((one) => one.variance)), df: sum(spreads.map((one) => one.df)) };
      return [[round, together] as const];
    }),
  );
}
