import { describe, expect, it } from 'vitest';
import { checkedTurns, turnGap } from '../../../../src/analysis/read/rounds/turn-check.ts';
import { createRandom } from '../../../../src/base/random.ts';
import { mean } from '../../../../src/stats/moments.ts';

interface Loop {
  readonly connections: number;
  readonly baseMs: number;
  readonly rareShare: number;
  readonly rareMs: number;
  readonly turnMs: number;
  readonly turns: number;
}

/** Closed loops in turns that begin idle and end when the last answer has come, as the load generator counts them. */
function loopInTurns({ connections, baseMs, rareShare, rareMs, turnMs, turns }: Loop, seed: number) {
  const random = createRandom(seed);
  const counts = { turnMs, ok: [] as number[], okByTime: [] as number[], busyMs: [] as number[], gapMaxMs: 0 };
  for (let turn = 0; turn < turns; turn++) {
    let [ok, okByTime, busyMs] = [0, 0, 0];
    for (let connection = 0; connection < connections; connection++) {
      for (let sentMs = 0; sentMs < turnMs; ) {
        const latencyMs = baseMs * (0.5 + random.next()) + (random.next() < rareShare ? rareMs : 0);
        ok++;
        busyMs += latencyMs;
        okByTime += Math.min(1, (turnMs - sentMs) / latencyMs);
        sentMs += latencyMs;
      }
    }
    counts.ok.push(ok);
    counts.okByTime.push(okByTime);
    counts.busyMs.push(busyMs);
  }
  return { load: { connections }, windowMs: turns * turnMs, turns: counts };
}

const rare = { connections: 5, baseMs: 5, rareShare: 1 / 211, rareMs: 300, turnMs: 167, turns: 24 };

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
