import { addedMs, type DistanceReading, type DistanceSpec, isOff } from '../../../journal/link/distance.ts';
import type { RunNote } from '../../notes.ts';
import { median } from '../../stats/moments.ts';
import { significant } from '../../stats/rounding.ts';

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

/** All looks at the distance of a variant; undefined where there was none. */
export function distanceOf(readings: readonly DistanceReading[]): DistanceSummary | undefined {
  const [first] = readings;
  return (
    first && {
      asked: first.asked,
      looks: readings.length,
      p50Ms: significant(median(readings.map(addedMs))),
      p99Ms: significant(median(readings.map(({ direct, distant }) => (distant.p99Us - direct.p50Us) / 1000))),
      off: readings.filter(isOff).length,
    }
  );
}

/** A note on a variant whose distance is not what was asked. */
export function distanceNotes(variant: string, distance: DistanceSummary | undefined): RunNote[] {
  if (distance === undefined || distance.off === 0) return [];
  const { asked, p50Ms, off, looks } = distance;
  return [{ kind: 'distance-off', variant, askedMs: asked.rttMs, p50Ms, off, looks }];
}
