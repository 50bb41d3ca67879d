/** A picture of lines as data: what it shows, and on which axes. How it is drawn is up to a format. */
export interface Plot {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
}

export interface Axis {
  readonly label: string;
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly Tick[];
  /** Equal factors are equally far apart. Both ends are then above 0. */
  readonly isLog: boolean;
}

interface Tick {
  readonly at: number;
  readonly label: string;
}

/** The line of one arm. */
export interface Line {
  readonly name: string;
  /** Distinguishes arms by colour and dashes, the same in every picture: 0 is the control. */
  readonly style: number;
  readonly points: readonly Point[];
}

/** A point whose y is null is a gap: what is on either side of it is not joined. */
export interface Point {
  readonly x: number;
  readonly y: number | null;
  /** The ends of an interval around it. */
  readonly interval?: readonly [number, number];
}

/** Where a value lies on an axis, from 0 to 1; what is beyond an end is at that end. */
export function positionOn({ low, high, isLog }: Axis, value: number): number {
  const share = isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
}

/** From the least to the greatest of these, in steps of 1, 2 or 5 times a power of ten. */
export function linearAxis(label: string, values: readonly number[]): Axis {
  const [least, greatest] = rangeOf(values);
  const span = greatest > least ? greatest - least : Math.abs(greatest) || 1;
  const step = stepAbove(span / 5);
  const low = Math.floor(least / step);
  const high = Math.max(low + 1, Math.ceil(greatest / step));
  const steps = Math.min(10, high - low);
  const ticks = Array.from({ length: steps + 1 }, (_, place) => tickAt((low + place) * step));
  return { label, low: low * step, high: high * step, ticks, isLog: false };
}

/** From this factor on, the smaller values would collapse on a linear axis. */
const WIDE = 20;
/** More ticks than this stand too close. */
const MOST_TICKS = 7;

/** A linear axis, or a logarithmic one where values above 0 are more than a factor of 20 apart. */
export function axisOf(label: string, values: readonly number[]): Axis {
  const [least, greatest] = rangeOf(values);
  if (!(least > 0) || greatest < WIDE * least) return linearAxis(label, values);
  const fine = roundNumbers(least, greatest, [1, 2, 5]);
  const ticks = fine.length <= MOST_TICKS ? fine : roundNumbers(least, greatest, [1]);
  return { label, low: ticks[0] ?? 1, high: ticks.at(-1) ?? 10, ticks: ticks.map(tickAt), isLog: true };
}

/** Named places, side by side, from 0. */
export function placesAxis(label: string, names: readonly string[]): Axis {
  const ticks = names.map((name, at) => ({ at, label: name }));
  return { label, low: -0.5, high: names.length - 0.5, ticks, isLog: false };
}

/** Rounds side by side, each from one whole number to the next. */
export function roundsAxis(rounds: readonly number[]): Axis {
  const every = Math.ceil(rounds.length / MOST_TICKS);
  const ticks = rounds.flatMap((round, at) => (at % every === 0 ? [{ at: at + 0.5, label: String(round) }] : []));
  return { label: 'round', low: 0, high: Math.max(1, rounds.length), ticks, isLog: false };
}

/** Such digits times powers of ten, from the last that is no more than the least to the first that is no less than the greatest. */
function roundNumbers(least: number, greatest: number, digits: readonly number[]): number[] {
  const from = Math.floor(Math.log10(least));
  const to = Math.ceil(Math.log10(greatest));
  const all = Array.from({ length: to - from + 1 }, (_, place) =>
    digits.map((digit) => Number((digit * 10 ** (from + place)).toPrecision(1))),
  ).flat();
  const first = all.findLastIndex((value) => value <= least);
  const last = all.findIndex((value) => value >= greatest);
  return all.slice(Math.max(0, first), last + 1);
}

/** The smallest of 1, 2, 5 times a power of ten that is no less. */
function stepAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((digit) => digit * power >= value * 0.999999) ?? 10;
  return Number((step * power).toPrecision(1));
}

/** The least and the greatest of the finite values; 0 and 1 where there are none. */
export function rangeOf(values: readonly number[]): readonly [number, number] {
  const known = values.filter((value) => Number.isFinite(value));
  const [first] = known;
  if (first === undefined) return [0, 1];
  return known.reduce(
    ([least, greatest], value) => [Math.min(least, value), Math.max(greatest, value)],
    [first, first],
  );
}

function tickAt(value: number): Axis['ticks'][number] {
  const at = Number(value.toPrecision(10));
  // `160M`: nine digits have no room beside an axis.
  const notation = Math.abs(at) >= 1e6 ? 'compact' : 'standard';
  return { at, label: at.toLocaleString('en-US', { maximumSignificantDigits: 6, notation }) };
}
