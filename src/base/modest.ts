/** Nothing that is measured is more, or is less and not 0; sums, squares and quotients of the rest are numbers still. */
const [MOST, LEAST] = [1e18, 1e-100];

/** True for a number that a journal can hold: 0, or between 1e-100 and 1e18 on either side of it. */
export function isModest(value: unknown): value is number {
  if (typeof value !== 'number') return false;
  const size = Math.abs(value);
  return size === 0 || (size >= LEAST && size <= MOST);
}
