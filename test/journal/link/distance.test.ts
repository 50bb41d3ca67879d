import { describe, expect, it } from 'vitest';
import {
  addedMs,
  type DistanceReading,
  type DistanceSpec,
  distanceReading,
  isOff,
} from '../../../src/journal/link/distance.ts';

function reading(asked: DistanceSpec, directUs: number, distantUs: number): DistanceReading {
  const trips = (p50Us: number) => ({ trips: 100, p50Us, p99Us: 2 * p50Us });
  return { asked, direct: trips(directUs), distant: trips(distantUs) };
}

describe('a measured distance', () => {
  it('is what was added to the median round trip', () => {
    expect(addedMs(reading({ rttMs: 1 }, 120, 1170))).toBeCloseTo(1.05);
  });

  it('is off by more than a tenth of it, or of a millisecond', () => {
    const offs = (rttMs: number, addedUs: readonly number[]): boolean[] =>
      addedUs.map((us) => isOff(reading({ rttMs }, 100, 100 + us)));
    expect(offs(0.5, [390, 410, 590, 610])).toEqual([true, false, false, true]);
    expect(offs(1, [890, 910, 1090, 1110])).toEqual([true, false, false, true]);
    expect(offs(10, [8900, 9100, 10_900, 11_100])).toEqual([true, false, false, true]);
  });

  it('of little bandwidth is longer by what a round trip takes of it', () => {
    // 640 bits at 1 Mbit/s.
    expect(isOff(reading({ rttMs: 1, bandwidthMbit: 1 }, 100, 1740))).toBe(false);
    expect(isOff(reading({ rttMs: 1, bandwidthMbit: 1 }, 100, 1100))).toBe(true);
  });

  it('that netem made, of an old journal, is read, and also took what the heads of the packets take', () => {
    // 1056 bits more.
    const slow = reading({ rttMs: 1, bandwidthMbit: 1 }, 100, 2796);
    const old = { ...slow, by: 'netem' } as const;
    expect([distanceReading(old), isOff(slow), isOff(old)]).toEqual([null, true, false]);
  });
});
