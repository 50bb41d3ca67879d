/**
 * A measured value for people: `16,048`, `412.5`, `54.81`, `0.512`. Values in a column need not have the same
 * decimals.
 */
export function formatValue(value: number | null): string {
  if (value === null) return 'n/a';
  const size = Math.abs(value);
  if (size >= 999.95) return formatCount(value);
  if (size >= 99.995) return value.toFixed(1);
  if (size >= 1 || size === 0) return value.toFixed(size === 0 ? 0 : 2);
  return String(Number(value.toPrecision(3)));
}

/** A whole number with thousands separators: `14,599`. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** A percent change with its sign: `-9.6 %`, `+103 %`. */
export function formatDelta(percent: number): string {
  return `${signed(percent, Math.abs(percent) < 99.95 ? 1 : 0)} %`;
}

/**
 * A percent change and its interval: `-9.6 % [-12.1, -7.0]`. The change has the interval's decimals where fewer or more
 * would put it outside: `+100.4 % [+100.3, +100.5]`.
 */
export function formatChange(percent: number, interval: readonly [number, number]): string {
  const decimals = decimalsOf(interval);
  const usual = formatDelta(percent);
  const shown = Number.parseFloat(usual);
  const isInside = shown >= Number(interval[0].toFixed(decimals)) && shown <= Number(interval[1].toFixed(decimals));
  return `${isInside ? usual : `${signed(percent, decimals)} %`} ${formatInterval(interval)}`;
}

/**
 * Both ends of an interval: `[-12.1, -7.0]`, or in whole percent where it is 10 or wider: more would be digits without
 * meaning. An end near 0 keeps the decimals that show on which side it lies.
 */
export function formatInterval(interval: readonly [number, number]): string {
  const decimals = decimalsOf(interval);
  return `[${signed(interval[0], decimals)}, ${signed(interval[1], decimals)}]`;
}

function decimalsOf([low, high]: readonly [number, number]): number {
  let decimals = high - low >= 10 ? 0 : 1;
  const hidesSide = (end: number): boolean => end !== 0 && Number(end.toFixed(decimals)) === 0;
  while (decimals < 3 && (hidesSide(low) || hidesSide(high))) decimals++;
  return decimals;
}

/** A size without sign for sentences: `9.6`. */
export function formatSize(percent: number): string {
  const size = Math.abs(percent);
  return size > 0 && size < 0.05 ? String(Number(size.toPrecision(1))) : size.toFixed(size < 99.95 ? 1 : 0);
}

/** A duration as the report's users know it, to a tenth of a second: `00:01:34.2`. */
export function formatTime(durationMs: number): string {
  const tenths = Math.round(durationMs / 100);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${two(tenths / 36_000)}:${two((tenths / 600) % 60)}:${two((tenths / 10) % 60)}.${tenths % 10}`;
}

/** `1 round`, `8 rounds`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`;
}

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

/** The beginning of a text that is longer than this many characters. */
export function cutTo(most: number, text: string): string {
  // Half a character is none.
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A number with its sign, but for 0: `+4.5`, `-0.2`, `0.0`. */
export function signed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  if (Number(text) === 0) return (0).toFixed(decimals);
  return value > 0 ? `+${text}` : text;
}
