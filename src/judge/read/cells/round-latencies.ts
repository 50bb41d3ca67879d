import { answersFor, type NamedPercentile, namedPercentiles } from '../../../journal/run/percentiles.ts';
import type { Gap } from '../metrics/metrics.ts';
import type { LatencyCounts } from './latency-counts.ts';

/** Half the steps of an octave's bins, each 0.4 to 0.8 % wide: finer ones would take more memory and tell no more. */
const HALF = 128;
/** The bins of all latencies, up to 2^30 us. */
const BINS = HALF * 24;

/** The lower end of each bin, ln(us). Latencies are whole microseconds, so that each stands for half of one on either side. */
const logEdges = Float64Array.from({ length: BINS + 1 }, (_, bin) => Math.log(Math.max(0.5, lowestIn(bin) - 0.5)));

/** A percentile of one cell: ln(ms) as a mean over rounds (pooled-percentile.ts). */
export interface PooledPercentile {
  readonly logByRound: ReadonlyMap<number, number>;
  /** Set where all rounds together have too few answers. */
  readonly tooFew: Gap | null;
}

/** The latencies of a cell round by round, counted in bins, for what is read of all rounds together. */
export class RoundLatencies {
  /** By round, its bins that have any: how many bins after the one before, and how many latencies; as LEB128. */
  readonly #byRound: Map<number, Uint8Array>;
  #read: ReadonlyMap<NamedPercentile, PooledPercentile> | null = null;

  constructor(byRound: Iterable<readonly [number, Uint8Array]> = []) {
    this.#byRound = new Map(byRound);
  }

  /** Sets the latencies of a round. */
  set(round: number, latencies: LatencyCounts): void {
    this.#byRound.set(round, encode(latencies));
    this.#read = null;
  }

  /** The given rounds, each as the other one has it, where it has it. */
  withRounds(rounds: Iterable<number>, other: RoundLatencies): RoundLatencies {
    const found = [...rounds].map((round) => [round, other.#byRound.get(round) ?? this.#byRound.get(round)] as const);
    return new RoundLatencies(
      found.flatMap(([round, bytes]) => (bytes === undefined ? [] : [[round, bytes] as const])),
    );
  }

  /** A percentile of all rounds together. */
  percentile(percent: NamedPercentile): PooledPercentile {
    this.#read ??= this.#readAll();
    return this.#read.get(percent) ?? unknown;
  }

  #readAll(): ReadonlyMap<NamedPercentile, PooledPercentile> {
    const rounds = [...this.#byRound.values()].map(decode);
    let [first, end, total] = [BINS, 0, 0];
    for (const { bins, upwards } of rounds) {
      for (let i = 0; i < bins.length; i++) {
        const bin = bins[i] as number;
        scratch[bin] = (scratch[bin] as number) + (upwards[i] as number) - (upwards[i + 1] as number);
      }
      total += upwards[0] ?? 0;
      first = Math.min(first, bins[0] ?? BINS);
      end = Math.max(end, (bins.at(-1) ?? -1) + 1);
    }
    const all: Binned = { counts: scratch, first, end, total, logEdges };
    const read = namedPercentiles.map((percent) => [percent, this.#percentileOf(all, rounds, percent)] as const);
    if (first < end) scratch.fill(0, first, end);
    return new Map(read);
  }

  #percentileOf(all: Binned, rounds: readonly RoundBins[], percent: NamedPercentile): PooledPercentile {
    const needed = answersFor(percent);
    const at = quantilePlace(all, percent / 100);
    if (at === null || all.total < needed) return { ...unknown, tooFew: { samples: all.total, needed } };
    const logs = percentileByRound(all, percent / 100, (place) => rounds.map((round) => aboveIn(round, place)), at);
    const logByRound = [...this.#byRound.keys()].map(
      (round, i) => [round, (logs[i] ?? Number.NaN) - LOG_US_IN_MS] as const,
    );
    return { logByRound: new Map(logByRound), tooFew: null };
  }
}

const unknown: PooledPercentile = { logByRound: new Map(), tooFew: null };
const LOG_US_IN_MS = Math.log(1000);
/** All its counts are 0 between two uses. */
const scratch = new Float64Array(BINS);

/** The bin that a histogram's bucket lies in: from 1,024 us on, a bin is eight buckets wide. */
function binOf(bucket: number): number {
  const octave = Math.min(3, Math.max(0, 24 - Math.clz32(bucket)));
  return Math.min(BINS - 1, HALF * octave + (bucket >> octave));
}

/** The smallest latency of a bin, in microseconds. */
function lowestIn(bin: number): number {
  if (bin < 2 * HALF) return bin;
  const octave = Math.floor(bin / HALF) - 1;
  return (bin - HALF * octave) * 2 ** octave;
}

function encode(latencies: LatencyCounts): Uint8Array {
  const bytes: number[] = [];
  const write = (value: number): void => {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
    bytes.push(rest);
  };
  const { first, end } = latencies.addToBins(scratch, binOf);
  let before = 0;
  for (let bin = first; bin < end; bin++) {
    const own = scratch[bin] as number;
    if (own === 0) continue;
    write(bin - before);
    write(own);
    before = bin;
  }
  scratch.fill(0, first, end);
  return Uint8Array.from(bytes);
}

/** The latencies of a round: its bins that have any, ascending, and how many lie in each of them or above, with a 0 at the end. */
interface RoundBins {
  readonly bins: Int32Array;
  readonly upwards: Float64Array;
}

function decode(bytes: Uint8Array): RoundBins {
  // Each bin takes two bytes or more.
  const [bins, upwards] = [new Int32Array(bytes.length / 2), new Float64Array(bytes.length / 2 + 1)];
  let [at, bin, found] = [0, 0, 0];
  const read = (): number => {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value += factor * (byte & 0x7f);
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
  };
  while (at < bytes.length) {
    bin += read();
    bins[found] = bin;
    upwards[found++] = read();
  }
  upwards[found] = 0;
  for (let i = found - 1; i >= 0; i--) upwards[i] = (upwards[i] as number) + (upwards[i + 1] as number);
  return { bins: bins.subarray(0, found), upwards: upwards.subarray(0, found + 1) };
}

function aboveIn({ bins, upwards }: RoundBins, { bin, within }: Pick<Place, 'bin' | 'within'>): RoundAbove {
  let [i, end] = [0, bins.length];
  while (i < end) {
    const middle = (i + end) >> 1;
    if ((bins[middle] as number) < bin) i = middle + 1;
    else end = middle;
  }
  const [from, beyond] = [upwards[i] as number, upwards[i + 1] as number];
  return { count: upwards[0] as number, above: bins[i] === bin ? beyond + (from - beyond) * (1 - within) : from };
}

/** Values of several rounds together, counted in bins; no bin before the first, or from the end on, has any. */
export interface Binned {
  /** How many values each bin has. */
  readonly counts: Float64Array;
  readonly first: number;
  readonly end: number;
  readonly total: number;
  /** ln of the lower end of each bin, and of the upper end of the last. */
  readonly logEdges: Float64Array;
}

/** A place among binned values: a bin, how far into it (0..1), and ln of the value there. */
interface Place {
  readonly bin: number;
  readonly within: number;
  readonly log: number;
}

/** Where so large a share of the values lies below; within a bin ln(value) rises evenly with the rank. Null without values. */
export function quantilePlace({ counts, first, end, total, logEdges }: Binned, share: number): Place | null {
  const wanted = share * total;
  let below = 0;
  for (let bin = first; bin < end; bin++) {
    const own = counts[bin] as number;
    if (own > 0 && below + own >= wanted) {
      const within = Math.max(0, (wanted - below) / own);
      const [low, high] = [logEdges[bin] as number, logEdges[bin + 1] as number];
      return { bin, within, log: low + within * (high - low) };
    }
    below += own;
  }
  return null;
}

/** How far to either side of its rank a percentile is looked at for how steep values are there, in standard errors of the rank. */
const REACH = 1.5;
/** A place is looked for to the 64th part of its bin. */
const WITHIN_STEPS = 6;

/** How many values a round has, and how many of them are above a place among all values. */
interface RoundAbove {
  readonly count: number;
  readonly above: number;
}

/**
 * A percentile of all rounds together as a mean over rounds, so that it is judged like any other metric. Each round has
 * ln(percentile) + its contribution, by how many more or fewer values than its part lie above (Bahadur, A note on
 * quantiles in large samples, 1966). Their mean is ln(percentile). Their scatter is the scatter of the share above, by
 * rounds, as in Woodruff's intervals (Confidence intervals for medians and other position measures, 1952; for clusters
 * Francisco and Fuller, Quantile estimation with a complex survey design, 1991).
 *
 * The value of a share is taken from the values one and a half standard errors of the rank away, on the side where they
 * are further off. If values are of two kinds and the percentile lies near the gap between them, it may fall on either
 * side of it. Below, the standard error is that of each place itself: where one stall of one round holds more values than lie
 * above the percentile, the share above it scatters by little, and that above the whole stall by much.
 */
export function percentileByRound(
  binned: Binned,
  share: number,
  aboveIn: (place: Pick<Place, 'bin' | 'within'>) => readonly RoundAbove[],
  at: Place,
): number[] {
  const { total } = binned;
  const own = excessAbove(aboveIn(at), share, total);
  const n = own.byRound.length;
  const byChance = Math.sqrt((share * (1 - share)) / total);
  const error = Math.max(byChance, own.error);
  const [below, above] = [share - REACH * error, Math.min(share + REACH * error, 1 - 0.5 / total)];
  const slope = Math.max(
    slopeTo(binned, share, at, Math.max(below, 0.5 / total)),
    slopeTo(binned, share, at, above),
    (at.log - lowestLikely(binned, share, aboveIn, at)) / (REACH * error),
  );
  return own.byRound.map((one) => at.log + n * slope * one);
}

/** By how much more than its part each round has above a place, as shares of all values; their sum, and its standard error. */
function excessAbove(rounds: readonly RoundAbove[], share: number, total: number) {
  const n = rounds.length;
  const byRound = rounds.map(({ count, above }) => (above - (1 - share) * count) / total);
  const sum = byRound.reduce((all, one) => all + one, 0);
  const squares = byRound.reduce((all, one) => all + (one - sum / n) ** 2, 0);
  return { byRound, sum, error: n < 2 ? 0 : Math.sqrt((n / (n - 1)) * squares) };
}

/** ln of the value below a percentile where the share above is too large for it by as many of its own standard errors. */
function lowestLikely(
  { first, total, logEdges }: Binned,
  share: number,
  aboveIn: (place: Pick<Place, 'bin' | 'within'>) => readonly RoundAbove[],
  at: Place,
): number {
  const isFar = (place: Pick<Place, 'bin' | 'within'>): boolean => {
    const { sum, error } = excessAbove(aboveIn(place), share, total);
    return sum >= REACH * error;
  };
  let [bin, last] = [first, at.bin];
  while (bin < last) {
    const middle = Math.ceil((bin + last) / 2);
    if (isFar({ bin: middle, within: 0 })) bin = middle;
    else last = middle - 1;
  }
  let [within, end] = [0, bin === at.bin ? at.within : 1];
  for (let step = 0; step < WITHIN_STEPS; step++) {
    const middle = (within + end) / 2;
    if (isFar({ bin, within: middle })) within = middle;
    else end = middle;
  }
  const [low, high] = [logEdges[bin] as number, logEdges[bin + 1] as number];
  return Math.min(at.log, low + within * (high - low));
}

/** How fast ln(value) rises with its rank between a percentile and a place beside it. */
function slopeTo(binned: Binned, share: number, at: Place, to: number): number {
  const other = quantilePlace(binned, to);
  return other === null || to === share ? 0 : (other.log - at.log) / (to - share);
}
