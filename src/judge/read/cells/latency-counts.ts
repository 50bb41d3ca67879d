import { addHistogram, MAX_BUCKETS } from '../../../journal/histogram.ts';
import type { LatencyRecord, SliceRecord } from '../../../journal/records.ts';
import { significant } from '../../stats/rounding.ts';

/** The figures of merged histograms. */
export interface LatencyFigures extends Omit<LatencyRecord, 'histogram'> {
  /** No record has it. */
  readonly p999Us: number;
}

/** The percentiles that `ab` prints; the 100th is the longest request. */
const PERCENTILES = [50, 66, 75, 80, 90, 95, 98, 99, 100] as const;

/** How latencies are spread, in milliseconds; all of it to HdrHistogram's three digits but mean and maximum, which are exact. */
export interface LatencyDistribution {
  readonly count: number;
  readonly minMs: number;
  readonly meanMs: number;
  /** The standard deviation of a request's latency; 0 for a single one. */
  readonly sdMs: number;
  readonly maxMs: number;
  /** By percent: `50`, `66`, `75`, `80`, `90`, `95`, `98`, `99`, `100`. */
  readonly percentilesMs: Readonly<Record<string, number>>;
}

/** Their figures, as `ab` prints them of each part of the latencies. */
export interface LatencySpread {
  readonly minMs: number;
  readonly meanMs: number;
  readonly sdMs: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

/** The spread of a distribution. */
export function spreadOf({ minMs, meanMs, sdMs, maxMs, percentilesMs }: LatencyDistribution): LatencySpread {
  return { minMs, meanMs, sdMs, medianMs: percentilesMs['50'] ?? meanMs, maxMs };
}

/** Half the linear part of a bucket: 2,048 steps give 3 digits. */
const HALF = 1024;
const HALF_BITS = 10;

/** Latencies, counted by HdrHistogram's buckets (3 digits, from 1 µs): histograms added up, bucket by bucket. */
export class LatencyCounts {
  readonly #counts = new Float64Array(MAX_BUCKETS);
  /** No bucket before the first, or from the end on, holds any. */
  #first = MAX_BUCKETS;
  #end = 0;
  #count = 0;
  /** The sum and the largest of the exact latencies, not of the buckets. */
  #sumUs = 0;
  #maxUs = 0;

  /** Adds the latencies of a slice. Throws PgsweepError `journal` where its histogram is none, or of another count. */
  addRecord(record: LatencyRecord): void {
    if (record.count === 0) return;
    const { first, end } = addHistogram(record, this.#counts);
    this.#addRange(first, end, record.count);
    this.#addFigures(record.meanUs * record.count, record.maxUs);
  }

  /** Adds what was added up elsewhere. */
  add(other: LatencyCounts): void {
    const [from, to] = [other.#counts, this.#counts];
    for (let bucket = other.#first; bucket < other.#end; bucket++) {
      to[bucket] = (to[bucket] ?? 0) + (from[bucket] ?? 0);
    }
    this.#addRange(other.#first, other.#end, other.#count);
    this.#addFigures(other.#sumUs, other.#maxUs);
  }

  /** Adds times of 0. */
  addZeros(count: number): void {
    this.#counts[0] = (this.#counts[0] ?? 0) + count;
    this.#addRange(0, 1, count);
  }

  /** Forgets everything. Cheaper than a new one, which has 512 KB to clear. */
  clear(): void {
    if (this.#first < this.#end) this.#counts.fill(0, this.#first, this.#end);
    [this.#first, this.#end, this.#count, this.#sumUs, this.#maxUs] = [MAX_BUCKETS, 0, 0, 0, 0];
  }

  /** Reads off the mean and the percentiles, as HdrHistogram does. With no latencies all numbers are 0. */
  figures(): LatencyFigures {
    const [counts, count] = [this.#counts, this.#count];
    if (count === 0) return { count, meanUs: 0, p50Us: 0, p95Us: 0, p99Us: 0, p999Us: 0, maxUs: 0 };
    const [p50, p95, p99, p999] = [50, 95, 99, 99.9].map((percent) => needed(percent, count)) as [
      number,
      number,
      number,
      number,
    ];
    // One pass, without a function for each percentile: this is asked for every cell of every round.
    let [bucket, below] = [this.#first, 0];
    for (; below < p50 && bucket < MAX_BUCKETS; bucket++) below += counts[bucket] ?? 0;
    const p50Us = highestOf(bucket - 1);
    for (; below < p95 && bucket < MAX_BUCKETS; bucket++) below += counts[bucket] ?? 0;
    const p95Us = highestOf(bucket - 1);
    for (; below < p99 && bucket < MAX_BUCKETS; bucket++) below += counts[bucket] ?? 0;
    const p99Us = highestOf(bucket - 1);
    for (; below < p999 && bucket < MAX_BUCKETS; bucket++) below += counts[bucket] ?? 0;
    const p999Us = highestOf(bucket - 1);
    return { count, meanUs: this.#sumUs / count, p50Us, p95Us, p99Us, p999Us, maxUs: this.#maxUs };
  }

  get count(): number {
    return this.#count;
  }

  /** Adds its counts to those of wider bins. Returns in which. `binOf` has the bin of a bucket, ascending. */
  addToBins(bins: Float64Array, binOf: (bucket: number) => number): { readonly first: number; readonly end: number } {
    const counts = this.#counts;
    for (let bucket = this.#first; bucket < this.#end; bucket++) {
      const bin = binOf(bucket);
      bins[bin] = (bins[bin] as number) + (counts[bucket] as number);
    }
    return this.#count === 0 ? { first: 0, end: 0 } : { first: binOf(this.#first), end: binOf(this.#end - 1) + 1 };
  }

  /** The latencies at ascending percentiles, as HdrHistogram reads them: at 100 the exact largest. Zeros without latencies. */
  percentilesUs(percents: readonly number[]): number[] {
    let [bucket, below] = [this.#first, 0];
    return percents.map((percent) => {
      if (this.#count === 0) return 0;
      if (percent >= 100) return this.#maxUs;
      const wanted = needed(percent, this.#count);
      for (; below < wanted && bucket < MAX_BUCKETS; bucket++) below += this.#counts[bucket] ?? 0;
      return highestOf(bucket - 1);
    });
  }

  /** The distribution; null with no latencies. */
  distribution(): LatencyDistribution | null {
    const [counts, count] = [this.#counts, this.#count];
    if (count === 0) return null;
    let [below, sum, squares, smallest] = [0, 0, 0, MAX_BUCKETS];
    for (let bucket = this.#first; bucket < this.#end; bucket++) {
      const own = counts[bucket] ?? 0;
      if (own === 0) continue;
      smallest = Math.min(smallest, bucket);
      const middle = (lowestOf(bucket) + highestOf(bucket)) / 2;
      // By Welford's method (Technometrics 4, 1962), with weights: no large squares are subtracted from each other.
      const step = middle - (below === 0 ? middle : sum / below);
      below += own;
      sum += own * middle;
      squares += own * step * (middle - sum / below);
    }
    const inMs = (us: number): number => significant(Math.min(us, this.#maxUs) / 1000);
    const percentiles = this.percentilesUs(PERCENTILES);
    return {
      count,
      minMs: inMs(lowestOf(smallest)),
      meanMs: significant(this.#sumUs / count / 1000),
      sdMs: significant((count > 1 ? Math.sqrt(squares / (count - 1)) : 0) / 1000),
      maxMs: inMs(this.#maxUs),
      percentilesMs: Object.fromEntries(PERCENTILES.map((percent, i) => [percent, inMs(percentiles[i] ?? 0)])),
    };
  }

  #addRange(first: number, end: number, count: number): void {
    this.#first = Math.min(this.#first, first);
    this.#end = Math.max(this.#end, end);
    this.#count += count;
  }

  #addFigures(sumUs: number, maxUs: number): void {
    this.#sumUs += sumUs;
    if (maxUs > this.#maxUs) this.#maxUs = maxUs;
  }
}

/** Latencies added up. */
export function sumOf(lots: readonly (LatencyCounts | null)[]): LatencyCounts {
  const total = new LatencyCounts();
  for (const lot of lots) if (lot !== null) total.add(lot);
  return total;
}

/** How many latencies a percentile has at or below it. */
export function needed(percent: number, count: number): number {
  return Math.max(Math.ceil((percent * count) / 100), 1);
}

/** By octave, how many microseconds its buckets are wide: 1 in the linear part, which has two of these. */
const widths = Float64Array.from({ length: MAX_BUCKETS / HALF }, (_, octave) => 2 ** Math.max(0, octave - 1));

/** The smallest whole latency that a bucket counts. */
export function lowestOf(bucket: number): number {
  if (bucket < 2 * HALF) return bucket;
  return ((bucket & (HALF - 1)) + HALF) * (widths[bucket >> HALF_BITS] as number);
}

/** The largest whole latency that a bucket counts. */
export function highestOf(bucket: number): number {
  if (bucket < 2 * HALF) return bucket;
  return ((bucket & (HALF - 1)) + HALF + 1) * (widths[bucket >> HALF_BITS] as number) - 1;
}

/** How each part of the latencies is spread. */
export interface PartSpreads {
  readonly connect: LatencySpread;
  readonly processing: LatencySpread;
  readonly waiting: LatencySpread;
}

/** The parts of some latencies, and these. */
interface Parted {
  readonly parts: PartCounts;
  readonly latencies: LatencyCounts;
}

type PartedSlice = Pick<SliceRecord, 'latency' | 'parts'>;

/**
 * The parts of a cell's latencies, added up as these are. A part is kept by itself only from the first slice on in which
 * it is not what the journal leaves out: 512 KB each.
 */
export class PartCounts {
  /** Null: 0 for all. */
  #connect: LatencyCounts | null = null;
  /** Null: the latencies. */
  #processing: LatencyCounts | null = null;
  /** Null: processing. */
  #waiting: LatencyCounts | null = null;
  /** False once there was a slice without them. */
  #isKnown = true;

  /** Adds slices; `before` has the latencies of all that were added so far. */
  addSlices(slices: readonly PartedSlice[], before: LatencyCounts): void {
    if (slices.some(({ latency, parts }) => latency.count > 0 && parts === undefined)) this.#isKnown = false;
    if (!this.#isKnown) return;
    if (slices.some(({ parts }) => parts?.connect !== undefined)) {
      this.#connect ??= zeros(before.count);
      this.#processing ??= sumOf([before]);
    }
    if (slices.some(({ parts }) => parts?.waiting !== undefined)) this.#waiting ??= sumOf([this.#processing ?? before]);
    for (const { latency, parts } of slices) this.#addSlice(latency, parts ?? {});
  }

  #addSlice(latency: LatencyRecord, { connect, processing = latency, waiting = processing }: Parts): void {
    if (connect === undefined) this.#connect?.addZeros(latency.count);
    else this.#connect?.addRecord(connect);
    this.#processing?.addRecord(processing);
    this.#waiting?.addRecord(waiting);
  }

  /** The parts of several lots of latencies, added up. */
  static joined(lots: readonly Parted[]): PartCounts {
    const all = new PartCounts();
    all.#isKnown = lots.every(({ parts }) => parts.#isKnown);
    if (lots.some(({ parts }) => parts.#connect !== null)) {
      all.#connect = sumOf(lots.map(({ parts, latencies }) => parts.#connect ?? zeros(latencies.count)));
      all.#processing = sumOf(lots.map(({ parts, latencies }) => parts.#processing ?? latencies));
    }
    if (lots.some(({ parts }) => parts.#waiting !== null)) {
      all.#waiting = sumOf(lots.map(({ parts, latencies }) => parts.#waiting ?? parts.#processing ?? latencies));
    }
    return all;
  }

  /** How the parts of these latencies are spread; null where they were not measured, and without latencies. */
  spreads(latencies: LatencyCounts): PartSpreads | null {
    const total = latencies.distribution();
    if (!this.#isKnown || total === null) return null;
    const spreadOr = (counts: LatencyCounts | null, other: LatencySpread): LatencySpread => {
      const own = counts?.distribution() ?? null;
      return own === null ? other : spreadOf(own);
    };
    const processing = spreadOr(this.#processing, spreadOf(total));
    return { connect: spreadOr(this.#connect, NOTHING), processing, waiting: spreadOr(this.#waiting, processing) };
  }
}

type Parts = NonNullable<SliceRecord['parts']>;

const NOTHING: LatencySpread = { minMs: 0, meanMs: 0, sdMs: 0, medianMs: 0, maxMs: 0 };

function zeros(count: number): LatencyCounts {
  const counts = new LatencyCounts();
  counts.addZeros(count);
  return counts;
}
