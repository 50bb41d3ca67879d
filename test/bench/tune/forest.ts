import type { Random } from '../../../src/base/random.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import type { Point } from '../../../src/judge/tune/space.ts';
import type { Tried } from './strategies.ts';

const TREES = 24;
const LEAST_IN_LEAF = 2;

type Tree =
  | { readonly value: number }
  | { readonly factor: number; readonly at: number; readonly low: Tree; readonly high: Tree };

/** A forest of regression trees over the places of values: mean and deviation of its trees at a point. */
export function growForest(
  tried: readonly Tried[],
  random: Random,
): (point: Point) => { readonly mean: number; readonly deviation: number } {
  const rows = tried.flatMap(({ point, ratios }) => ratios.map((ratio) => ({ point, ratio })));
  const trees = Array.from({ length: TREES }, () =>
    grow(
      rows.map(() => random.pick(rows)),
      random,
    ),
  );
  return (point) => {
    const values = trees.map((tree) => valueAt(tree, point));
    const centre = mean(values);
    return { mean: centre, deviation: Math.sqrt(mean(values.map((value) => (value - centre) ** 2))) };
  };
}

interface Row {
  readonly point: Point;
  readonly ratio: number;
}

function grow(rows: readonly Row[], random: Random): Tree {
  const value = mean(rows.map(({ ratio }) => ratio));
  const factors = rows[0]?.point.length ?? 0;
  let best: { readonly factor: number; readonly at: number; readonly squares: number } | null = null;
  for (let factor = 0; factor < factors; factor++) {
    // Of several factors, a share of them at each split.
    if (factors > 2 && random.next() < 0.3) continue;
    const places = [...new Set(rows.map(({ point }) => point[factor] ?? 0))].sort((a, b) => a - b);
    for (let i = 1; i < places.length; i++) {
      const at = ((places[i - 1] ?? 0) + (places[i] ?? 0)) / 2;
      const [low, high] = split(rows, factor, at);
      if (Math.min(low.length, high.length) < LEAST_IN_LEAF) continue;
      const squares = squaresOf(low) + squaresOf(high);
      if (best === null || squares < best.squares) best = { factor, at, squares };
    }
  }
  if (best === null || best.squares >= squaresOf(rows)) return { value };
  const [low, high] = split(rows, best.factor, best.at);
  return { factor: best.factor, at: best.at, low: grow(low, random), high: grow(high, random) };
}

function split(rows: readonly Row[], factor: number, at: number): [Row[], Row[]] {
  return [
    rows.filter(({ point }) => (point[factor] ?? 0) < at),
    rows.filter(({ point }) => (point[factor] ?? 0) >= at),
  ];
}

function squaresOf(rows: readonly Row[]): number {
  const centre = mean(rows.map(({ ratio }) => ratio));
  return rows.reduce((sum, { ratio }) => sum + (ratio - centre) ** 2, 0);
}

function valueAt(tree: Tree, point: Point): number {
  if ('value' in tree) return tree.value;
  return valueAt((point[tree.factor] ?? 0) < tree.at ? tree.low : tree.high, point);
}
