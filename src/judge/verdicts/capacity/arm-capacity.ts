import type { CapacityGuess } from '../../../journal/capacity/capacity-records.ts';
import type { CapacityLimit, CapacitySpec } from '../../../journal/capacity/capacity-spec.ts';
import type { CapacityOutcome } from '../../notes.ts';
import type { CapacityArm, CapacityPoint } from '../../read/rounds/capacity-points.ts';
import { type Bracket, bracketOf, readingsWithin } from '../../stats/capacity-bracket.ts';
import { type CurveFinding, type CurvePoint, crossingOf } from '../../stats/capacity-curve.ts';
import type { Interval } from '../../stats/interval.ts';
import { MIN_ROUNDS } from '../../stats/looks.ts';
import { mean, standardDeviation } from '../../stats/moments.ts';

/** The capacity of one arm, from its rounds. */
export interface ArmFinding {
  readonly outcome: CapacityOutcome;
  /** The limit that is broken first; null where none is. */
  readonly limitedBy: string | null;
  /** ln of the load at which it is reached, by round; empty but for `supports` and `unstable`. */
  readonly byRound: ReadonlyMap<number, number>;
  /** Each round's own estimate of the mean, the shape of the curve included (src/judge/stats/capacity-curve.ts). */
  readonly pseudoValues: ReadonlyMap<number, number>;
  /**
   * The loads between which the limit lies where the metric jumps over it: no curve says where between them. Null where
   * a curve does.
   */
  readonly step: Interval | null;
  /** Between which loads the limit probably lies by pass and fail alone: the next levels are wanted there. */
  readonly near: Bracket;
  /** True where the curve does not fit: how often loads pass contradicts its shape. */
  readonly misfits: boolean;
  /** True where the last rounds lie beside the part of the curve that is fitted: their levels tell nothing of its limit. */
  readonly isBeside: boolean;
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

/** The limit of failed requests. */
const FAILED = 'failed';

/** Between rounds: the level of each end of a step's bracket; null where there are too few rounds to be sure of any. */
type Tail = number | null;

/** The level at which pass and fail alone probably have the limit on one side of a load. */
const PROBABLY = 0.15;
/** The level of the test that a curve does not fit. */
const MISFIT = 0.01;
/** The search looks elsewhere after this many rounds in a row that told nothing. */
const IDLE_ROUNDS = 2;
/** As many rounds as that takes at least: where metrics jump, a few decide, and where noise is large, half of all. */
const FEW = 2;

/**
 * The capacity of an arm: where loads cease to keep every limit, the first limit's place round by round. It is read off a
 * curve, as long as what surely keeps and surely breaks the limits does not contradict one.
 */
export function findCapacity(
  { points }: Pick<CapacityArm, 'points'>,
  { from, to, until }: CapacitySpec,
  tail: Tail = null,
): ArmFinding {
  const stresses = allStresses(points, until);
  const near = nearOf(stresses);
  const nothing = {
    limitedBy: null,
    byRound: new Map<number, number>(),
    pseudoValues: new Map(),
    slope: null,
    step: null,
    misfits: false,
    isBeside: false,
    near,
  };
  const curves = until.map((limit) => ({ limit, curve: curveOf(points, limit) }));
  const below = curves.find(({ curve }) => curve.kind === 'below');
  if (below !== undefined) {
    const about = Math.log(Math.min(...loadsKnown(points, below.limit)));
    // Failures are known with less load, too, where too few answers show a percentile: they may be within their limit there.
    const failBelow = curves.some((one) => one.limit.metric === FAILED && one.curve.kind === 'below');
    const limitedBy = failBelow ? brokenLimit(below.limit, points, until) : below.limit.metric;
    return { ...nothing, outcome: 'below', limitedBy, about };
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
    // Every limit is kept as far as all of them are known: it lies beyond, but nothing says that more load keeps them.
    const mostKnown = mostKnownLoad(points, until);
    if (mostKnown > 0)
      return { ...nothing, outcome: mostKnown >= to ? 'not-reached' : 'not-measured', about: Math.log(mostKnown) };
    const tried = points.flatMap(({ wanted, load }) => (wanted ? [Math.log(load)] : []));
    return { ...nothing, outcome: 'not-measured', about: tried.length === 0 ? Math.log(from) : mean(tried) };
  }
  const { limit, curve } = first;
  const limitedBy = brokenLimit(limit, points, until);
  const step = tail === null ? null : stepOf(stresses, curve, tail);
  if (step !== null) {
    const byRound = readingsWithin(stresses, step.low, step.high);
    const about = mean([...byRound.values()]);
    const outcome = Math.log(step.high / step.low) > 2 * MOST_SCATTER ? 'unstable' : 'supports';
    return {
      outcome,
      limitedBy,
      byRound,
      pseudoValues: byRound,
      slope: null,
      step,
      misfits: true,
      isBeside: false,
      near,
      about,
    };
  }
  if (curve.kind === 'shapeless') return { ...nothing, outcome: 'unstable', limitedBy, about: curve.at };
  const about = typicalLoad(curve);
  if (busyAbove && about > Math.log(mostGood)) return { ...nothing, outcome: 'generator', about: Math.log(mostGood) };
  const { byRound, pseudoValues, slope } = curve;
  const outcome = scatterOf(byRound) > MOST_SCATTER ? 'unstable' : 'supports';
  const misfits = curve.misfit < MISFIT;
  const last = [...new Set(stresses.map(({ round }) => round))].slice(-IDLE_ROUNDS);
  const isBeside = last.length === IDLE_ROUNDS && !last.some((round) => byRound.has(round));
  return { outcome, limitedBy, byRound, pseudoValues, slope, step, misfits, isBeside, near, about };
}

/**
 * The name of the limit that a load breaks first: `failed` where a percentile is beyond all measure at the smallest loads that
 * break it, since their requests failed. The curve of a percentile then falls through its limit before that of the failures does.
 */
function brokenLimit(
  { metric, most }: CapacityLimit,
  points: readonly CapacityPoint[],
  until: readonly CapacityLimit[],
): string {
  const failed = until.find((limit) => limit.metric === FAILED);
  const valueAt = (name: string, { values }: CapacityPoint): number => values.get(name) ?? 0;
  const broken = points.filter((point) => point.wanted && valueAt(metric, point) > most);
  const nearest = broken.sort((a, b) => a.load - b.load).slice(0, Math.ceil(broken.length / 2));
  const byFailures = nearest.filter(
    (point) => valueAt(metric, point) === Number.POSITIVE_INFINITY && valueAt(FAILED, point) > (failed?.most ?? 1),
  );
  return 2 * byFailures.length > nearest.length ? FAILED : metric;
}

/** The nearest limit at each wanted load: a load that keeps it keeps all. Without slices of which that is not known. */
function allStresses(points: readonly CapacityPoint[], until: readonly CapacityLimit[]): CurvePoint[] {
  return points.flatMap(({ round, load, wanted, values }) => {
    if (!wanted) return [];
    const known = until.flatMap(({ metric, most }) => {
      const value = values.get(metric);
      return value === undefined ? [] : [value / most];
    });
    const stress = Math.max(0, ...known);
    return known.length === until.length || stress > 1 ? [{ round, load, stress }] : [];
  });
}

/**
 * The bracket of a limit where no curve may narrow it: no load was measured within, or the curve has the limit outside.
 * Null where the curve counts, and where an end is not known.
 */
function stepOf(stresses: readonly CurvePoint[], curve: CurveFinding, tail: number): Interval | null {
  const sure = bracketOf(stresses, { tail, leastRounds: MIN_ROUNDS });
  if (!isKnown(sure)) return null;
  const { low, high } = sure;
  const isOutside =
    curve.kind !== 'crossed' || typicalLoad(curve) <= Math.log(low) || typicalLoad(curve) >= Math.log(high);
  return isOutside || isEmpty(sure, stresses) ? { low, high } : null;
}

/** The narrower ends of what a few rounds and half of them have; of half of them where the two contradict each other. */
function nearOf(stresses: readonly CurvePoint[]): Bracket {
  const rounds = new Set(stresses.map(({ round }) => round)).size;
  const by = (leastRounds: number): Bracket => bracketOf(stresses, { tail: PROBABLY, leastRounds });
  const half = by(Math.max(Math.min(FEW, rounds), Math.ceil(rounds / 2)));
  const few = by(Math.min(FEW, rounds));
  const low = Math.max(half.low ?? 0, few.low ?? 0) || null;
  const high = Math.min(half.high ?? Number.POSITIVE_INFINITY, few.high ?? Number.POSITIVE_INFINITY);
  const both = { low, high: Number.isFinite(high) ? high : null };
  return isKnown(both) ? both : half;
}

/** True where both ends of a bracket are known. */
export function isKnown(bracket: Bracket): bracket is Interval {
  return bracket.low !== null && bracket.high !== null && bracket.low < bracket.high;
}

/** True where no load was measured within. */
function isEmpty({ low, high }: Interval, stresses: readonly CurvePoint[]): boolean {
  return stresses.every(({ load }) => load <= low || load >= high);
}

/** The largest load up to which every limit is known somewhere; 0 where one never is. */
export function mostKnownLoad(points: readonly CapacityPoint[], until: readonly CapacityLimit[]): number {
  return Math.min(...until.map((limit) => Math.max(0, ...loadsKnown(points, limit))));
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
/** Where no limit was met, a round looks up to twice as far: the budget has few rounds to climb in. */
const CLIMB_WIDTH = Math.log(2);

/** Where the next round's levels are wanted for an arm. */
export function guessOf(
  arm: string,
  { outcome, about, slope, byRound, near, misfits, isBeside, step }: ArmFinding,
  { from }: Pick<CapacitySpec, 'from'>,
): CapacityGuess {
  const size = Math.exp(about);
  // Beyond it a limit was not known: a longer look there may tell.
  if (outcome === 'below' && about > Math.log(from)) return { arm, size, width: MOST_WIDTH };
  if (outcome === 'generator') return { arm, size, width: GENERATOR_WIDTH };
  const between = misfits || isBeside ? betweenOf(near) : null;
  const bySlope = slope === null ? MOST_WIDTH : RESPONSE_TO_SIDE / Math.abs(slope);
  const byScatter = SCATTERS_TO_SIDE * scatterOf(byRound);
  // What rounds beside the curve scatter by is not known.
  const isNarrow = ({ width }: Pick<CapacityGuess, 'width'>): boolean =>
    isBeside || (width < bySlope && (step !== null || width >= byScatter));
  if (between !== null && isNarrow(between))
    return { arm, size: between.size, width: Math.max(LEAST_WIDTH, between.width) };
  if (outcome === 'not-measured') return { arm, size, width: CLIMB_WIDTH };
  if (outcome === 'unstable') return { arm, size, width: MOST_WIDTH };
  if (outcome !== 'supports') return { arm, size, width: 0 };
  const wanted = Math.max(Math.min(bySlope, between?.width ?? bySlope), byScatter);
  return { arm, size, width: Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, wanted)) };
}

/** The middle of what is open, and half of it as a logarithm. */
function betweenOf(near: Bracket): Pick<CapacityGuess, 'size' | 'width'> | null {
  if (!isKnown(near)) return null;
  const { low, high } = near;
  return { size: Math.sqrt(low * high), width: Math.log(high / low) / 2 };
}
