import { createRandom, type Random } from '../../base/random.ts';
import { studentTQuantile } from './distributions.ts';
import { mean, sum } from './moments.ts';

/** How change points are looked for. */
export interface ChangePointOptions {
  /** The chance that a series of nothing but noise is found to change. */
  readonly level: number;
  /** Fewest values between two change points. */
  readonly minSize: number;
  readonly seed: number;
}

/** Between the value before `index` and the one at it the series changes. */
export interface ChangePoint {
  readonly index: number;
  /** First and last index at which the change may have come, at 95 %. */
  readonly where: readonly [first: number, last: number];
  /** Mean after it less mean before it, each up to the next change point, with its 95 % interval. */
  readonly size: number;
  readonly interval: readonly [low: number, high: number];
}

/** As for a gate that a team must not learn to ignore: Hunter's level (Fleming and others, ICPE 2023). */
const DEFAULT_OPTIONS: ChangePointOptions = { level: 0.001, minSize: 3, seed: 1 };

/**
 * The change points of a series, ascending, by E-divisive means (Matteson and James, A nonparametric approach for
 * multiple change point analysis of multivariate data, JASA 109, 2014, with alpha = 1). MongoDB and Hunter use it on
 * results by commit. The split that divides best is tested by permutations within the segments found so far, and kept
 * while the chance of as good a split is at most `level`. Then each point is placed again between its neighbours. Equal
 * values and seeds give equal points.
 */
export function changePoints(values: readonly number[], options: Partial<ChangePointOptions> = {}): ChangePoint[] {
  const { level, minSize, seed } = { ...DEFAULT_OPTIONS, ...options };
  const random = createRandom(seed);
  const found: number[] = [];
  for (;;) {
    const segments = segmentsOf(values, found);
    const best = bestOf(segments, minSize);
    if (best === null || !isSignificant(segments, best.q, { level, minSize, seed }, random)) break;
    found.push(best.index);
    found.sort((a, b) => a - b);
  }
  const placed = relocate(values, found, minSize);
  return placed.map((index, i) => {
    const [start, end] = [placed[i - 1] ?? 0, placed[i + 1] ?? values.length];
    return describe(values.slice(start, end), index - start, start, minSize, random);
  });
}

/**
 * Q(tau) for a split before each index, the second part up to the end: n m / (n + m) times the energy distance of the
 * two parts. 0 where a part would have fewer than two values.
 */
export function divergences(values: readonly number[]): number[] {
  const sums = sumsOf(values);
  return values.map((_, tau) =>
    tau < 2 || values.length - tau < 2 ? 0 : divergence(sums, values.length + 1, tau, values.length),
  );
}

interface Segment {
  readonly start: number;
  readonly values: readonly number[];
}

interface Split {
  /** In the whole series. */
  readonly index: number;
  readonly q: number;
}

function segmentsOf(values: readonly number[], found: readonly number[]): Segment[] {
  const bounds = [0, ...found, values.length];
  return bounds.slice(0, -1).map((start, i) => ({ start, values: values.slice(start, bounds[i + 1]) }));
}

function bestOf(segments: readonly Segment[], minSize: number): Split | null {
  return segments.reduce<Split | null>((best, { start, values }) => {
    const split = bestSplit(values, minSize, false);
    if (split === null || (best !== null && split.q <= best.q)) return best;
    return { index: start + split.index, q: split.q };
  }, null);
}

/**
 * The split of a segment that divides best. The second part ends where it is most unlike the first, or at the segment's
 * end. So a change that is undone later does not hide itself.
 */
function bestSplit(values: readonly number[], minSize: number, toEnd: boolean): Split | null {
  const length = values.length;
  if (length < 2 * minSize) return null;
  const sums = sumsOf(values);
  let best: Split | null = null;
  for (let tau = minSize; tau <= length - minSize; tau++) {
    for (let kappa = toEnd ? length : tau + minSize; kappa <= length; kappa++) {
      const q = divergence(sums, length + 1, tau, kappa);
      if (best === null || q > best.q) best = { index: tau, q };
    }
  }
  return best;
}

/**
 * Asks of permutations of a segment whether a split divides one as well as that: what is clearly less shows by
 * multiplications alone, in the same memory for all.
 */
function comparison(length: number, minSize: number, least: number): (values: readonly number[]) => boolean {
  if (length < 2 * minSize) return () => false;
  const width = length + 1;
  const sums = new Float64Array(width * width);
  const whole = new Float64Array(width);
  const perOther = Float64Array.from({ length }, (_, others) => 1 / others);
  const nearly = least * (1 - ROUNDING);
  return (values) => {
    sumsOf(values, sums);
    for (let i = 0; i < width; i++) whole[i] = sums[i * width + i] as number;
    for (let tau = minSize; tau <= length - minSize; tau++) {
      const left = whole[tau] as number;
      const leftShare = left / (tau - 1);
      for (let kappa = tau + minSize; kappa <= length; kappa++) {
        const m = kappa - tau;
        const both = sums[tau * width + kappa] as number;
        const right = (whole[kappa] as number) - 2 * both + left;
        // The divergence times n + m, which is kappa.
        const times = 2 * (both - left) - m * leftShare - tau * right * (perOther[m - 1] as number);
        if (times >= nearly * kappa && divergence(sums, width, tau, kappa) >= least) return true;
      }
    }
    return false;
  };
}

/** At [i (length + 1) + j] the sum of |x - y| over the first i and the first j values, i being no more than j. */
function sumsOf(values: readonly number[], sums = new Float64Array((values.length + 1) ** 2)): Float64Array {
  const width = values.length + 1;
  const series = new Float64Array(values);
  for (let i = 0; i < series.length; i++) {
    const x = series[i] as number;
    let row = 0;
    for (let j = 0; j < i; j++) row += Math.abs(x - (series[j] as number));
    for (let j = i; j < series.length; j++) {
      row += Math.abs(x - (series[j] as number));
      sums[(i + 1) * width + j + 1] = (sums[i * width + j + 1] as number) + row;
    }
  }
  return sums;
}

/** The divergence of the values before tau from those from tau to kappa. */
function divergence(sums: Float64Array, width: number, tau: number, kappa: number): number {
  const n = tau;
  const m = kappa - tau;
  const left = sums[tau * width + tau] ?? 0;
  const both = sums[tau * width + kappa] ?? 0;
  const between = both - left;
  const right = (sums[kappa * width + kappa] ?? 0) - 2 * both + left;
  // Sums within a part have each pair twice.
  const energy = (2 * between) / (n * m) - left / (n * (n - 1)) - right / (m * (m - 1));
  return ((n * m) / (n + m)) * energy;
}

/** Equal splits of permuted values must count as equal, whatever the computer adds. */
const ROUNDING = 1e-9;

function isSignificant(
  segments: readonly Segment[],
  observed: number,
  { level, minSize }: ChangePointOptions,
  random: Random,
): boolean {
  if (!(observed > 0)) return false;
  const least = observed * (1 - ROUNDING);
  const tests = segments.map(({ values }) => comparison(values.length, minSize, least));
  let [drawn, exceeding] = [0, 0];
  for (const { permutations, most } of LOOKS) {
    for (; drawn < Math.ceil(permutations / level) - 1; drawn++) {
      const shuffled = segments.map(({ values }) => random.shuffle(values));
      if (tests.some((dividesAsWell, i) => dividesAsWell(shuffled[i] ?? []))) exceeding++;
      if (exceeding > MOST_ALIKE) return false;
    }
    if (exceeding <= most) return true;
  }
  return false;
}

/**
 * A split is significant if at one of these looks at most this many permutations divide as well; permutations are in
 * units of 1 / level. The last look decides what is near the level, whatever the seed. With 1 / level permutations
 * alone, none of which may divide as well, a split with a chance of 0.6 level would be lost in 45 of 100 seeds. It
 * allows one permutation less than the level does, which pays for the looks before it: they let another exp(-5) / 5 of
 * the level of noise pass, 0.13 %, and the last one gives back 1 %.
 */
const MOST_ALIKE = 98;
const LOOKS = [
  { permutations: 5, most: 0 },
  { permutations: 20, most: 6 },
  { permutations: 100, most: MOST_ALIKE },
] as const;

/** A split of this share of the level or less is found in 97 of 100 seeds: 80 of 99,999 are expected, and 98 allowed. */
const SURE_SHARE = 0.8;

/**
 * Fewest values that a step of any size needs before and after it, to be found in a series of this many. Null: no step
 * can be found. Two of all orders of the values divide as well as a step that separates them: itself and its mirror
 * image.
 */
export function fewestBesideStep(
  count: number,
  { level, minSize }: Omit<ChangePointOptions, 'seed'> = DEFAULT_OPTIONS,
): number | null {
  let orders = 1;
  for (let beside = 1; beside <= count / 2; beside++) {
    orders *= (count - beside + 1) / beside;
    if (beside >= minSize && 2 / orders <= SURE_SHARE * level) return beside;
  }
  return null;
}

/** Each point where it divides best between its neighbours: those found first did not know of those found later. */
function relocate(values: readonly number[], found: readonly number[], minSize: number): number[] {
  const placed = [...found];
  for (const [i] of placed.entries()) {
    const [start, end] = [placed[i - 1] ?? 0, placed[i + 1] ?? values.length];
    const split = bestSplit(values.slice(start, end), minSize, true);
    if (split !== null) placed[i] = start + split.index;
  }
  return placed;
}

const RESAMPLES = 400;
const TAIL = 0.025;

/**
 * Place and size of a change. The place comes from a bootstrap of the residuals about the two means (Antoch, Huskova and
 * Veraverbeke, Change-point problem and bootstrap, Journal of Nonparametric Statistics 5, 1995), enlarged by
 * sqrt(n / (n - 1)). The interval of the size is Student's, with the noise of both sides: three values on one side are too
 * few for a bootstrap, which held the truth in 78 of 100. It is widened to the bootstrap's. Each resample is placed again,
 * so this one includes the uncertainty of the place.
 */
function describe(
  values: readonly number[],
  index: number,
  start: number,
  minSize: number,
  random: Random,
): ChangePoint {
  const parts = [values.slice(0, index), values.slice(index)] as const;
  const means = parts.map(mean);
  const residuals = parts.map((part, side) => {
    const enlarge = Math.sqrt(part.length / Math.max(1, part.length - 1));
    return part.map((value) => enlarge * (value - (means[side] ?? 0)));
  });
  const sizeAt = (series: readonly number[], at: number): number => mean(series.slice(at)) - mean(series.slice(0, at));
  const size = sizeAt(values, index);
  const student = studentTQuantile(1 - TAIL, values.length - 2) * errorOf(parts, means);
  const places: number[] = [];
  const sizes: number[] = [];
  for (let i = 0; i < RESAMPLES; i++) {
    const series = parts.flatMap((part, side) =>
      part.map(() => (means[side] ?? 0) + random.pick(residuals[side] ?? [0])),
    );
    const at = bestSplit(series, minSize, true)?.index ?? index;
    places.push(at);
    sizes.push(sizeAt(series, at));
  }
  const quantile = (sorted: readonly number[], share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(share * (sorted.length - 1))))] ?? Number.NaN;
  places.sort((a, b) => a - b);
  sizes.sort((a, b) => a - b);
  return {
    index: start + index,
    where: [start + Math.min(index, quantile(places, TAIL)), start + Math.max(index, quantile(places, 1 - TAIL))],
    size,
    interval: [Math.min(size - student, quantile(sizes, TAIL)), Math.max(size + student, quantile(sizes, 1 - TAIL))],
  };
}

/** Standard error of the difference of two means; both sides scatter alike. */
function errorOf(parts: readonly (readonly number[])[], means: readonly number[]): number {
  const squares = parts.flatMap((part, side) => part.map((value) => (value - (means[side] ?? 0)) ** 2));
  const variance = sum(squares) / (squares.length - parts.length);
  return Math.sqrt(variance * sum(parts.map(({ length }) => 1 / length)));
}
