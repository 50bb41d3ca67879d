/** A value for people: two decimals below 10, whole from 100 on. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.5) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toFixed(size < 9.95 ? 2 : 1)));
}

/** A value for people, two digits: where it is known no better. */
export function rough(value: number): string {
  return String(Number(value.toPrecision(2)));
}

/** Always two decimals, where 2 and 2.00 are not the same finding. */
export function exact(value: number): string {
  return value.toFixed(2);
}
