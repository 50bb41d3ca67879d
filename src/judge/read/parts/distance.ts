import { addedMs, type DistanceReading, type DistanceSpec, isOff } from '../../../journal/link/distance.ts';
import { median } from '../../stats/moments.ts';
import { significant } from '../../stats/rounding.ts';
import type { ReadPart } from './part.ts';

/** Round trips of `SELECT 1`, looked at in every round before load. */
export interface DistanceSummary {
  readonly asked: DistanceSpec;
  /** How often it was looked at: in every round, of the control twice. */
  readonly looks: number;
  /**
   * The distance in excess of the median direct round trip: medians over the looks of their medians and of their 99th
   * percentiles.
   */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** At how many looks it was off by more than a tenth of it, or of a millisecond. */
  readonly off: number;
}

/** How far a service is from its database, over all looks. */
export const distance = {
  measured: (readings): DistanceSummary => ({
    asked: readings[0].asked,
    looks: readings.length,
    p50Ms: significant(median(readings.map(addedMs))),
    p99Ms: significant(median(readings.map(({ direct, distant }) => (distant.p99Us - direct.p50Us) / 1000))),
    off: readings.filter(isOff).length,
  }),
  notes(variant, { asked, p50Ms, off, looks }) {
    return off === 0 ? [] : [{ kind: 'distance-off', variant, askedMs: asked.rttMs, p50Ms, off, looks }];
  },
} satisfies ReadPart<DistanceReading, DistanceSummary>;
