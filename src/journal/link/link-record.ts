import { count, fields, oneOf, text, type ValueOf } from '../shape.ts';
import { partReadings } from '../variant-parts.ts';

/** Observations of what stands between a service and its database; empty where nothing does. */
export interface LinkReading extends ValueOf<typeof linkReading> {}
const linkReading = fields(partReadings);

/** Looked at in every round, when all arms live and none is under load. */
export interface LinkRecord extends ValueOf<typeof linkRecord> {}
export const linkRecord = fields({ type: oneOf('link'), round: count, arm: text, variant: text, ...partReadings });
