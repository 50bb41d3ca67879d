import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/base/random.ts';
import { logValues, valuesOf } from '../bench/truth/arm-truth.ts';
import { type Finished, judgeChanges, judgeValues } from '../bench/truth/judged.ts';
import type { PlantedService, Planting, Values } from '../bench/truth/planting.ts';
import { playSmallPool } from '../bench/truth/small-pool.ts';
import { countsOf, truthTable } from '../bench/truth/table.ts';
import { type LatencyCount, withoutCorrection } from '../bench/truth/wrk.ts';

describe("wrk's correction", () => {
  /** `stats_correct` of wrk 4.1, line by line. */
  function corrected(counts: ReadonlyMap<number, number>, expected: number): LatencyCount[] {
    const data = new Map(counts);
    const most = Math.max(...counts.keys());
    for (let n = 2 * expected; n <= most; n++) {
      const count = data.get(n) ?? 0;
      for (let m = n - expected; count > 0 && m > expected; m -= expected) data.set(m, (data.get(m) ?? 0) + count);
    }
    return Array.from(data, ([us, count]) => ({ us, count }));
  }

  it('is taken away again, count by count', () => {
    const random = createRandom('wrk');
    const counts = new Map<number, number>();
    for (let i = 0; i < 2000; i++) {
      const us = Math.round(
        random.next() < 0.02 ? 5000 * (1 + random.next()) : 100 - 300 * Math.log(1 - random.next()),
      );
      counts.set(us, (counts.get(us) ?? 0) + 1);
    }
    const told = corrected(counts, 350);
    const total = (all: readonly LatencyCount[]): number => all.reduce((sum, { count }) => sum + count, 0);
    expect(total(told)).toBeGreaterThan(2200);
    const ascending = Array.from(counts, ([us, count]) => ({ us, count })).sort((a, b) => a.us - b.us);
    expect(withoutCorrection(told, 350)).toEqual(ascending);
  });
});

describe('the truth of an arm', () => {
  it('is that of the 2xx answers', () => {
    const answers = Array.from({ length: 200 }, (_, i) => ({ sentMs: i, latencyMs: i + 1, isOk: i % 2 === 1 }));
    expect(valuesOf(answers, 1000)).toEqual({
      requests_per_s: 100,
      latency_mean_ms: 101,
      latency_p95_ms: 190,
      latency_p99_ms: 198,
    });
  });

  it('by the log is what was answered between two moments', () => {
    const lines = [0, 1000, 2000, 3000].map((atMs, second) => {
      return { arm: 'a', atMs, answers: 100 * second ** 2, ok: 100 * second ** 2, heldMs: 0 };
    });
    expect(logValues(lines, 4, 900, 3000)).toMatchObject({ requests_per_s: 400, latency_mean_ms: 10 });
    const failing = lines.map((line) => ({ ...line, answers: 2 * line.ok }));
    expect(logValues(failing, 4, 900, 3000)).toMatchObject({ requests_per_s: 400, latency_mean_ms: null });
  });
});

describe('a small pool that is played', () => {
  it('bears as many requests as its slots, and has no queue where there are enough', () => {
    // 2 slots of 40 ms: 50 slow requests a second, so 300 in all.
    expect(playSmallPool({ slots: 2, fastMs: 2 }, { users: 25, thinkMs: 0 }).perS).toBeCloseTo(300, -1);
    const few = playSmallPool({ slots: 8, fastMs: 2 }, { rate: 30 });
    expect(few.meanMs).toBeCloseTo((5 * 2 + 40) / 6, 1);
    expect(few.perS).toBeCloseTo(30, 0);
    // Whoever pauses for so long hardly ever finds others there.
    expect(playSmallPool({ slots: 2, fastMs: 2 }, { users: 2, thinkMs: 5000 }).meanMs).toBeCloseTo((5 * 2 + 40) / 6, 1);
  });

  it('has the queue of one server with one length of service', () => {
    // One slot, one slow request in 80 ms or so. Its arrivals are more even than by chance (Pollaczek and Khinchine), so its wait is shorter.
    const { meanMs } = playSmallPool({ slots: 1, fastMs: 2 }, { rate: 75 });
    const chanceMs = (0.5 * 40) / (2 * 0.5);
    const waitMs = 6 * meanMs - (5 * 2 + 40);
    expect(waitMs).toBeGreaterThan(0.1 * chanceMs);
    expect(waitMs).toBeLessThan(chanceMs);
  });
});

describe('what the bench says beside the truth', () => {
  const planting: PlantedService = {
    kind: 'service',
    name: 'x',
    about: 'x',
    service: 'x',
    connections: 5,
    arms: { A: {}, B: {} },
    rounds: 4,
    budget: '1m',
  };
  const valuesAt = (requests_per_s: number): Values => {
    return { requests_per_s, latency_mean_ms: 5000 / requests_per_s, latency_p95_ms: null, latency_p99_ms: null };
  };
  interface Told {
    readonly deltaPercent: number | null;
    readonly interval: readonly [number, number] | null;
    readonly verdict: string;
    readonly meanInterval?: readonly [number, number];
  }
  /** The sources say 100 answers a second of A, and this many of B, whose parts scatter by this much. */
  function finished(told: Told, rates: readonly [number, number] = [80, 80], scatter = 0.001): Finished {
    const truthOf = ([sockets, wrk]: readonly [number, number], scatter = 0) => ({
      sources: { sockets: valuesAt(sockets), wrk: valuesAt(wrk) },
      parts: [-1, 1, -1, 1, -1, 1].map((sign) => valuesAt(sockets * Math.exp(sign * scatter))),
    });
    const change = {
      variant: 'B',
      load: '5',
      metric: 'requests_per_s' as const,
      meanInterval: null,
      notes: [],
      ...told,
    };
    const said = { session: 'fit', marginPercent: 5, rounds: 4, seconds: 60, changes: [change], values: [], notes: [] };
    return { planting: 'x', seconds: 60, truths: { A: truthOf([100, 100]), B: truthOf(rates, scatter) }, said };
  }
  const judged = (...args: Parameters<typeof finished>) => judgeChanges(planting, finished(...args))[0];
  const falseSame: Told = { deltaPercent: -1, interval: [-3, 1], verdict: 'same' };

  it('holds if the interval does, or if it is within 2 %', () => {
    expect(judged({ deltaPercent: -10, interval: [-22, 3], verdict: 'noise' })?.outcome).toBe('holds');
    expect(judged({ deltaPercent: -19, interval: [-19.2, -18.8], verdict: 'lower' })?.outcome).toBe('holds');
    const flaky = { deltaPercent: -1, interval: [-3, 1], verdict: 'noise', meanInterval: [-25, 2] } as const;
    expect(judged(flaky)?.outcome).toBe('holds');
    expect(judged({ deltaPercent: -17, interval: [-18, -16], verdict: 'lower' })?.outcome).toBe('misses');
  });

  it('is a false same, a wrong sign or a false alarm', () => {
    expect(judged(falseSame)).toMatchObject({ outcome: 'misses', isFalseSame: true, isWrongSign: false });
    expect(judged(falseSame, [97, 97])?.isFalseSame).toBe(false);
    const higher: Told = { deltaPercent: 8, interval: [3, 12], verdict: 'higher' };
    expect(judged(higher)).toMatchObject({ outcome: 'misses', isWrongSign: true, isFalseAlarm: false });
    const same: PlantedService = { ...planting, change: { B: { requests_per_s: 0 } } };
    expect(judgeChanges(same, finished(higher))[0]).toMatchObject({ outcome: 'misses', isFalseAlarm: true });
  });

  it('is neither where it says that it cannot know, or where the truth is not known closely', () => {
    expect(judged({ deltaPercent: null, interval: null, verdict: 'noise' })?.outcome).toBe('cannot know');
    expect(judged(falseSame, [80, 95])).toMatchObject({ outcome: 'truth unknown', isFalseSame: false });
    expect(judged(falseSame, [80, 80], 0.2)).toMatchObject({ outcome: 'truth unknown', isFalseSame: false });
  });

  it('has the error of sources that are apart about one side', () => {
    const line = finished({ deltaPercent: -17, interval: [-18, -16], verdict: 'lower' });
    const { A, B } = line.truths;
    if (A === undefined || B === undefined) throw new Error('no truths');
    const apart = { ...A, sources: { sockets: valuesAt(100), wrk: valuesAt(103) } };
    const alone = { ...B, sources: { sockets: valuesAt(80) } };
    expect(judgeChanges(planting, { ...line, truths: { A, B: alone } })[0]?.outcome).toBe('misses');
    expect(judgeChanges(planting, { ...line, truths: { A: apart, B: alone } })[0]?.outcome).toBe('holds');
  });

  it('stands in one row, and is counted', () => {
    const all = [{ planting, finished: finished(falseSame) }];
    expect(truthTable(all)).toContain('| -20.0 ±0.1: -1.0 [-3.0, +1.0] same **misses** **false same** |');
    expect(countsOf(all)).toMatchObject({ claims: 1, holds: 0, falseSame: 1, same: 1, unknown: 0, wrongSigns: 0 });
  });

  it('is told with many others that do not differ in one row', () => {
    const same: Planting = { kind: 'identical', name: 'x', about: 'x', text: '' };
    /** Without the widths of the columns. */
    const tableOf = (last: Told): string => {
      const line = finished({ deltaPercent: -1, interval: [-3, 1], verdict: 'same' });
      const changes = ['B', 'C', 'D', 'E'].flatMap((variant) => line.said.changes.map((one) => ({ ...one, variant })));
      const odd = line.said.changes.map((one) => ({ ...one, variant: 'F', ...last }));
      const said = { ...line.said, changes: [...changes, ...odd] };
      return truthTable([{ planting: same, finished: { ...line, said } }]).replaceAll(/ +/g, ' ');
    };
    const noise = tableOf({ deltaPercent: 2, interval: [-4, 8], verdict: 'noise' });
    expect(noise).toContain('| 5 variants | 4 same, 1 noise, furthest 0.0: +2.0 [-4.0, +8.0] noise |');
    expect(tableOf({ deltaPercent: 2, interval: [1, 3], verdict: 'higher' })).toContain(
      '4 same, 1 higher, 0.0: +2.0 [+1.0, +3.0] higher **false alarm** |',
    );
  });

  it('of a single arm holds within 2 %', () => {
    const line = finished(falseSame);
    const said = { ...line.said, values: [{ arm: 'B', values: valuesAt(81) }] };
    expect(judgeValues(planting, { ...line, said }).map(({ metric, holds }) => [metric, holds])).toEqual([
      ['requests_per_s', true],
      ['latency_mean_ms', true],
    ]);
    const off = { ...line.said, values: [{ arm: 'B', values: valuesAt(84) }] };
    expect(judgeValues(planting, { ...line, said: off }).every(({ holds }) => !holds)).toBe(true);
  });
});
