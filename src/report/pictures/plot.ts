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

/** What an arm did. */
export interface Line {
  readonly name: string;
  /** Tells arms apart by colour and dashes, the same in every picture: 0 is the control. */
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
