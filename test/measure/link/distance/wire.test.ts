import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import type { DistanceSpec } from '../../../../src/journal/link/distance.ts';
import { createWire } from '../../../../src/measure/link/distance/wire.ts';

const wireOf = (spec: DistanceSpec, random: () => number = () => 0.5, ownMs = 0) =>
  createWire(spec, { random, ownMs: () => ownMs });

describe('a direction', () => {
  it('takes half a round trip, of each piece from when it is sent: what is pipelined arrives together', () => {
    const line = wireOf({ rttMs: 2 }).connect(0, 'database');
    expect([0, 0.1, 0.2].map((sentMs) => line.arrivalMs(sentMs, 100))).toEqual([1, 1.1, 1.2]);
  });

  it('carries nothing of the service before the handshake, which is a round trip', () => {
    const wire = wireOf({ rttMs: 2 });
    expect(wire.connect(10, 'service').arrivalMs(10, 8)).toBe(13);
    expect(wire.connect(10, 'service').arrivalMs(20, 8)).toBe(21);
  });

  it('carries what one connection sends while another is opened', () => {
    const wire = wireOf({ rttMs: 10 });
    const open = wire.connect(0, 'service');
    expect(wire.connect(1000, 'service').arrivalMs(1000, 8)).toBe(1015);
    expect(open.arrivalMs(1001, 8)).toBe(1006);
  });

  it('is shortened by what the proxy takes itself, and never below nothing', () => {
    expect(wireOf({ rttMs: 1 }, undefined, 0.1).connect(0, 'database').arrivalMs(5, 1)).toBeCloseTo(5.4);
    expect(wireOf({ rttMs: 1 }, undefined, 3).connect(0, 'database').arrivalMs(5, 1)).toBe(5);
  });

  it('spreads jitter evenly over both ways, and keeps the order', () => {
    const { next } = createRandom(1);
    const line = wireOf({ rttMs: 10, jitterMs: 4 }, next).connect(0, 'database');
    const delays = Array.from({ length: 2000 }, (_, index) => line.arrivalMs(100 * index, 1) - 100 * index);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(3);
    expect(Math.max(...delays)).toBeLessThanOrEqual(7);
    expect(delays.reduce((sum, delay) => sum + delay, 0) / delays.length).toBeCloseTo(5, 0);
    const close = wireOf({ rttMs: 10, jitterMs: 10 }, next).connect(0, 'database');
    const arrivals = Array.from({ length: 500 }, (_, index) => close.arrivalMs(index / 100, 1));
    expect(arrivals).toEqual([...arrivals].sort((a, b) => a - b));
  });

  it('has one bandwidth for all its connections', () => {
    // 8 Mbit/s are 1,000 bytes a millisecond.
    const wire = wireOf({ rttMs: 2, bandwidthMbit: 8 });
    const [one, other] = [wire.connect(0, 'database'), wire.connect(0, 'database')];
    expect([one.arrivalMs(0, 4000), other.arrivalMs(1, 1000), one.arrivalMs(1, 1000)]).toEqual([5, 6, 7]);
    const opened = wire.connect(20, 'service');
    expect([opened.arrivalMs(20, 1000), opened.arrivalMs(20, 1000)]).toEqual([24, 25]);
    // A wire that was idle has not saved up anything.
    expect(one.arrivalMs(100, 2000)).toBe(103);
  });
});
