/**
 * The interval of 99 % for a median, whatever the distribution: the values whose ranks are 2.58 standard deviations of a
 * binomial distribution with p = 1/2 from the middle (David and Nagaraja, Order Statistics, 7.1).
 */
export function intervalOfMedian(values: readonly number[]): [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(0, Math.floor((sorted.length - 2.58 * Math.sqrt(sorted.length)) / 2));
  return [sorted[rank] ?? Number.NaN, sorted.at(-1 - rank) ?? Number.NaN];
}
