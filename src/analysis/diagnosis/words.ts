/** A share (0..1) for people, two digits: `62 %`. */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}

/** A value for people: two decimals below 10, whole from 100 on. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.5) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toFixed(size < 9.95 ? 2 : 1)));
}

/** Always two decimals, where 2 and 2.00 are not the same finding. */
export function exact(value: number): string {
  return value.toFixed(2);
}
