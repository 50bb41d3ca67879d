import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/base/random.ts';
import { mean } from '../../src/judge/stats/moments.ts';
import { p95, type Queue, simulatedUsersP95, stateProbabilities, usersOf } from './queues.ts';

const queue: Queue = { workers: 4, meanMs: 10 };

describe('the machine repair model', () => {
  it('is what Erlang and Engset know in its corners', () => {
    // One user alone is never in the queue: p95 of an exponential time.
    expect(p95(queue, { users: 1, thinkMs: 200 })).toBeCloseTo(10 * Math.log(20), 6);
    // One worker, two users: the three states by hand, with r = mean / pause.
    const r = 10 / 40;
    const sum = 1 + 2 * r + 2 * r * r;
    const found = stateProbabilities({ workers: 1, meanMs: 10 }, { users: 2, thinkMs: 40 });
    for (const [at, value] of [1 / sum, (2 * r) / sum, (2 * r * r) / sum].entries())
      expect(found[at]).toBeCloseTo(value, 12);
    // Who hardly pauses is a closed loop.
    expect(p95(queue, { users: 12, thinkMs: 1e-6 })).toBeCloseTo(p95(queue, { connections: 12 }), 2);
  });

  it('is what a simulation shows', () => {
    const random = createRandom(3);
    for (const users of [40, 80, 120]) {
      const seen = mean(
        Array.from({ length: 15 }, () => simulatedUsersP95(queue, { users, thinkMs: 200 }, 40, random)),
      );
      expect(Math.abs(Math.log(seen / p95(queue, { users, thinkMs: 200 })))).toBeLessThan(0.03);
    }
  });

  it('has as many users as break the limit, and no more', () => {
    const users = usersOf(queue, 200, 60);
    expect(p95(queue, { users: Math.floor(users), thinkMs: 200 })).toBeLessThanOrEqual(60);
    expect(p95(queue, { users: Math.ceil(users), thinkMs: 200 })).toBeGreaterThanOrEqual(60);
  });
});
