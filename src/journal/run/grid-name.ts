import type { Variant } from '../scenario-record.ts';

/** The name of a variant of a grid: `pool=25, lock=none`. */
export function gridName(factors: Variant['factors']): string {
  return Object.entries(factors)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}
