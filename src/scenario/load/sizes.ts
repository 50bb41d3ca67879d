import { z } from 'zod';
import { count, distinct } from '../../base/schema-values.ts';
import type { Problem } from '../problem.ts';

/** Sizes of a load, one or a list of them, where clients are counted. */
export const clients = z
  .union([count(10_000), distinct(count(10_000))], {
    error: 'expected a whole number from 1 to 10000, or a list of at most 100 of them',
  })
  .transform((sizes) => [sizes].flat());

/** Sizes of a load; one that stands twice is a problem. */
export function sizesOf(sizes: readonly number[], key: string, problems: Problem[]): readonly number[] {
  sizes.forEach((size, index) => {
    if (sizes.indexOf(size) < index)
      problems.push({ path: ['load', key, index], message: `load level ${size} stands twice` });
  });
  return sizes;
}
