import { loadAxis } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';

interface WithInstances {
  readonly instances?: number;
}

/**
 * How many processes the service of each variant is, and how load gets to them: `1 and 4 processes of the service,
 * connections dealt to them in turn`. Null where no variant has several.
 */
export function instancesWords(variants: readonly WithInstances[], loads: readonly LoadLevel[]): string | null {
  const counts = [...new Set(variants.map(({ instances = 1 }) => instances))].sort((a, b) => a - b);
  if (Math.max(...counts) === 1) return null;
  const kinds = [...new Set(loads.map((load) => dealt[loadAxis(load)]))];
  const what = kinds.length === 0 ? 'load' : kinds.join(' and ');
  return `${counts.join(' and ')} processes of the service, ${what} dealt to them in turn`;
}

const dealt = { connections: 'connections', users: 'users', rate: 'requests' } as const;
