import type { Random } from '../../../src/base/random.ts';
import { type Point, type SearchedFactor, type Space, spaceOf } from '../../../src/judge/tune/space.ts';

/** A space whose truth is known: the logarithm of the rate at each point, drawn anew for each session. */
export interface Planted {
  readonly space: Space;
  readonly control: Point;
  readonly truth: (point: Point) => number;
}

/** Values that a person would write for a pool of 1 to 100. */
const POOLS = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 22, 25, 28, 30, 35, 40, 45, 50, 55, 60, 70, 80, 90, 100,
];
const MEGABYTES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
const COSTS = [1, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.2, 2.5, 3, 3.5, 4];

function byRatio(values: readonly number[]): SearchedFactor {
  const [first = 1, last = first] = [values[0], values.at(-1)];
  return { size: values.length, places: values.map((value) => Math.log(value / first) / Math.log(last / first)) };
}

const onOff: SearchedFactor = { size: 2, places: null };
const log2 = Math.log2;
const poolAt = ([place = 0]: Point): number => POOLS[place] ?? 1;
const drawnPool = (random: Random, from: number, to: number): number => from * (to / from) ** random.next();

const onePool = spaceOf([byRatio(POOLS)]);
const pool = (of: (size: number) => number): Planted => ({
  space: onePool,
  control: [POOLS.indexOf(10)],
  truth: (point) => of(poolAt(point)),
});

/** A hump of that height at a value, as wide as that ratio. */
const hump = (value: number, at: number, height: number, ratio: number): number =>
  height * Math.exp(-((log2(value / at) / log2(ratio)) ** 2) / 2);

export const landscapes = {
  peaked(random) {
    const at = drawnPool(random, 2, 60);
    return pool((size) => -0.1 * log2(size / at) ** 2);
  },
  'flat with a cliff'(random) {
    const from = drawnPool(random, 3, 30);
    return pool((size) => (size < from ? -0.7 * Math.min(2, log2(from / size) + 0.3) : 0));
  },
  rising: () => pool((size) => 0.12 * log2(size)),
  'two humps'(random) {
    const [low, high] = [drawnPool(random, 2, 6), drawnPool(random, 25, 80)];
    const [one, other] = random.shuffle([0.3, 0.18]);
    return pool((size) => hump(size, low, one ?? 0, 1.6) + hump(size, high, other ?? 0, 1.6));
  },
  'ridge of two'(random) {
    const product = 2 ** (5 + 5 * random.next());
    return {
      space: spaceOf([byRatio(POOLS), byRatio(MEGABYTES)]),
      control: [POOLS.indexOf(10), MEGABYTES.indexOf(4)],
      truth: ([one = 0, two = 0]) => {
        const [a, b] = [POOLS[one] ?? 1, MEGABYTES[two] ?? 1];
        return -0.05 * log2((a * b) / product) ** 2 - 0.01 * log2(a / b) ** 2;
      },
    };
  },
  'two of five'(random) {
    const [at, memory] = [drawnPool(random, 3, 50), 2 ** (1 + 6 * random.next())];
    return {
      space: spaceOf([byRatio(POOLS), byRatio(MEGABYTES), byRatio(COSTS), onOff, onOff]),
      control: [POOLS.indexOf(10), MEGABYTES.indexOf(4), COSTS.indexOf(4), 0, 0],
      truth: ([one = 0, two = 0]) => {
        const [a, b] = [POOLS[one] ?? 1, MEGABYTES[two] ?? 1];
        return -0.07 * log2(a / at) ** 2 - 0.04 * log2(b / memory) ** 2;
      },
    };
  },
  flat: () => pool(() => 0),
} satisfies Record<string, (random: Random) => Planted>;

export type LandscapeName = keyof typeof landscapes;

/** The noise of an arm in a round, as a logarithm: its size, and whether its tails are those of Student's t with 3 degrees of freedom. */
export const noises = {
  quiet: { size: 0.012, isRough: false },
  shared: { size: 0.03, isRough: false },
  rough: { size: 0.05, isRough: true },
} as const;

export type NoiseName = keyof typeof noises;

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** Noise of that kind; rough noise has that standard deviation, too. */
export function noiseOf(random: Random, { size, isRough }: (typeof noises)[NoiseName]): number {
  if (!isRough) return size * normal(random);
  const chi = normal(random) ** 2 + normal(random) ** 2 + normal(random) ** 2;
  return (size * normal(random)) / Math.sqrt(chi);
}
