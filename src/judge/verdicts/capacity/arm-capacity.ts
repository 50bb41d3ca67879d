import type { CapacityGuess } from '../../../journal/capacity/capacity-records.ts';
import type { CapacityLimit, CapacitySpec } from '../../../journal/capacity/capacity-spec.ts';
import type { CapacityOutcome } from '../../notes.ts';
import type { CapacityArm, CapacityPoint } from '../../read/rounds/capacity-points.ts';
import { type CurveFinding, type CurvePoint, crossingOf } from '../../stats/capacity-curve.ts';
import { mean, standardDeviation } from '../../stats/moments.ts';

/** The capacity of one arm, from its rounds. */
export interface ArmFinding {
  readonly outcome: CapacityOutcome;
  /** The limit that is broken first; null where none is. */
  readonly limitedBy: string | null;
  /** ln of the load at which it is reached, by round; empty but for `supports` and `unstable`. */
  readonly byRound: ReadonlyMap<number, number>;
  /** Jackknife pseudo-values of these rounds (src/judge/stats/capacity-curve.ts). */
  readonly pseudoValues: readonly number[];
  /** How fast the response falls there (src/judge/stats/capacity-curve.ts); null where that is not known. */
  readonly slope: number | null;
  /** About where it lies, as ln of a load, or up to which load it was seen to sustain all. */
  readonly about: number;
}

/** A round is off by a third of the load, typically: no number can be given then. */
const MOST_SCATTER = 0.3;

/** True where an arm's load is known, or known to be more or less than all that was measured. */
export function isAnswer(outcome: CapacityOutcome): boolean {
  return outcome === 'supports' || outcome === 'not-reached' || outcome === 'below';
}

/** The capacity of an arm: the load at which it reaches its first limit, round by round. */
export function findCapacity({ points }: Pick<CapacityArm, 'points'>, { from, to, until }: CapacitySpec): ArmFinding {
  const nothing = { limitedBy: null, byRound: new Map<number, number>(), pseudoValues: [], slope: null };
  const curves = until.map((limit) => ({ limit, curve: curveOf(points, limit) }));
  const below = curves.find(({ curve }) => curve.kind === 'below');
  if (below !== undefined) {
    const about = Math.log(Math.min(...loadsKnown(points, below.limit)));
    return { ...nothing, outcome: 'below', limitedBy: below.limit.metric, about };
  }
  const crossed = curves
    .flatMap(({ limit, curve }) => (curve.kind === 'crossed' || curve.kind === 'shapeless' ? [{ limit, curve }] : []))
    .sort((a, b) => typicalLoad(a.curve) - typicalLoad(b.curve));
  const [first] = crossed;
  const good = points.filter(({ generatorBusy }) => !generatorBusy).map(({ load }) => load);
  const mostGood = Math.max(...good, 0);
  const busyAbove = points.some(({ generatorBusy, load }) => generatorBusy && load >= mostGood);
  if (first === undefined) {
    if (busyAbove) return { ...nothing, outcome: 'generator', about: Math.log(mostGood || from) };
    // Every limit is kept as far as all of them are known.
    const mostKnown = Math.min(...until.map((limit) => Math.max(0, ...loadsKnown(points, limit))));
    if (mostGood >= to && mostKnown > 0) return { ...nothing, outcome: 'not-reached', about: Math.log(mostKnown) };
    const tried = points.flatMap(({ wanted, load }) => (wanted ? [Math.log(load)] : []));
    return { ...nothing, outcome: 'not-measured', about: tried.length === 0 ? Math.log(from) : mean(tried) };
  }
  const { limit, curve } = first;
  if (curve.kind === 'shapeless') return { ...nothing, outcome: 'unstable', limitedBy: limit.metric, about: curve.at };
  const about = typicalLoad(curve);
  if (busyAbove && about > Math.log(mostGood)) return { ...nothing, outcome: 'generator', about: Math.log(mostGood) };
  const { byRound, pseudoValues, slope } = curve;
  const outcome = scatterOf(byRound) > MOST_SCATTER ? 'unstable' : 'supports';
  return { outcome, limitedBy: limit.metric, byRound, pseudoValues, slope, about };
}

/** The loads at which a limit is known. */
function loadsKnown(points: readonly CapacityPoint[], { metric }: CapacityLimit): number[] {
  return points.flatMap(({ load, values }) => (values.has(metric) ? [load] : []));
}

function curveOf(points: readonly CapacityPoint[], { metric, most }: CapacityLimit): CurveFinding {
  const curve = (some: readonly CapacityPoint[]): CurvePoint[] =>
    some.flatMap(({ round, load, values }) => {
      const value = values.get(metric);
      return value === undefined ? [] : [{ round, load, stress: value / most }];
    });
  return crossingOf(curve(points), curve(points.filter(({ wanted }) => wanted)));
}

function typicalLoad(curve: Extract<CurveFinding, { kind: 'crossed' | 'shapeless' }>): number {
  return curve.kind === 'shapeless' ? curve.at : mean([...curve.byRound.values()]);
}

/** The standard deviation of a round's ln load; 0 where one round cannot show any. */
export function scatterOf(byRound: ReadonlyMap<number, number>): number {
  return byRound.size < 2 ? 0 : standardDeviation([...byRound.values()]);
}

/** The levels to either side lie where the response is higher, and lower, by this; */
const RESPONSE_TO_SIDE = 0.16;
/** beyond what a round is off by, */
const SCATTERS_TO_SIDE = 1.2;
/** and no nearer or further than that, as a logarithm. */
const LEAST_WIDTH = 0.02;
const MOST_WIDTH = 0.3;
/** Towards what spoilt the levels above. */
const GENERATOR_WIDTH = 0.3;

/** Where the next round's levels are wanted for an arm. */
export function guessOf(
  arm: string,
  { outcome, about, slope, byRound }: ArmFinding,
  { from, to }: Pick<CapacitySpec, 'from' | 'to'>,
): CapacityGuess {
  const size = Math.exp(about);
  // Beyond it a limit was not known: a longer look there may tell.
  if ((outcome === 'below' && about > Math.log(from)) || (outcome === 'not-reached' && about < Math.log(to)))
    return { arm, size, width: MOST_WIDTH };
  if (outcome === 'generator') return { arm, size, width: GENERATOR_WIDTH };
  if (outcome === 'unstable' || outcome === 'not-measured') return { arm, size, width: MOST_WIDTH };
  if (outcome !== 'supports' || slope === null) return { arm, size, width: 0 };
  const wanted = Math.max(RESPONSE_TO_SIDE / Math.abs(slope), SCATTERS_TO_SIDE * scatterOf(byRound));
  return { arm, size, width: Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, wanted)) };
}
