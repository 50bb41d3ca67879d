import { expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { countedPart } from '../../../src/measure/plan/turn-length.ts';

/** 25 connections; one request of 100 holds the only slot for 40 ms, in the order in which they come; all others take 2 ms. */
const CONNECTIONS = 25;

interface Part {
  readonly turnMs: number;
  readonly turns: number;
  /** What is sent before does not count. */
  readonly fromMs: number;
}

/** Requests a second by Wald's identity, mean latency, and how long last answers are waited for, of turns that begin idle. */
function queueInTurns({ turnMs, turns, fromMs }: Part) {
  const random = createRandom('lead');
  const sums = { sent: 0, busyMs: 0, all: 0, latencyMs: 0, drainMs: 0 };
  for (let turn = 0; turn < turns; turn++) {
    const freeAt = Array.from({ length: CONNECTIONS }, () => 0);
    let [slotMs, lastMs] = [0, 0];
    for (;;) {
      const sentMs = Math.min(...freeAt);
      if (sentMs >= turnMs) break;
      let endMs = sentMs + 1 + 2 * random.next();
      if (random.next() < 1 / 100) {
        slotMs = Math.max(sentMs, slotMs) + 40;
        endMs = slotMs;
      }
      freeAt[freeAt.indexOf(sentMs)] = endMs;
      lastMs = Math.max(lastMs, endMs);
      sums.all++;
      sums.latencyMs += endMs - sentMs;
      if (sentMs < fromMs) continue;
      sums.sent++;
      sums.busyMs += endMs - sentMs;
    }
    sums.drainMs += Math.max(0, lastMs - turnMs);
  }
  return {
    perS: (1000 * CONNECTIONS * sums.sent) / sums.busyMs,
    latencyMs: sums.latencyMs / sums.all,
    drainMs: sums.drainMs / turns,
  };
}

it('a turn counts once its queues are full: they take as long to fill as to empty', () => {
  // The slot is never free: 25 of the slow ones a second, and 99 times as many others.
  const truth = 2500;
  const turns = { turnMs: 4000, turns: 100 };
  const seen = queueInTurns({ ...turns, fromMs: 0 });
  const rateWith = (waits: { latencyMs: number; drainMs?: number }): number =>
    queueInTurns({ ...turns, ...countedPart(turns.turnMs, { dropMs: 100, clients: null, ...waits }) }).perS / truth;
  expect(rateWith(seen)).toBeGreaterThan(0.97);
  expect(rateWith(seen)).toBeLessThan(1.03);
  // Of one latency the lead is too short: the first slow requests find a short queue.
  expect(rateWith({ latencyMs: seen.latencyMs })).toBeGreaterThan(1.04);
});
