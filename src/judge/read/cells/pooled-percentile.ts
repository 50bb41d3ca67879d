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
export interface Place {
  readonly bin: number;
  readonly within: number;
  readonly log: number;
}

/** Where so large a share of the values lies below; within a bin ln(value) rises evenly with the rank. Null without values. */
export function placeOf({ counts, first, end, total, logEdges }: Binned, share: number): Place | null {
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

/** How many values a round has, and how many of them are above a percentile of all rounds together. */
export interface RoundAbove {
  readonly count: number;
  readonly above: number;
}

/**
 * A percentile of all rounds together as a mean over rounds, so that it is judged as any other metric is: for each round
 * ln(percentile) + what the round adds to it, by the values that it has above, more or less than its part (Bahadur, A note on
 * quantiles in large samples, 1966). Their mean is ln(percentile); their scatter is that of the share above, by rounds, as
 * Woodruff's intervals have it (Confidence intervals for medians and other position measures, 1952; for clusters Francisco and
 * Fuller, Quantile estimation with a complex survey design, 1991).
 *
 * How much a share is worth is taken from the values one and a half standard errors of the rank away, on the side where they are further
 * off: where values are of two kinds and the percentile lies near the gap between them, it may fall on either side of it.
 */
export function percentileByRound(binned: Binned, share: number, rounds: readonly RoundAbove[], at: Place): number[] {
  const { total } = binned;
  const n = rounds.length;
  const excess = rounds.map(({ count, above }) => (above - (1 - share) * count) / total);
  const byChance = (share * (1 - share)) / total;
  const byRounds = n < 2 ? 0 : (n / (n - 1)) * excess.reduce((sum, one) => sum + one * one, 0);
  const reach = REACH * Math.sqrt(Math.max(byChance, byRounds));
  const slope = Math.max(
    slopeTo(binned, share, at, Math.max(share - reach, 0.5 / total)),
    slopeTo(binned, share, at, Math.min(share + reach, 1 - 0.5 / total)),
  );
  return excess.map((one) => at.log + n * slope * one);
}

/** How fast ln(value) rises with its rank between a percentile and a place beside it. */
function slopeTo(binned: Binned, share: number, at: Place, to: number): number {
  const other = placeOf(binned, to);
  return other === null || to === share ? 0 : (other.log - at.log) / (to - share);
}
