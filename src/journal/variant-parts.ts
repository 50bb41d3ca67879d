import { distanceReading, distanceSpec } from './link/distance.ts';
import { poolerReading, poolerSpec } from './link/pooler.ts';
import { liveSwitch } from './live-switch.ts';
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
  /** How a running service and its database are switched to this variant; absent where it is a separate arm. */
  live: optional(liveSwitch),
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

/** True if all arms are one process and one database, which is switched before every turn. */
export function areOneProcess({ variants }: { readonly variants: readonly VariantParts[] }): boolean {
  return variants.some(({ live }) => live !== undefined);
}

export const partKeys = Object.keys(variantParts) as readonly PartKey[];

/** The parts of a variant alone. */
export function partsOf(variant: VariantParts): VariantParts {
  return Object.fromEntries(partKeys.flatMap((key) => (variant[key] === undefined ? [] : [[key, variant[key]]])));
}
