import { createRandom } from '../../src/base/random.ts';
import { type ChangePoint, changePoints, fewestBesideStep } from '../../src/judge/stats/change-points.ts';
import type { Goal } from './goal.ts';

const random = createRandom('bench history');
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
/** Logarithms of results of a noisy machine: 3 %, and three in a hundred runs 10 to 20 % slow. */
const noise = (): number => 0.03 * normal() + (random.next() < 0.03 ? -0.1 - 0.1 * random.next() : 0);
const seriesOf = (length: number, valueAt: (index: number) => number): number[] =>
  Array.from({ length }, (_, index) => valueAt(index));

/** The table of docs/comparing.md: the shortest history for each number of runs beside a step, and a long one. */
const PLAIN = [14, 15, 18, 26, 60];
const SEEDS = 100;
const SMALL = { histories: 60, runs: 50, at: 25, step: 0.05 };
const NOISE = { histories: 400, runs: 60 };

/** What docs/comparing.md promises of change points, in simulated histories; no machine can change it. */
export function benchHistory(): Goal[] {
  return [...PLAIN.map(plainStep), smallSteps(), alarms()];
}

function plainStep(runs: number): Goal {
  const after = fewestBesideStep(runs) ?? 0;
  const at = runs - after;
  const values = seriesOf(runs, (index) => (index >= at ? 0.3 : 0) + 0.01 * normal());
  const seeds = Array.from({ length: SEEDS }, (_, seed) => changePoints(values, { seed }));
  const found = seeds.filter(([first]) => first?.index === at).length;
  return {
    name: `plain step: ${runs} runs, ${after} after it`,
    measured: `found with ${found} of ${SEEDS} seeds`,
    goal: '95 or more',
    reached: after > 0 && found >= 0.95 * SEEDS,
  };
}

function smallSteps(): Goal {
  const { histories, runs, at, step } = SMALL;
  const found = Array.from({ length: histories }, () =>
    changePoints(seriesOf(runs, (index) => (index >= at ? step : 0) + noise())),
  ).flatMap(([first]): ChangePoint[] => (first === undefined ? [] : [first]));
  const count = (is: (point: ChangePoint) => boolean): number => found.filter(is).length;
  const near = count(({ index }) => Math.abs(index - at) <= 2);
  const placed = count(({ where: [first, last] }) => first <= at && at <= last);
  const sized = count(({ interval: [low, high] }) => low <= step && step <= high);
  return {
    name: `step of 5 % in the middle of ${runs} runs, with noise of 3 %`,
    measured: `found in ${found.length} of ${histories}, ${near} at most two off; intervals of place and size hold the truth in ${placed} and ${sized}`,
    goal: 'a third found; each interval right in 85 % of these',
    reached: 3 * found.length >= histories && Math.min(placed, sized) >= 0.85 * found.length,
  };
}

function alarms(): Goal {
  const { histories, runs } = NOISE;
  const alarmed = Array.from({ length: histories }, () => changePoints(seriesOf(runs, noise)));
  const count = alarmed.filter(({ length }) => length > 0).length;
  return {
    name: `histories of ${runs} runs of noise that have a change point`,
    measured: `${count} of ${histories}`,
    goal: 'at most 3 (0.4 expected)',
    reached: count <= 3,
  };
}
