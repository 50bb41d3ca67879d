import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import {
  type CountersReader,
  openCountersReader,
  SETTLE_MS,
} from '../../../../src/measure/probe/meter/database-counters.ts';
import {
  type CountersPlan,
  countersPlan,
  createPassCounters,
  PAUSE_MS,
} from '../../../../src/measure/probe/meter/pass-counters.ts';
import { withPostgres } from '../../stack/postgres.ts';
import { type BurstingArm, burstingArm } from '../turns.ts';

describe('the plan of a pass', () => {
  const pass = {
    cycles: 16,
    cycleMs: 1250,
    betweenMs: 1000,
    turnMs: 250,
    sinceLoadMs: 0,
    sinceAnyLoadMs: 0,
    settleMs: 10_300,
  };

  it('reads first when those sessions have reported that the pass does not use, and last at its end', () => {
    // 9 cycles, and what the turns of the others leave of the pause before the last of them: 11.3 s.
    expect(countersPlan(pass)).toEqual({
      waitMs: 0,
      pauseBefore: [8, 15],
      pauseMs: [PAUSE_MS - 1000, PAUSE_MS - 1000],
      coveredCycles: [8, 15],
    });
    expect(countersPlan({ ...pass, sinceLoadMs: 5000 })).toMatchObject({ pauseBefore: [4, 15] });
    expect(countersPlan({ ...pass, sinceLoadMs: 60_000 })).toMatchObject({ waitMs: 0, coveredCycles: [0, 15] });
  });

  it('reads in the first cycle where no load before it had more connections', () => {
    const none = countersPlan({ ...pass, sinceLoadMs: Number.POSITIVE_INFINITY });
    expect(none).toMatchObject({ waitMs: 0, pauseBefore: [0, 15], coveredCycles: [0, 15] });
  });

  it('pauses before the first cycle for all that load of any kind leaves of a pause: no turns of others lie before it', () => {
    const first = { ...pass, sinceLoadMs: Number.POSITIVE_INFINITY };
    expect(countersPlan({ ...first, sinceAnyLoadMs: 300 })).toMatchObject({ pauseMs: [PAUSE_MS - 300, 50] });
    expect(countersPlan({ ...first, sinceAnyLoadMs: 20_000 })).toMatchObject({ pauseMs: [0, 50] });
    expect(countersPlan({ ...pass, betweenMs: 5000 })).toMatchObject({ pauseBefore: [8, 15], pauseMs: [0, 0] });
  });

  it('waits for less than a second where the pass is a little too short for a quarter of it to be covered', () => {
    // The first reading at the end of cycle 5: after 7.5 s, the pause, and what is missing.
    expect(countersPlan({ ...pass, cycles: 8, sinceLoadMs: 1900 })).toEqual({
      waitMs: 10_300 - 1900 - 50 - 6 * 1250,
      pauseBefore: [5, 7],
      pauseMs: [50, 50],
      coveredCycles: [5, 7],
    });
  });

  it('has none where it would wait for longer, or where turns are no turns', () => {
    expect(countersPlan({ ...pass, cycles: 8 })).toEqual({ none: 'pass too short' });
    expect(countersPlan({ ...pass, cycles: 1, sinceLoadMs: 60_000 })).toEqual({ none: 'too few cycles' });
    expect(countersPlan({ ...pass, turnMs: 960 })).toEqual({ none: 'turns of a second' });
  });
});

describe('the counters of a pass of turns', () => {
  const server = withPostgres();

  it.each([
    ['begins right after a load that had more', 0, 62],
    ['is all covered, right after a load of as many', Number.POSITIVE_INFINITY, 12],
  ])(
    'are the work of the covered turns, with pools larger and smaller than the load: it %s',
    async (_, sinceLoadMs, cycles) => {
      const arms = [
        await burstingArm(server.postgres, { database: `crowded_${cycles}`, poolSize: 10, concurrency: 25 }),
        await burstingArm(server.postgres, { database: `roomy_${cycles}`, poolSize: 10, concurrency: 4 }),
      ];
      const reader = await openCountersReader(server.postgres.adminUrl());
      for (const arm of arms) await arm.turn(1500);
      const plan = countersPlan({
        cycles,
        cycleMs: 200,
        betweenMs: 0,
        turnMs: 300,
        sinceLoadMs,
        sinceAnyLoadMs: 0,
        settleMs: SETTLE_MS,
      });
      if ('none' in plan) throw new Error(plan.none);
      let seen = await runPass(arms, cycles, plan, reader);
      while (seen === null) seen = await runPass(arms, cycles, plan, reader);
      for (const arm of arms) await arm.close();
      await reader.close();
      for (const { counted, committed, sessions } of seen) {
        expect(committed).toBeGreaterThan(100);
        // A session that finds the counters of a database or a table locked by another keeps its work until it reports again
        // (pgstat_database.c, pgstat_relation.c), which is seen on busy machines: that of one session for half a second.
        // Reading before all have reported would miss ten times as much.
        const bound = sessions + 50 + 0.02 * committed;
        expect(Math.abs(counted.xact_commit - committed)).toBeLessThanOrEqual(bound);
        expect(Math.abs(counted.tup_inserted - committed)).toBeLessThanOrEqual(bound);
      }
      console.log(
        seen.map(({ counted, committed }) => `${counted.xact_commit - committed} of ${committed}`).join(', '),
      );
    },
  );

  it('do not begin while a session holds work back that nothing has used since before the pass', async () => {
    const arm = await burstingArm(server.postgres, { database: 'warmed', poolSize: 20, concurrency: 20 });
    const reader = await openCountersReader(server.postgres.adminUrl());
    const counters = createPassCounters(reader);
    const commits = async (): Promise<number> =>
      (await reader.read(['warmed'])).get('warmed')?.xact_commit ?? Number.NaN;
    // The warm-up uses all sessions, the pass four of them: pg hands out the client that came back last.
    await arm.turn(1500);
    const startMs = performance.now();
    await sleep(PAUSE_MS);
    await arm.turn(200, 4);
    expect(await counters.open(['warmed'], performance.now() - startMs)).toEqual(['warmed']);
    const early = await commits();
    // As a pass goes on, until all have reported by their timer.
    let between = 0;
    while (performance.now() - startMs < SETTLE_MS) {
      await sleep(300);
      between += await arm.turn(100, 4);
    }
    await sleep(PAUSE_MS);
    const first = await arm.turn(200, 4);
    expect(await counters.open(['warmed'], performance.now() - startMs)).toEqual([]);
    const missing = (await commits()) - early - between;
    // Some work of each of the sixteen others: what a reading at once would have charged to the pass.
    expect(missing).toBeGreaterThanOrEqual(16);
    await sleep(300);
    const covered = first + (await arm.turn(400, 4));
    await sleep(PAUSE_MS);
    await arm.turn(200, 4);
    const counted = (await counters.close(['warmed'], startMs)).get('warmed');
    await arm.close();
    await reader.close();
    expect(Math.abs((counted?.delta.xact_commit ?? Number.NaN) - covered)).toBeLessThanOrEqual(20);
    console.log(`${missing} transactions came late; then ${counted?.delta.xact_commit} for ${covered}`);
  });
});

/**
 * Turns of 100 to 300 ms in a shuffled order; what was counted of the covered ones, and what their clients know. Null
 * where the machine stood still in a turn after a pause: a session that works for a second reports twice.
 */
async function runPass(arms: readonly BurstingArm[], cycles: number, plan: CountersPlan, reader: CountersReader) {
  const random = createRandom(3);
  const counters = createPassCounters(reader);
  const databases = arms.map(({ database }) => database);
  const committed = new Map(databases.map((database) => [database, 0]));
  const [from, toExclusive] = plan.coveredCycles;
  let deltas: Awaited<ReturnType<typeof counters.close>> | null = null;
  await sleep(plan.waitMs);
  const passAtMs = performance.now();
  for (let cycle = 0; cycle < cycles; cycle++) {
    if (plan.pauseBefore.includes(cycle)) await sleep(PAUSE_MS);
    for (const arm of random.next() < 0.5 ? arms : [...arms].reverse()) {
      const startMs = performance.now();
      const answers = await arm.turn(100 + 200 * random.next());
      const isRead = plan.pauseBefore.includes(cycle);
      if (isRead && performance.now() - startMs > 900) return null;
      const isCovered = cycle >= from && cycle < toExclusive;
      if (isCovered) committed.set(arm.database, (committed.get(arm.database) ?? 0) + answers);
    }
    if (cycle === from) expect(await counters.open(databases, performance.now() - passAtMs)).toEqual([]);
    if (cycle === toExclusive) deltas = await counters.close(databases, passAtMs);
  }
  return Promise.all(
    databases.map(async (database) => {
      const delta = deltas?.get(database);
      if (delta === undefined) throw new Error(`no counters of ${database}`);
      expect(delta.complete).toBe('turns');
      return {
        counted: delta.delta,
        committed: committed.get(database) ?? 0,
        sessions: await reader.connectionCount(database),
      };
    }),
  );
}
