import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { isOff } from '../../../../src/journal/link/distance.ts';
import { median } from '../../../../src/judge/stats/moments.ts';
import { createOwnTime } from '../../../../src/measure/link/distance/own-time.ts';

/** A proxy that takes `ownMs` each way and now and then much longer: what each of this many trips takes over a direct one. */
function trips(count: number, rttMs: number, ownMs: number, own = createOwnTime(rttMs)) {
  const random = createRandom(`own time ${rttMs} ${ownMs}`);
  const addedMs = Array.from({ length: count }, () => {
    const delayMs = Math.max(0, rttMs / 2 - own.ms());
    const lateMs = random.next() < 0.1 ? 5 * random.next() : 0.1 * (random.next() - 0.5);
    const added = 2 * (delayMs + ownMs) + lateMs;
    own.add(added);
    return added;
  });
  return { own, addedMs };
}

describe('what the proxy takes itself', () => {
  it('is found, so that the median is what was asked for, whatever single trips take', () => {
    for (const ownMs of [0.03, 0.08, 0.2]) {
      const { own, addedMs } = trips(400, 1, ownMs);
      expect(own.ms()).toBeGreaterThan(ownMs - 0.02);
      expect(own.ms()).toBeLessThan(ownMs + 0.03);
      expect(Math.abs(median(addedMs.slice(-200)) - 1)).toBeLessThan(0.04);
    }
  });

  it('is followed when the machine becomes busier or idle', () => {
    const { own } = trips(400, 0.5, 0.2);
    expect(own.ms()).toBeGreaterThan(0.17);
    trips(400, 0.5, 0.05, own);
    expect(own.ms()).toBeLessThan(0.08);
  });

  it('leaves 1 ms as it was asked for on a machine that becomes busy and idle, by the last look of a round', () => {
    const own = createOwnTime(1);
    for (const ownMs of [0.24, 0.05, 0.24, 0.05, 0.15, 0.24]) {
      // In the second and a half of its looks there are 30 pings.
      const seenMs = median(trips(30, 1, ownMs, own).addedMs.slice(-10));
      const distant = { trips: 200, p50Us: 100 + 1000 * seenMs, p99Us: 2000 };
      const reading = { asked: { rttMs: 1 }, direct: { trips: 200, p50Us: 100, p99Us: 200 }, distant };
      expect(isOff(reading), `${ownMs} ms each way: ${seenMs} ms`).toBe(false);
    }
  });

  it('is right again soon after the machine was too busy for any proxy', () => {
    const { own } = trips(200, 1, 3);
    expect(own.ms()).toBe(0.25);
    trips(40, 1, 0.05, own);
    expect(own.ms()).toBeLessThan(0.08);
  });

  it('is at most all of the delay, at most what a proxy may take, and never less than nothing', () => {
    expect(trips(400, 0.1, 3).own.ms()).toBe(0.05);
    expect(trips(400, 5, 3).own.ms()).toBe(0.25);
    expect(trips(400, 1, -1).own.ms()).toBe(0);
  });
});
