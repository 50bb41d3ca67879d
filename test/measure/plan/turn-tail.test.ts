import { expect, it } from 'vitest';
import { createRandom, type Random } from '../../../src/base/random.ts';
import { countedPart } from '../../../src/measure/plan/turn-length.ts';

/** 25 connections share a CPU evenly; requests take 0.5 to 1.5 ms of it. */
const CONNECTIONS = 25;
const LATENCY_MS = 25;

/** When requests of a turn that begins idle were sent and answered, in ms. */
function sharedTurn(turnMs: number, random: Random): { readonly sentMs: number; readonly endMs: number }[] {
  const answered = [];
  const workMs = (): number => 0.5 + random.next();
  let active = Array.from({ length: CONNECTIONS }, () => ({ sentMs: 0, leftMs: workMs() }));
  for (let nowMs = 0; active.length > 0; ) {
    const least = Math.min(...active.map(({ leftMs }) => leftMs));
    nowMs += least * active.length;
    const left = active.map(({ sentMs, leftMs }) => ({ sentMs, leftMs: leftMs - least }));
    answered.push(...left.filter(({ leftMs }) => leftMs <= 0).map(({ sentMs }) => ({ sentMs, endMs: nowMs })));
    active = left.filter(({ leftMs }) => leftMs > 0);
    if (nowMs < turnMs)
      active.push(...Array.from({ length: CONNECTIONS - active.length }, () => ({ sentMs: nowMs, leftMs: workMs() })));
  }
  return answered;
}

/** The rate by what was sent in the counted part (Wald), over the true one of a request a ms. */
function rateInTurns(turnMs: number, { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): number {
  const random = createRandom('tail');
  let [sent, busyMs] = [0, 0];
  for (let turn = 0; turn < 150; turn++)
    for (const { sentMs, endMs } of sharedTurn(turnMs, random)) {
      if (sentMs < fromMs || sentMs >= toMs) continue;
      sent++;
      busyMs += endMs - sentMs;
    }
  return (CONNECTIONS * sent) / busyMs;
}

it('what is sent last, whose answers have less company, does not count', () => {
  for (const [latencies, mostWithout, most] of [
    [5, 1.03, 1.02],
    [10, 1.015, 1.008],
  ] as const) {
    const turnMs = latencies * LATENCY_MS;
    const part = countedPart(turnMs, { dropMs: 100, latencyMs: LATENCY_MS, clients: CONNECTIONS });
    expect(rateInTurns(turnMs, { ...part, toMs: turnMs })).toBeGreaterThan(mostWithout);
    expect(Math.abs(rateInTurns(turnMs, part) - 1)).toBeLessThan(most - 1);
  }
});
