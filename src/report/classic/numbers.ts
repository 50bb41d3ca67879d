/** Stands in the caption of every table in this style. */
export const NO_INTERVALS = '(no intervals)';

/** `16048.36`, as in reports written by hand: two decimals, no thousands separators. */
export function twoDecimals(value: number | null): string {
  return value === null ? 'n/a' : value.toFixed(2);
}

/** A whole number as it is, any other with two decimals. */
export function plain(value: number | null): string {
  return value !== null && Number.isInteger(value) ? String(value) : twoDecimals(value);
}

/** The change in percent; null where there is none: nothing has no percentage. */
export function changePercent(control: number | null, value: number | null): number | null {
  if (control === null || value === null || control < 0 || value < 0) return null;
  if (control === 0) return value === 0 ? 0 : null;
  return 100 * (value / control - 1);
}

/** `-3.57`, without the minus of `-0.00`; `n/a` for what is beyond all numbers. */
export function percentDecimals(percent: number | null): string {
  if (percent === null || !Number.isFinite(percent)) return 'n/a';
  const text = percent.toFixed(2);
  return Number(text) === 0 ? '0.00' : text;
}

/** `-3.57%` */
export function percentText(percent: number | null): string {
  const decimals = percentDecimals(percent);
  return decimals === 'n/a' ? decimals : `${decimals}%`;
}

/** Milliseconds as whole ones, `44 ms`; below 10 whole ones would hide what differs. */
export function wholeMs(value: number | null): string {
  if (value === null) return 'n/a';
  return `${value >= 9.95 ? Math.round(value) : Number(value.toPrecision(2))} ms`;
}
