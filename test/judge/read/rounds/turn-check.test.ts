import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { checkedTurns, hiddenTime, turnGap } from '../../../../src/judge/read/rounds/turn-check.ts';
import { mean } from '../../../../src/judge/stats/moments.ts';

interface Loop {
  readonly connections: number;
  readonly baseMs: number;
  readonly rareShare: number;
  readonly rareMs: number;
  readonly turnMs: number;
  readonly turns: number;
  /** What is sent before does not count. */
  readonly leadMs?: number;
}

/** Closed loops in turns that begin idle and end when the last answer has come, as the load generator counts them. */
function loopInTurns({ connections, baseMs, rareShare, rareMs, turnMs, turns, leadMs = 0 }: Loop, seed: number) {
  const random = createRandom(seed);
  const counts = { turnMs, ok: [] as number[], okByTime: [] as number[], busyMs: [] as number[], gapMaxMs: 0 };
  for (let turn = 0; turn < turns; turn++) {
    let [ok, okByTime, busyMs] = [0, 0, 0];
    for (let connection = 0; connection < connections; connection++) {
      for (let sentMs = 0; sentMs < turnMs; ) {
        const latencyMs = baseMs * (0.5 + random.next()) + (random.next() < rareShare ? rareMs : 0);
        const endMs = sentMs + latencyMs;
        if (sentMs >= leadMs) {
          ok++;
          busyMs += latencyMs;
        }
        okByTime += Math.max(0, Math.min(endMs, turnMs) - Math.max(sentMs, leadMs)) / latencyMs;
        sentMs = endMs;
      }
    }
    counts.ok.push(ok);
    counts.okByTime.push(okByTime);
    counts.busyMs.push(busyMs);
  }
  return { load: { connections }, windowMs: turns * (turnMs - leadMs), turns: counts };
}

const rare = { connections: 5, baseMs: 5, rareShare: 1 / 211, rareMs: 300, turnMs: 167, turns: 24 };

/** What the turns of some slices hide, of this many turns of such a length each. */
function hidden(loop: Loop, slices: readonly (readonly [turns: number, turnMs: number])[], seed: number) {
  const checked = slices.flatMap(([turns, turnMs], round) => {
    return checkedTurns([loopInTurns({ ...loop, turns, turnMs }, 1000 * seed + round)]) ?? [];
  });
  const time = hiddenTime(checked);
  if (time === null) throw new Error('there are turns');
  return time;
}

function gapOf(loop: Loop, seed: number) {
  const turns = checkedTurns([loopInTurns(loop, seed)]);
  const gap = turns && turnGap(turns);
  if (gap === null || gap.error === null) throw new Error('there is a gap');
  return { log: gap.log, error: gap.error };
}

describe('the gap between what was sent and what came within turns', () => {
  it('is that of waits which outlast turns', () => {
    const gaps = Array.from({ length: 20 }, (_, seed) => gapOf(rare, seed));
    // By theory a cycle takes 6.42 ms on average; within a turn of 167 ms hardly any wait ends.
    expect(mean(gaps.map(({ log }) => log))).toBeLessThan(-0.12);
    expect(gaps.filter(({ log, error }) => log + 3.5 * error < 0).length).toBeGreaterThan(10);
  });

  it('is 0 within its error where nothing outlasts turns', () => {
    const gaps = Array.from({ length: 200 }, (_, seed) => gapOf({ ...rare, rareShare: 0 }, seed));
    expect(gaps.filter(({ log, error }) => Math.abs(log) > 3.5 * error && Math.abs(log) > 0.01)).toEqual([]);
    expect(Math.abs(mean(gaps.map(({ log }) => log)))).toBeLessThan(0.005);
  });

  it('has an error as large as its scatter', () => {
    const gaps = Array.from({ length: 300 }, (_, seed) => gapOf({ ...rare, turns: 60 }, seed));
    const centre = mean(gaps.map(({ log }) => log));
    const scatter = Math.sqrt(mean(gaps.map(({ log }) => (log - centre) ** 2)));
    const told = mean(gaps.map(({ error }) => error));
    expect(told / scatter).toBeGreaterThan(0.8);
    expect(told / scatter).toBeLessThan(1.25);
  });

  describe('is so much time of every turn', () => {
    it('whatever their lengths', () => {
      // By renewal theory variance / (2 mean) of the time between two answers of a connection, for long turns that begin idle.
      const theoryMs = 426.6 / (2 * 6.42);
      const lengths = [
        [40, 2000],
        [10, 8000],
      ] as const;
      const times = Array.from({ length: 60 }, (_, seed) => hidden(rare, lengths, seed));
      expect(-mean(times.map(({ ms }) => ms)) / theoryMs).toBeGreaterThan(0.85);
      expect(-mean(times.map(({ ms }) => ms)) / theoryMs).toBeLessThan(1.15);
    });

    it('that is certain after two rounds, and as certain when long turns have followed', () => {
      const certain = (slices: readonly (readonly [number, number])[]): number =>
        Array.from({ length: 50 }, (_, seed) => hidden(rare, slices, seed)).filter(({ isCertain }) => isCertain).length;
      const short = [24, 167] as const;
      expect(certain([short, short])).toBeGreaterThan(40);
      expect(certain([short, short, [3, 1336], [3, 1336]])).toBeGreaterThan(40);
    });

    it('and is not certain where there is none: not of few turns either', () => {
      const still = { ...rare, rareShare: 0, leadMs: 40 };
      for (const turns of [3, 12]) {
        const certain = Array.from({ length: 1000 }, (_, seed) => hidden(still, [[turns, 167]], seed));
        expect(certain.filter(({ isCertain }) => isCertain).length).toBeLessThanOrEqual(8);
      }
    });
  });

  it('is not known of open loads, of one turn without an error, of nothing not at all', () => {
    const { turns, windowMs } = loopInTurns(rare, 1);
    expect(checkedTurns([{ load: { users: 5 }, turns, windowMs }])).toBeNull();
    expect(checkedTurns([])).toBeNull();
    const one = checkedTurns([loopInTurns({ ...rare, turns: 1 }, 1)]);
    expect(one && turnGap(one)).toMatchObject({ error: null });
    const none = { turnMs: 100, ok: [0], okByTime: [0], busyMs: [500], gapMaxMs: 0 };
    const nothing = checkedTurns([{ load: { connections: 5 }, turns: none, windowMs: 100 }]);
    expect(nothing && turnGap(nothing)).toBeNull();
  });
});
