import { mean } from './moments.ts';

/**
 * The means of consecutive batches of `size` values: neighbours in time resemble each other, batches of them much less
 * (Conway, 1963). Values at the end that fill no batch are left out.
 */
export function batchMeans(values: readonly number[], size: number): number[] {
  const batches = Math.floor(values.length / size);
  return Array.from({ length: batches }, (_, batch) => mean(values.slice(batch * size, (batch + 1) * size)));
}
