import type { FactorValue } from '../../journal/scenario-record.ts';
import type { TunedFactor } from '../../journal/tune/tune-spec.ts';

/** The values of a range, ascending with both ends among them, and where each lies in it. */
type RangeValues = Required<Pick<TunedFactor, 'values' | 'places'>>;

/** Units that values of one kind may have, the smallest first, with how many of the smallest each is. */
type Units = Readonly<Record<string, number>>;
const kinds: readonly Units[] = [
  { B: 1, kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 },
  { us: 1, ms: 1000, s: 1e6, min: 60e6, h: 3600e6, d: 86_400e6 },
];

/** Numbers that a person writes, in each power of ten. */
const WHOLE = [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9];
const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const FRACTIONS = [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 2.2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9];
const TIMES = [1, 1.5, 2, 3, 5, 7];
/** Sizes are powers of two, and those in the middle between two. */
const SIZES = [1, 1.5];

function amountOf(value: FactorValue) {
  const [, digits = '', fraction, unit = ''] = /^(\d+(\.\d+)?)([A-Za-z]*)$/.exec(String(value)) ?? [];
  return digits === '' ? null : { number: Number(digits), unit, isFraction: fraction !== undefined };
}

/**
 * Values that a person would write from one to another, some 5 to 50 % apart: 12 or 16MB, and never 11.7. `also`: a value
 * that is among them in any case. Why there are none, where the ends make no range.
 */
export function valuesBetween(from: FactorValue, to: FactorValue, also?: FactorValue): RangeValues | string {
  const written = also === undefined ? [from, to] : [from, to, also];
  const amounts = written.map(amountOf);
  const [low, high] = amounts;
  if (!low || !high) return 'expected two numbers, or two sizes or times such as 1MB and 256MB';
  const units: Units | undefined = low.unit === '' ? { '': 1 } : kinds.find((kind) => kind[low.unit] !== undefined);
  if (units === undefined) return `expected a unit such as kB, MB, ms or s, not ${low.unit}`;
  const own = amounts.map((amount) => (amount?.number ?? Number.NaN) * (units[amount?.unit ?? ''] ?? Number.NaN));
  const [least = Number.NaN, most = Number.NaN] = own;
  if (Number.isNaN(most))
    return `expected both ends in units of one kind, as ${String(from)} and ${String(to)} are not`;
  if (least <= 0) return 'expected a range that begins above 0: values are spread by ratio; name others as levels';
  if (most <= least) return 'expected the smaller end first';
  const isFraction = amounts.some((amount) => amount?.isFraction);
  const between = sizesBetween(least, most, units, isFraction);
  const found = new Map(between.map((size) => [size, writtenAs(size, units)]));
  for (const [place, size] of own.entries()) if (size >= least && size <= most) found.set(size, written[place] ?? '');
  const sizes = [...found.keys()].sort((a, b) => a - b);
  return {
    values: sizes.map((size) => found.get(size) ?? ''),
    places: sizes.map((size) => Math.log(size / least) / Math.log(most / least)),
  };
}

/** Sizes within both ends, in the smallest unit. */
function sizesBetween(least: number, most: number, units: Units, isFraction: boolean): number[] {
  const isSize = units.kB !== undefined;
  const base = isSize ? 2 : 10;
  const steps = (power: number): readonly number[] => {
    if (isSize) return SIZES;
    if (units.ms !== undefined) return TIMES;
    if (isFraction) return FRACTIONS;
    return power === 0 ? DIGITS : WHOLE;
  };
  const sizes: number[] = [];
  for (let power = Math.floor(Math.log(least) / Math.log(base)) - 1; base ** power <= most; power++) {
    // Of numbers with a point, as many digits as they are written with.
    for (const step of steps(power)) sizes.push(Number((step * base ** power).toPrecision(12)));
  }
  const isWhole = (size: number): boolean => isFraction || Number.isInteger(size);
  return sizes.filter((size) => size >= least && size <= most && isWhole(size));
}

/** In the largest unit of which it is a whole number. */
function writtenAs(size: number, units: Units): FactorValue {
  if (units[''] !== undefined) return size;
  const [unit = '', one = 1] = Object.entries(units).findLast(([, each]) => Number.isInteger(size / each)) ?? [];
  return `${size / one}${unit}`;
}
