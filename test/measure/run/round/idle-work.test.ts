import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import type { TurnWorkRecord } from '../../../../src/journal/slice-record.ts';
import { restingShare, shownToWorkLater, workWhenIdle } from '../../../../src/measure/run/round/idle-work.ts';
import { normal } from '../../../judge/journal-fixture.ts';
import { noWork } from '../../probe/meter/fake-turn-meter.ts';

const armCounts = [2, 5, 12];
const TURNS_MS = 10 * 200;

const worksWhenIdle = (work: TurnWorkRecord, aloneShare: number | undefined): boolean =>
  workWhenIdle(work, aloneShare, TURNS_MS) !== null;

/**
 * A pass of turns of 200 ms, 10 an arm: an arm uses `busy` of one CPU in its turns, `resting` of one between them, and
 * does a further `later` of its work between them.
 */
function passOf(arms: number, { busy = 0.8, resting = 0.0035, later = 0 }): TurnWorkRecord {
  const idleMs = (arms - 1) * TURNS_MS;
  const own = busy * TURNS_MS;
  return {
    ...noWork,
    serviceCpuMs: 0.8 * own,
    postgresCpuMs: 0.2 * own,
    idleCpuMs: resting * idleMs + later * own,
    idleMs,
  };
}

describe('work that comes after the answers', () => {
  for (const arms of armCounts) {
    it(`is work in the turns of others from the same share of the arm's own on, of ${arms} arms`, () => {
      for (const busy of [0.25, 0.8, 1.5]) {
        expect(worksWhenIdle(passOf(arms, { busy, later: 0.3 }), 0.0035)).toBe(true);
        expect(worksWhenIdle(passOf(arms, { busy, later: 0.02 }), 0.0035)).toBe(false);
      }
      expect(worksWhenIdle(passOf(arms, { later: 0.1 }), 0.0035)).toBe(true);
    });

    it(`is none where an arm of ${arms} rests, on a quiet machine and on one of which a sixth is stolen`, () => {
      for (const [resting, alone] of [
        [0.0037, 0.003],
        [0.0186, 0.0126],
      ] as const) {
        for (const busy of [0.25, 0.8, 1.5]) expect(worksWhenIdle(passOf(arms, { busy, resting }), alone)).toBe(false);
      }
    });

    it(`is found for ${arms} arms that use little of a CPU, and next to nothing at rest`, () => {
      // 12 arms on a machine with eighteen times as much to do as it can: 368 ms in turns, 90 ms between them.
      const bare = { busy: 0.21, resting: 0.0003 };
      expect(worksWhenIdle(passOf(arms, { ...bare, later: 0.24 }), 0.0011)).toBe(true);
      expect(worksWhenIdle(passOf(arms, { ...bare, resting: 0.0005 }), 0.0002)).toBe(false);
    });

    it(`is told from what an arm of ${arms} polls all the time`, () => {
      const poller = { busy: 0.5, resting: 0.04 };
      expect(worksWhenIdle(passOf(arms, poller), 0.04)).toBe(false);
      expect(worksWhenIdle(passOf(arms, poller), 0.001)).toBe(true);
    });

    it(`is found as surely for ${arms} arms where what they use at rest is known by 3 s each`, () => {
      // As measured: what an arm was seen to use alone scatters by 0.07 points around 0.37 %, and between turns by 0.03.
      const random = createRandom(arms);
      const found = (later: number): number =>
        Array.from({ length: 500 }).filter(() => {
          const resting = 0.0034 + 0.0003 * normal(random);
          return worksWhenIdle(passOf(arms, { later, resting }), 0.0037 + 0.0007 * normal(random));
        }).length;
      expect(found(0.3)).toBe(500);
      expect(found(0.12)).toBeGreaterThan(490);
      expect(found(0.01)).toBeLessThan(10);
    });
  }

  it('has a limit that the time between turns does not move', () => {
    const limit = (arms: number): number => {
      const shares = Array.from({ length: 1000 }, (_, index) => index / 1000);
      return shares.find((later) => worksWhenIdle(passOf(arms, { later }), 0.0035)) ?? 1;
    };
    const limits = armCounts.map(limit);
    expect(Math.min(...limits)).toBeGreaterThan(0.05);
    expect(Math.max(...limits)).toBeLessThan(0.08);
  });
});

it('a slim service that waits for a timer and does next to nothing is not one that works later', () => {
  // 60 ms of CPU in 2 s of turns, and 9 ms between them.
  for (const arms of armCounts)
    expect(worksWhenIdle(passOf(arms, { busy: 0.03, resting: 0, later: 0.15 }), 0)).toBe(false);
});

describe('which arm is shown to work later', () => {
  /** Of passes with turns of 500 ms in all, one after the other; each arm has used this much CPU between them, beside 100 ms. */
  const shownIn = (...passes: Readonly<Record<string, number>>[]) => {
    const suspects = new Set<string>();
    return passes.map((pass) => {
      const found = Object.entries(pass).map(([arm, idleCpuMs]) => {
        const work = { ...noWork, serviceCpuMs: 100, postgresCpuMs: 0, idleCpuMs, idleMs: 1000 };
        return [arm, workWhenIdle(work, 0.0004, 500)] as const;
      });
      return shownToWorkLater(new Map(found), suspects)?.arm ?? null;
    });
  };

  it('is none where each has a collection of garbage, or code that is compiled late, now and then', () => {
    expect(shownIn({ a: 12, b: 1 }, { a: 1, b: 20 }, { a: 3, b: 4 }, { a: 14, b: 0 })).toEqual(Array(4).fill(null));
  });

  it('is one that does a little in two passes running, or more than one event takes in one', () => {
    expect(shownIn({ a: 1, b: 12 }, { a: 1, b: 11 })).toEqual([null, 'b']);
    expect(shownIn({ a: 1, b: 80 })).toEqual(['b']);
    expect(shownIn({ a: 1, b: 12 }, { a: 1 }, { b: 12 })).toEqual([null, null, 'b']);
  });

  it('is the one that did so before, or the one with most, and none that has a large event beside it', () => {
    expect(shownIn({ a: 33, b: 1 }, { a: 1, b: 33 })).toEqual([null, null]);
    expect(shownIn({ a: 33, b: 400 })).toEqual(['b']);
    expect(shownIn({ a: 70, b: 400 })).toEqual(['b']);
    expect(shownIn({ a: 1, b: 100 }, { a: 120, b: 80 })).toEqual(['b', 'b']);
  });
});

describe('what an arm uses at rest', () => {
  const second = (cpuMs: number) => ({ cpuMs, durationMs: 1000 });

  it('is what goes on all the time, and not what comes once after load', () => {
    expect(restingShare([second(4), second(4), second(4)])).toBeCloseTo(0.004, 12);
    for (const pieces of [
      [22, 0.3, 0.3],
      [0.3, 22, 0.3],
    ])
      expect(restingShare(pieces.map(second))).toBeCloseTo(0.0003, 12);
    // A poll every two seconds, of which three seconds see one or two.
    expect(restingShare([second(6), second(0), second(6)])).toBeCloseTo(0.003, 12);
    expect(restingShare([])).toBe(0);
  });

  it('hides no later work of 12 arms where a collection of 22 ms fell into the time alone', () => {
    const resting = restingShare([second(22), second(0), second(0)]);
    expect(worksWhenIdle(passOf(12, { busy: 0.3, resting: 0.0004, later: 0.3 }), resting)).toBe(true);
    expect(worksWhenIdle(passOf(12, { busy: 0.3, resting: 0.0004, later: 0.02 }), resting)).toBe(false);
  });
});

it('an arm that was never left alone may rest as on a bad machine', () => {
  expect(worksWhenIdle(passOf(12, { resting: 0.019 }), undefined)).toBe(false);
  expect(worksWhenIdle(passOf(12, { resting: 0.019, later: 0.3 }), undefined)).toBe(true);
});

it('nothing is said where it cannot be seen', () => {
  const working = passOf(2, { later: 3 });
  expect(worksWhenIdle({ ...working, serviceCpuMs: null }, 0)).toBe(false);
  expect(worksWhenIdle({ ...working, idleCpuMs: null }, 0)).toBe(false);
});
