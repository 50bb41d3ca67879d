/** Six significant digits: more than any metric is true to, few enough to read. Throws for what JSON cannot hold. */
export function significant(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError(`a result must be a finite number, not ${value}`);
  return Number(value.toPrecision(6));
}

/** Six significant digits of a number that may be missing; null also for what is no number, such as the mean of nothing. */
export function significantOrNull(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : significant(value);
}

/** Six significant digits of both ends. */
export function significantRange([low, high]: readonly [number, number]): readonly [number, number] {
  return [significant(low), significant(high)];
}

/** A log ratio as a percent change: 100 (e^d - 1), at most the largest number that JSON can hold. */
export function toPercent(logRatio: number): number {
  return Math.min(100 * Math.expm1(logRatio), Number.MAX_VALUE);
}
