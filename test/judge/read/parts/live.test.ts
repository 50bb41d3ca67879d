import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import type { LiveSwitch } from '../../../../src/journal/live-switch.ts';
import type { Variant } from '../../../../src/journal/scenario-record.ts';
import { addLiveBlocks, type LiveBlocks, type LiveLevel, liveLevels } from '../../../../src/judge/read/parts/live.ts';
import type { CompleteRound } from '../../../../src/judge/read/rounds/complete-rounds.ts';
import { blockCycles } from '../../../../src/measure/plan/turn-blocks.ts';
import { liveWords } from '../../../../src/report/parts/live.ts';

const ARMS = ['a', 'a (A/A)', 'b'];
const load = { connections: 4 };

interface Told {
  readonly arm: string;
  readonly before: string | undefined;
  readonly start: number;
}

/** A start of 8 blocks, whose turns have as many answers as `answers` says. */
function round(start: number, answers: (turn: Told) => number): CompleteRound {
  const order = blockCycles(ARMS.length, 8, start).flat();
  const ok = ARMS.map((): number[] => []);
  order.forEach((arm, at) => {
    const before = at === 0 ? undefined : ARMS[order[at - 1] ?? 0];
    ok[arm]?.push(answers({ arm: ARMS[arm] ?? '', before, start }));
  });
  const pass = {
    type: 'pass',
    round: start,
    pass: 0,
    load,
    turnMs: 100,
    turnsPerArm: 16,
    arms: ARMS,
    order,
    durationMs: 8000,
    live: { blocks: 8, settleMs: 50, switches: order.length, switchMs: 10 * order.length },
  };
  const slices = ARMS.map((arm, index) => ({
    slice: {
      arm,
      variant: arm[0],
      load,
      pass: 0,
      windowMs: 1600,
      turns: { turnMs: 100, ok: ok[index], okByTime: ok[index], gapMaxMs: 0 },
    },
    voided: [],
  }));
  return { round: start, durationMs: 20_000, passes: [pass], slices } as unknown as CompleteRound;
}

function told(answers: (turn: Told) => number, starts = 6, variants: readonly Variant[] = []): LiveLevel | undefined {
  const levels = new Map<string, LiveBlocks>();
  for (let start = 1; start <= starts; start++) addLiveBlocks(levels, round(start, answers), 'a');
  return liveLevels(levels, variants)[0];
}

describe('what is told of settings that are switched live', () => {
  it('is how many starts, blocks and switches there were', () => {
    expect(told(() => 100)).toMatchObject({
      starts: 6,
      blocks: { least: 8, most: 8 },
      switches: 6 * 48,
      switchMs: 10,
      settleMs: 50,
      noise: { betweenStartsPercent: 0, betweenBlocksPercent: 0 },
    });
  });

  it('is what differs between starts, and between the blocks of one', () => {
    const random = createRandom(3);
    const level = told(
      ({ arm, start }) => 1e6 * (arm === 'b' ? 1 + 0.02 * (start % 2) : 1) * (1 + 0.01 * (random.next() - 0.5)),
      8,
    );
    // Half of the starts 2 % above the others: a standard deviation of 1.07 %.
    expect(level?.noise?.betweenStartsPercent).toBeGreaterThan(0.9);
    expect(level?.noise?.betweenStartsPercent).toBeLessThan(1.25);
    expect(level?.noise?.betweenBlocksPercent).toBeLessThan(0.5);
    expect(level?.blocksDeserved).toBeLessThan(8);
    const words = liveWords(level === undefined ? [] : [level]).join('\n');
    expect(words).toContain('8 starts of one process, each of 8 blocks');
    expect(words).toMatch(
      /differs by 1\.\d % between starts and 0\.\d % between the blocks of a start, so about \d blocks? per start would be best\./,
    );
    expect(words).not.toContain('another setting');
    expect(liveWords([])).toEqual([]);
  });

  it('is where no more is seen of a switch than its answer', () => {
    const request = { method: 'PUT', path: '/pool', headers: {} };
    const nothing = { settings: [], indexes: [], sql: [], reconnect: false };
    const words = (checks: LiveSwitch['checks']): string => {
      const live: LiveSwitch = { ...nothing, requests: [request], checks };
      const level = told(() => 100, 2, [{ name: 'b', factors: {}, env: {}, live }]);
      return liveWords(level === undefined ? [] : [level]).join('\n');
    };
    expect(words([])).toContain('each answered with 2xx before its turn, which is all that was seen of it');
    expect(words([{ kind: 'request', path: '/pool', expect: 1 }])).toContain('each seen before its turn');
  });

  it('is what carries over from turn to turn', () => {
    const random = createRandom(5);
    // Switched to b, the service takes a while.
    const level = told(
      ({ arm, before }) => (arm === 'b' && before !== 'b' ? 0.9 : 1) * 1e5 * (1 + 0.02 * (random.next() - 0.5)),
    );
    const of = (variant: string) => level?.carryOver.find((one) => one.variant === variant);
    expect(of('b')?.percent).toBeGreaterThan(-11);
    expect(of('b')?.percent).toBeLessThan(-9);
    expect(of('b')?.interval?.[0]).toBeGreaterThan(-12);
    expect(of('b')?.interval?.[1]).toBeLessThan(-8);
    expect(of('a')?.interval?.[0]).toBeLessThan(0);
    expect(of('a')?.interval?.[1]).toBeGreaterThan(0);
    const words = liveWords(level === undefined ? [] : [level]).filter((line) => line.includes('another setting'));
    expect(words).toHaveLength(1);
    expect(words[0]).toMatch(/^Turns of b directly after another setting answered -\d+\.\d % .*longer load\.settle/);
  });

  it('is what carries over from other settings to the control', () => {
    const random = createRandom(6);
    const level = told(
      ({ arm, before }) => (arm !== 'b' && before === 'b' ? 0.8 : 1) * 1e5 * (1 + 0.02 * (random.next() - 0.5)),
    );
    const carried = level?.carryOver.find(({ variant }) => variant === 'a');
    expect(carried?.interval?.[1]).toBeLessThan(-15);
  });
});
