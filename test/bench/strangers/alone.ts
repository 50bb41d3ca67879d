import { tInterval } from '../../../src/judge/stats/interval.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import type { Goal } from '../goal.ts';

/** How often a program times the work alone, each time on a fresh copy. */
export const TIMES = 6;
const ERROR = 0.05;

/** What a sweep reports, and what a program of its own measured, each time; both in one unit. */
export interface Compared {
  readonly name: string;
  readonly unit: string;
  readonly estimate: number | null | undefined;
  readonly interval: readonly [number, number] | null | undefined;
  readonly alone: readonly number[];
}

/** The two agree where their intervals overlap: the program's is Student's, on the logarithms where all are positive. */
export function agreement({ name, unit, estimate, interval, alone }: Compared): Goal {
  const own = tInterval(alone, ERROR);
  const shown = (value: number): string => String(Number(value.toPrecision(3)));
  const words = interval
    ? `${shown(estimate ?? Number.NaN)} ${unit} [${interval.map(shown).join(', ')}]`
    : 'no interval';
  const alones = own === null ? 'no interval' : `${shown(mean(alone))} [${shown(own.low)}, ${shown(own.high)}]`;
  return {
    name,
    measured: `${words}, alone ${alones}`,
    goal: 'intervals overlap',
    reached: Boolean(interval && own && interval[0] <= own.high && own.low <= interval[1]),
  };
}

/** Changes of pairs in percent, each of one round alone. */
export function changesOf(control: readonly number[], variant: readonly number[]): number[] {
  return control.map((value, i) => 100 * ((variant[i] ?? Number.NaN) / value - 1));
}
