import { lackOfFit } from './lack-of-fit.ts';
import { mean, sum } from './moments.ts';

/** One arm at one load in one round. */
export interface CurvePoint {
  readonly round: number;
  readonly load: number;
  /** A metric against its limit: 1 where the limit is just reached, Infinity beyond all measure. */
  readonly stress: number;
}

/** Where the curve of a metric crosses its limit. */
export interface Crossed {
  readonly kind: 'crossed';
  /** ln of the load, by round. */
  readonly byRound: ReadonlyMap<number, number>;
  /** Jackknife pseudo-values by round: their scatter is the noise of the mean. */
  readonly pseudoValues: ReadonlyMap<number, number>;
  /** How fast the response falls there, for each unit of ln load: below 0. */
  readonly slope: number;
  /** The p-value of the curve's lack of fit, from loads that several rounds had. */
  readonly misfit: number;
}

/**
 * `beyond`: the limit is kept at the highest load. `below`: it is broken at the lowest. `shapeless`: more load does not
 * make it worse where it is crossed. `nothing`: there are no points.
 */
export type CurveFinding =
  | Crossed
  /** `at`: ln of the load near which it is crossed. */
  | { readonly kind: 'shapeless'; readonly at: number }
  | { readonly kind: 'beyond' | 'below' | 'nothing' };

/** The part of the curve that is fitted: as far as the response is about straight, and within reason. */
const REACH = 0.25;
const LEAST_REACH = 0.02;
const MOST_REACH = 0.45;
/**
 * The window is widened by this factor until the slope's standard error is at most this share of it. If it never is, a
 * larger share will do.
 */
const WIDER = 1.4;
const KNOWN = 0.2;
const KNOWN_AT_LAST = 0.5;
const MIDDLE = 0.25;
const MOST_STEPS = 30;
const CLOSE = 1e-4;
/** A curvature is fitted where this many points are left beside a level for each round. */
const CURVED_POINTS = 6;

/**
 * The response of a metric to load: 2 at no stress, 1 at the limit, 0 where it exceeds all measure. It is the logistic
 * function of -ln(stress), with its turning point at the limit. Noise of ln(stress), such as latency noise, moves it
 * neither up nor down there, and what explodes beyond saturation is no outlier. 1 / latency is about straight in load
 * near saturation (of M/M/1 exactly).
 */
export function responseTo(stress: number): number {
  return 2 / (1 + stress);
}

/**
 * Finds where the response falls through 1, round by round. A monotone curve through the means of `all` points shows
 * about where. Points of `wanted` near it are fitted by local regression (Cleveland 1979) with rounds as blocks: a
 * parabola in ln load, weighted by distance. Each round has its own height; slope and curvature are shared. A round
 * whose levels lie beside its crossing is read along the shared slope.
 */
export function crossingOf(all: readonly CurvePoint[], wanted: readonly CurvePoint[]): CurveFinding {
  const levels = meansByLoad(all);
  if (levels.length === 0) return { kind: 'nothing' };
  const falling = monotone(levels);
  const start = firstCrossing(falling);
  if (typeof start === 'string') return { kind: start };
  if (wanted.length === 0) return { kind: 'nothing' };
  return fitAround(wanted, start);
}

interface Level {
  readonly x: number;
  readonly response: number;
  readonly weight: number;
}

function meansByLoad(points: readonly CurvePoint[]): Level[] {
  const byLoad = new Map<number, number[]>();
  for (const { load, stress } of points) byLoad.set(load, [...(byLoad.get(load) ?? []), responseTo(stress)]);
  return [...byLoad]
    .sort(([a], [b]) => a - b)
    .map(([load, responses]) => ({ x: Math.log(load), response: mean(responses), weight: responses.length }));
}

/** The closest curve that never rises: neighbours that do are pooled (Ayer et al. 1955). */
function monotone(levels: readonly Level[]): Level[] {
  const pools: { response: number; weight: number; members: Level[] }[] = [];
  for (const level of levels) {
    let pool = { response: level.response, weight: level.weight, members: [level] };
    for (let last = pools.at(-1); last !== undefined && last.response < pool.response; last = pools.at(-1)) {
      pools.pop();
      const weight = last.weight + pool.weight;
      const response = (last.response * last.weight + pool.response * pool.weight) / weight;
      pool = { response, weight, members: [...last.members, ...pool.members] };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ response, members }) => members.map(({ x, weight }) => ({ x, weight, response })));
}

/** About where a falling curve goes through 1, and how steeply. */
function firstCrossing(levels: readonly Level[]): Centre | 'beyond' | 'below' {
  const after = levels.findIndex(({ response }) => response < 1);
  const [low, high] = [levels[after - 1], levels[after]];
  if (high === undefined) return 'beyond';
  if (low === undefined) return 'below';
  const slope = (high.response - low.response) / (high.x - low.x);
  return { x: low.x + (1 - low.response) / slope, slope };
}

interface Centre {
  readonly x: number;
  readonly slope: number;
}

/** From a guess to where the fit agrees with itself. */
function fitAround(points: readonly CurvePoint[], start: Centre): CurveFinding {
  let centre = start;
  let fit: Fit | null = null;
  for (let step = 0; step < MOST_STEPS; step++) {
    fit = fitLocally(points, centre);
    if (fit === null) return { kind: 'shapeless', at: start.x };
    const { slope } = fit.shape;
    const x = meanOf(fit);
    const moved = Math.abs(x - centre.x) + Math.abs(1 / slope - 1 / centre.slope);
    // Half a step: levels enter and leave the window on the way.
    centre = { x: (x + centre.x) / 2, slope: 2 / (1 / slope + 1 / centre.slope) };
    if (moved < CLOSE) break;
  }
  if (fit === null) return { kind: 'shapeless', at: start.x };
  const placed = fit.rounds.flatMap(({ points: own }) =>
    own.map(({ round, t, response }) => ({ block: round, x: t, y: response })),
  );
  const misfit = lackOfFit(placed);
  return { kind: 'crossed', byRound: crossings(fit), pseudoValues: pseudoValues(fit), slope: fit.shape.slope, misfit };
}

/** The points of a window with the shape that their rounds share. */
interface Fit {
  readonly rounds: readonly RoundPoints[];
  readonly shape: Shape;
  /** True where a curvature was fitted. */
  readonly curved: boolean;
  readonly x: number;
  readonly reach: number;
}

/**
 * Jackknife pseudo-values, one a round (Tukey, 1958): n times the mean of all less n - 1 times the mean without that
 * round. Where the shape follows one round, its pseudo-value shows it, so the interval includes the uncertainty of the
 * shape.
 */
function pseudoValues(fit: Fit): Map<number, number> {
  const all = crossings(fit);
  const count = all.size;
  if (count < 3) return all;
  const whole = meanOf(fit);
  return new Map(
    [...all].map(([round, own]) => {
      const rounds = fit.rounds.filter((other) => other.round !== round);
      const shape = shapeOf(rounds, fit.curved);
      if (shape === null || shape.slope >= 0) return [round, own];
      return [round, count * whole - (count - 1) * meanOf({ ...fit, rounds, shape })];
    }),
  );
}

function meanOf(fit: Fit): number {
  return mean([...crossings(fit).values()]);
}

interface Weighted {
  readonly round: number;
  /** ln load from the centre. */
  readonly t: number;
  readonly response: number;
  readonly weight: number;
}

/** In the smallest window in which the slope is known well enough. */
function fitLocally(points: readonly CurvePoint[], { x, slope }: Centre): Fit | null {
  for (let reach = reachOf(slope); ; reach *= WIDER) {
    const seen = window(points, x, reach);
    const rounds = groupByRound(seen);
    const curved = seen.length - rounds.length >= CURVED_POINTS && distinct(seen) > 2;
    const isAll = seen.length === points.length && reach > MOST_REACH;
    const shape = [curved, false].flatMap((bends) => {
      const found = shapeOf(rounds, bends);
      // Where it would rise again near the middle of the window, it is no shape to read loads off.
      const near = MIDDLE * Math.min(reach, MOST_REACH);
      const falls = found !== null && found.slope + 2 * Math.abs(found.bend) * near < 0;
      const isKnown = found !== null && found.error <= (isAll ? KNOWN_AT_LAST : KNOWN) * Math.abs(found.slope);
      return falls && isKnown ? [{ shape: found, curved: bends }] : [];
    })[0];
    if (shape !== undefined) return { rounds, ...shape, x, reach };
    if (isAll) return null;
  }
}

/** Where each round's curve goes through 1, as ln of a load. */
function crossings({ rounds, shape, x, reach }: Fit): Map<number, number> {
  return new Map(
    rounds.map(({ round, points }) => {
      const height = weightedOver(points, ({ t, response }) => response - shape.slope * t - shape.bend * t * t);
      return [round, x + Math.max(-2 * reach, Math.min(2 * reach, rootOf({ ...shape, height })))];
    }),
  );
}

function reachOf(slope: number): number {
  return Math.max(LEAST_REACH, Math.min(MOST_REACH, REACH / Math.abs(slope)));
}

/** The points near the centre, the nearer the heavier (tricube). */
function window(points: readonly CurvePoint[], x: number, reach: number): Weighted[] {
  return points.flatMap(({ round, load, stress }): Weighted[] => {
    const t = Math.log(load) - x;
    const weight = (1 - Math.min(1, Math.abs(t) / reach) ** 3) ** 3;
    return weight > 0 ? [{ round, t, response: responseTo(stress), weight }] : [];
  });
}

function distinct(points: readonly Weighted[]): number {
  return new Set(points.map(({ t }) => t)).size;
}

interface RoundPoints {
  readonly round: number;
  readonly points: readonly Weighted[];
}

function groupByRound(points: readonly Weighted[]): RoundPoints[] {
  const rounds = new Map<number, Weighted[]>();
  for (const point of points) rounds.set(point.round, [...(rounds.get(point.round) ?? []), point]);
  return [...rounds].map(([round, own]) => ({ round, points: own }));
}

function weightedOver(points: readonly Weighted[], of: (point: Weighted) => number): number {
  return sum(points.map((point) => point.weight * of(point))) / sum(points.map(({ weight }) => weight));
}

interface Shape {
  readonly slope: number;
  /** The standard error of the slope. */
  readonly error: number;
  readonly bend: number;
}

/** Weighted least squares of what is left of each round when its own mean is taken out. Null where levels do not show it. */
function shapeOf(rounds: readonly RoundPoints[], curved: boolean): Shape | null {
  let [tt, tq, qq, tr, qr, rr, count] = [0, 0, 0, 0, 0, 0, 0];
  for (const { points } of rounds) {
    const [t0, q0, r0] = [
      weightedOver(points, ({ t }) => t),
      weightedOver(points, ({ t }) => t * t),
      weightedOver(points, ({ response }) => response),
    ];
    // A round of one level says nothing about the shape.
    count += sum(points.map(({ weight }) => weight)) - Math.max(...points.map(({ weight }) => weight));
    for (const { t, response, weight } of points) {
      const [dt, dq, dr] = [t - t0, t * t - q0, response - r0];
      tt += weight * dt * dt;
      tq += weight * dt * dq;
      qq += weight * dq * dq;
      tr += weight * dt * dr;
      qr += weight * dq * dr;
      rr += weight * dr * dr;
    }
  }
  const determinant = curved ? tt * qq - tq * tq : tt;
  if (tt <= 0 || determinant <= (curved ? 1e-9 * tt * qq : 0)) return null;
  if (!curved) {
    const left = Math.max(0, rr - (tr * tr) / tt) / Math.max(1, count - 1);
    return { slope: tr / tt, bend: 0, error: Math.sqrt(left / tt) };
  }
  const [slope, bend] = [(tr * qq - qr * tq) / determinant, (qr * tt - tr * tq) / determinant];
  const left = Math.max(0, rr - slope * tr - bend * qr) / Math.max(1, count - 2);
  // As much of it as is more than its noise (James and Stein's positive part): all of it moves what is read off.
  const kept = bend * Math.max(0, 1 - (left * tt) / determinant / bend ** 2);
  return { slope: (tr - kept * tq) / tt, bend: kept, error: Math.sqrt((left * qq) / determinant) };
}

/** Where height + slope t + bend t^2 is 1, on the branch that falls; where it never is, its turning point. */
function rootOf({ height, slope, bend }: Omit<Shape, 'error'> & { readonly height: number }): number {
  const discriminant = slope * slope - 4 * bend * (height - 1);
  if (discriminant < 0) return -slope / (2 * bend);
  return (-2 * (height - 1)) / (slope - Math.sqrt(discriminant));
}
