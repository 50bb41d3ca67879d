import { distanceSpec } from './link/distance.ts';
import { poolerSpec } from './link/pooler.ts';
import { count, fields, optional, type ValueOf } from './shape.ts';

/**
 * Parts of a variant besides its environment and its changes to the database, by key: what stands between service and
 * database, and how the service is run. A scenario reads them (src/scenario/variant-parts), a run makes them
 * (src/measure/link), a report says them (src/report/parts), each with a registry `parts.ts`.
 */
export const variantParts = {
  /** Number of processes of the service, each on its own port. Absent where the scenario says nothing. */
  instances: optional(count),
  /** How far its service is from the database; absent where nothing is added. */
  distance: optional(distanceSpec),
  /** Pools the connections between its service and the database; absent where nothing does. */
  pooler: optional(poolerSpec),
};

/** The parts that a variant has. */
export interface VariantParts extends ValueOf<typeof withParts> {}
const withParts = fields(variantParts);

export type PartKey = keyof typeof variantParts;

export const partKeys = Object.keys(variantParts) as readonly PartKey[];

/** The parts of a variant alone. */
export function partsOf(variant: VariantParts): VariantParts {
  return Object.fromEntries(partKeys.flatMap((key) => (variant[key] === undefined ? [] : [[key, variant[key]]])));
}
