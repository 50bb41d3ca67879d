import { distanceReading, distanceSpec } from './link/distance.ts';
import { poolerReading, poolerSpec } from './link/pooler.ts';
import { count, fields, optional, type ValueOf } from './shape.ts';

/**
 * Parts of a variant besides its environment and its changes to the database, by key: what stands between service and
 * database, and how the service is run. A scenario reads them (src/scenario/variant-parts), a run makes them
 * (src/measure/link), what it measured of them is read (src/judge/read/parts), a report says them (src/report/parts), each
 * with a registry `parts.ts`.
 */
export const variantParts = {
  /** Number of processes of the service, each on its own port. Absent where the scenario says nothing. */
  instances: optional(count),
  /** How far its service is from the database; absent where nothing is added. */
  distance: optional(distanceSpec),
  /** Pools the connections between its service and the database; absent where nothing does. */
  pooler: optional(poolerSpec),
};

/** Readings of parts that a run measures, in the records of links. */
export const partReadings = {
  distance: optional(distanceReading),
  pooler: optional(poolerReading),
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
