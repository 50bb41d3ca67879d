import { groupBy } from '../../base/group-by.ts';
import { type CurvePoint, responseTo } from './capacity-curve.ts';
import { upperT } from './interval.ts';
import { mean, median, standardDeviation } from './moments.ts';

/**
 * The loads between which a limit lies: the largest that surely keeps it and the smallest that surely breaks it. Null
 * where none does.
 */
export interface Bracket {
  readonly low: number | null;
  readonly high: number | null;
}

/** How sure a bracket is. */
export interface Sureness {
  /** The level of the one-sided test of each end. */
  readonly tail: number;
  /** An end is tested by this many rounds with the nearest loads, and by those as near. One round decides by its sign. */
  readonly leastRounds: number;
}

/**
 * Finds between which measured loads a limit lies, with no shape but one: a load that keeps it is not above one that
 * breaks it. Each end inverts one-sided tests over rounds. If the limit were at x or above, every load up to x would
 * keep it. So in each round the nearest load up to x is looked at, and the mean of their responses is compared with 1
 * (Student's t). The upper end is the smallest load from which on each load is refuted, so it is too low with the
 * chance `tail` at most, however many loads there are. The lower end is its mirror. Rounds with the nearest loads are
 * taken: levels are chosen before their round, so this selects no noise.
 */
export function bracketOf(points: readonly CurvePoint[], sureness: Sureness): Bracket {
  const high = leastBroken(points, sureness);
  const mirrored = points.map(({ round, load, stress }) => ({ round, load: 1 / load, stress: 1 / stress }));
  const low = leastBroken(mirrored, sureness);
  return { low: low === null ? null : 1 / low, high };
}

/** Loads of two rounds that differ by so little are one. */
const ROUNDING = 1e-9;

function leastBroken(points: readonly CurvePoint[], { tail, leastRounds }: Sureness): number | null {
  const rounds = groupBy([...points], ({ round }) => round).map((own) => [...own].sort((a, b) => b.load - a.load));
  const loads = [...new Set(points.map(({ load }) => load))].sort((a, b) => b - a);
  let least: number | null = null;
  for (const load of loads) {
    const most = load * (1 + ROUNDING);
    const nearest = rounds
      .flatMap((own) => own.find((point) => point.load <= most) ?? [])
      .sort((a, b) => b.load - a.load);
    const last = nearest[leastRounds - 1];
    if (last === undefined) break;
    const taken = nearest.filter((point) => point.load >= last.load * (1 - ROUNDING));
    if (
      !isBelow(
        taken.map(({ stress }) => responseTo(stress) - 1),
        tail,
      )
    )
      break;
    least = load;
  }
  return least;
}

/** The lower tail of values reaches from their median this many times as far as the upper one. */
const LONGER_TAIL = 2;

/**
 * True where the mean of values is below 0 by Student's t. Values far below the others are pulled in: of a load far from
 * the limit they are no noise, and would hide what the others show. Noise that is pulled in is narrower, and a third of the
 * level makes up for that.
 */
function isBelow(values: readonly number[], tail: number): boolean {
  if (values.length < 2) return mean(values) < 0;
  const centre = median(values);
  const least = centre - LONGER_TAIL * (Math.max(...values) - centre);
  const pulledIn = values.map((value) => Math.max(least, value));
  const level = Math.min(...values) < least ? tail / 3 : tail;
  const error = standardDeviation(pulledIn) / Math.sqrt(values.length);
  return mean(pulledIn) < -upperT(level, values.length - 1) * error;
}

/**
 * Where a round by itself has the limit within a bracket, as ln of a load: halfway between its last load that keeps it
 * and its first that breaks it, where as little as possible speaks against the split.
 */
export function readingsWithin(points: readonly CurvePoint[], low: number, high: number): Map<number, number> {
  const readings = new Map<number, number>();
  for (const own of groupBy([...points], ({ round }) => round)) {
    const inside = own.filter(({ load }) => load > low * (1 + ROUNDING) && load < high * (1 - ROUNDING));
    inside.sort((a, b) => a.load - b.load);
    const loads = [low, ...inside.map(({ load }) => load), high];
    let [best, after, agreed] = [0, 0, 0];
    inside.forEach(({ stress }, index) => {
      agreed += responseTo(stress) - 1;
      if (agreed > best) [best, after] = [agreed, index + 1];
    });
    const round = own[0]?.round ?? 0;
    readings.set(round, (Math.log(loads[after] ?? low) + Math.log(loads[after + 1] ?? high)) / 2);
  }
  return readings;
}
