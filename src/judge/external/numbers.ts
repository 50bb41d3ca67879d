/** A number as people write it into a table. */
export interface WrittenNumber {
  readonly value: number;
  /** `ms`, `%`, `req/s`; empty where there is none. */
  readonly unit: string;
  /** The place of its last digit: 0.01 of `1.25`, 1 of `1,300`. */
  readonly step: number;
}

/** With its spread behind it, as hyperfine and benchstat write it: `12.5 ms ± 0.3 ms`, `310.5µ ± 2%`. */
const NUMBER =
  /^([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:e[+-]?\d+)?)\s*(%|[\p{L}/]*)(?:\s*±\s*(?:[\d.,]+|∞)\s*(?:%|[\p{L}/]*))?$/iu;
const CLOCK = /^(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?)$/;

/** `16,048.36`, `44 ms`, `-3.57%`, `00:01:34.2` (in seconds). Null for what is no number, such as `12,5`. */
export function parseNumber(written: string): WrittenNumber | null {
  const text = written.replace(/^−/, '-');
  const clock = CLOCK.exec(text);
  if (clock !== null) {
    const [hours, minutes, seconds] = clock.slice(1).map(Number);
    const step = stepOf(clock[3] ?? '');
    return { value: 3600 * (hours ?? 0) + 60 * (minutes ?? 0) + (seconds ?? 0), unit: 's', step };
  }
  const [, digits = '', unit = ''] = NUMBER.exec(text) ?? [];
  const value = Number(digits.replaceAll(',', ''));
  return /\d/.test(digits) && Number.isFinite(value) ? { value, unit, step: stepOf(digits) } : null;
}

/** The place of the last digit of a number: 0.01 of `1.25`. */
export function stepOf(digits: string): number {
  const [, decimals = '', exponent = '0'] = /^[^.e]*(?:\.(\d*))?(?:e(.*))?$/i.exec(digits) ?? [];
  return 10 ** (Number(exponent) - decimals.length);
}

const DECIMAL_COMMA = /^([+-]?)(\d{1,3}(?:\.\d{3})*|\d+),(\d+)(\s*(?:%|[\p{L}/]*))$/u;

/** A number with a decimal comma, rewritten: `1234.5 ms` for `1.234,5 ms`. Null for anything else. */
export function withoutDecimalComma(text: string): string | null {
  const [, sign, whole, decimals, unit] = DECIMAL_COMMA.exec(text) ?? [];
  return whole === undefined ? null : `${sign}${whole.replaceAll('.', '')}.${decimals}${unit}`;
}

/** Texts that people write where there is no number. Any other text is a mistake. */
const NO_NUMBER = /^(|-|–|—|n\/?a|null|none|nan|time(d )?-?out|fail(ed|ure)?|error|unknown|\?|~)$/i;

/** True for a text that says that there is no number. */
export function saysNoNumber(text: string): boolean {
  return NO_NUMBER.test(text);
}
