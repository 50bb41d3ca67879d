import type { PoolerReading } from '../../../journal/link/pooler.ts';
import type { ReadPart } from './part.ts';

/** A PgBouncer between a service and its database, as it was last seen. */
export const pooler = {
  measured: (readings) => readings.at(-1) ?? readings[0],
} satisfies ReadPart<PoolerReading, PoolerReading>;
