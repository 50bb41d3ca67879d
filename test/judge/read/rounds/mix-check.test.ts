import { describe, expect, it } from 'vitest';
import { present } from '../../../../src/base/present.ts';
import { createRandom } from '../../../../src/base/random.ts';
import { zeroLatencies } from '../../../../src/journal/histogram.ts';
import {
  addedMix,
  checkedMix,
  drawnShares,
  isMixed,
  type MixGap,
  mixGap,
} from '../../../../src/judge/read/rounds/mix-check.ts';
import { mean } from '../../../../src/judge/stats/moments.ts';

const connections = 25;

interface Service {
  /** One request of six needs one of this many slots, each for 40 ms; the others take 1 to 3 ms. */
  readonly slots: number;
  readonly turnMs: number;
  readonly turns: number;
  readonly leadMs?: number;
}

/** A slice of turns that begin idle, played request by request. */
function slice({ slots, turnMs, turns, leadMs = 0 }: Service, seed: number) {
  const random = createRandom(seed);
  const kinds = { slow: { sent: 0, byTime: 0 }, fast: { sent: 0, byTime: 0 } };
  for (let turn = 0; turn < turns; turn++) {
    const freeAt = Array.from({ length: slots }, () => 0);
    const sendsAt = Array.from({ length: connections }, () => 0);
    for (;;) {
      const sentMs = Math.min(...sendsAt);
      if (sentMs >= turnMs) break;
      const connection = sendsAt.indexOf(sentMs);
      const isSlow = random.next() < 1 / 6;
      let endMs = sentMs + 1 + 2 * random.next();
      if (isSlow) {
        const slot = freeAt.indexOf(Math.min(...freeAt));
        endMs = Math.max(sentMs, freeAt[slot] ?? 0) + 40;
        freeAt[slot] = endMs;
      }
      sendsAt[connection] = endMs;
      const kind = isSlow ? kinds.slow : kinds.fast;
      if (sentMs >= leadMs) kind.sent++;
      const ownMs = Math.max(0, Math.min(endMs, turnMs) - Math.max(sentMs, leadMs));
      kind.byTime += ownMs / (endMs - sentMs);
    }
  }
  const asRecord = ({ sent, byTime }: { sent: number; byTime: number }) => ({
    outcomes: { statuses: { '200': sent }, errors: 0, timeouts: 0 },
    byTime,
    latency: zeroLatencies(sent),
  });
  const ok = Array.from({ length: turns }, () => 1);
  return {
    load: { connections },
    turns: { turnMs, ok, okByTime: ok, gapMaxMs: 0 },
    byRequest: { slow: asRecord(kinds.slow), fast: asRecord(kinds.fast) },
  };
}

function gapOf(service: Service, seed: number) {
  const mix = checkedMix([slice(service, seed)]);
  const gap = mix && mixGap(mix, null);
  return gap ?? never();
}

function never(): never {
  throw new Error('there is a mix');
}

function slowSent({ request, sentShare }: MixGap): number {
  return request === 'slow' ? sentShare : 1 - sentShare;
}

function slowApart({ request, sentShare, withinShare }: MixGap): number {
  return request === 'slow' ? withinShare - sentShare : sentShare - withinShare;
}

const few = { slots: 2, turnMs: 333, turns: 12, leadMs: 40 };
const enough = { slots: 50, turnMs: 333, turns: 12, leadMs: 40 };

describe('the mix of requests within turns', () => {
  it('is another where queues still grow in a turn', () => {
    const gaps = Array.from({ length: 20 }, (_, seed) => gapOf(few, seed));
    expect(gaps.filter(isMixed)).toHaveLength(20);
    // What was sent is what is drawn; slow requests of the uncounted beginning come within the window besides.
    expect(mean(gaps.map(slowSent))).toBeCloseTo(1 / 6, 2);
    expect(mean(gaps.map(slowApart))).toBeGreaterThan(0.03);
  });

  it('is that of what was sent where no queue builds up, within its error', () => {
    const gaps = Array.from({ length: 200 }, (_, seed) => gapOf(enough, seed));
    expect(gaps.filter(isMixed)).toEqual([]);
    const centre = mean(gaps.map(slowApart));
    expect(Math.abs(centre)).toBeLessThan(0.005);
    const scatter = Math.sqrt(mean(gaps.map((gap) => (slowApart(gap) - centre) ** 2)));
    const told = mean(gaps.map(({ error }) => error));
    expect(told).toBeGreaterThan(scatter);
    expect(told).toBeLessThan(6 * scatter);
  });

  it('is nearer to that of what was sent in longer turns', () => {
    const apart = (service: Service) =>
      mean(Array.from({ length: 10 }, (_, seed) => Math.abs(slowApart(gapOf(service, seed)))));
    expect(apart({ ...few, turnMs: 3330, turns: 2 })).toBeLessThan(0.4 * apart(few));
  });

  it('is another where what was sent is not what the weights say', () => {
    const mix = checkedMix([slice(enough, 1)]);
    const shares = (slow: number) =>
      drawnShares({
        kind: 'requests',
        requests: [
          { name: 'slow', method: 'GET', path: '/slow', headers: {}, weight: slow },
          { name: 'fast', method: 'GET', path: '/fast', headers: {}, weight: 1 },
        ],
      });
    const gapBy = (slow: number) => mix && mixGap(mix, shares(slow));
    expect(isMixed(gapBy(0.2) ?? never())).toBe(false);
    expect(isMixed(gapBy(0.25) ?? never())).toBe(true);
    expect(gapBy(0.25)).toMatchObject({ drawnShare: expect.closeTo(0.2) });
    // A kind of which nothing was sent at all.
    const three = new Map([...(shares(0.2) ?? []), ['none', 0.05]]);
    expect(mix && mixGap(mix, three)).toMatchObject({ request: 'none', sentShare: 0, drawnShare: 0.05 });
    expect(drawnShares({ kind: 'module', module: '/a.js' })).toBeNull();
  });

  it('adds up over slices, and is not known of open loops or of one kind', () => {
    const [one, other] = present([checkedMix([slice(few, 1)]), checkedMix([slice(few, 2)])]);
    expect(addedMix(one ?? null, other ?? null)).toEqual(checkedMix([slice(few, 1), slice(few, 2)]));
    expect(addedMix(null, one ?? null)).toBe(one);
    const { byRequest, ...rest } = slice(few, 1);
    expect(checkedMix([{ ...rest, byRequest, load: { users: 5 } }])).toBeNull();
    expect(checkedMix([{ ...rest, byRequest: { slow: byRequest.slow } }])).toBeNull();
    expect(checkedMix([{ ...rest, byRequest: {} }])).toBeNull();
  });
});
