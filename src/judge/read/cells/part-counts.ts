import type { LatencyRecord, SliceRecord } from '../../../journal/records.ts';
import { LatencyCounts, type LatencySpread, spreadOf, sumOf } from './latency-counts.ts';

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
