import { describe, expect, it } from 'vitest';
import { createBulkTurns } from '../../../../src/measure/run/bulk/bulk-turns.ts';

/** Turns of a load that loses so much at the end of each, until it has had this long. */
function loadOf(idleMs: number, loadMs: number) {
  const turns = createBulkTurns('auto', 2);
  const lengths: number[] = [];
  for (let ownMs = 0; ownMs < loadMs; ) {
    const wallMs = turns.turnMs + 2 * idleMs;
    lengths.push(turns.turnMs);
    turns.add(0, { wallMs, idleMs, done: false });
    turns.add(1, { wallMs: turns.turnMs, idleMs: 0, done: false });
    ownMs += wallMs;
  }
  return { lengths, lost: turns.lost() };
}

describe('turns of a bulk load', () => {
  it('stay short where little is lost at their ends', () => {
    const { lengths, lost } = loadOf(10, 20_000);
    expect(new Set(lengths)).toEqual(new Set([500]));
    expect(lost).toBeNull();
  });

  it('get longer until little is lost, and a long load then has lost little', () => {
    const { lengths, lost } = loadOf(100, 120_000);
    expect(lengths.slice(0, 5)).toEqual([500, 1000, 2000, 4000, 4000]);
    expect(lost).toBeNull();
  });

  it('have lost too much where the load is over before that', () => {
    expect(loadOf(800, 12_000).lost).toBe(0);
  });

  it('stay as the user says, and in one stretch nothing is lost', () => {
    const own = createBulkTurns(200, 1);
    own.add(0, { wallMs: 400, idleMs: 100, done: false });
    expect([own.turnMs, own.lost()]).toEqual([200, 0]);
    expect(createBulkTurns('off', 1).turnMs).toBe(Number.POSITIVE_INFINITY);
  });
});
