import type { Comparison } from '../../analysis/judge/comparison.ts';

/** Sorts comparisons by how telling they are: effects first, the largest before the others, then what is the same, then noise. */
export function rank({ verdict, deltaPercent }: Pick<Comparison, 'verdict' | 'deltaPercent'>): number {
  const order = { higher: 0, lower: 0, same: 1, noise: 2, unfit: 3 }[verdict];
  return order === 0 ? -Math.abs(deltaPercent ?? 0) : order;
}
