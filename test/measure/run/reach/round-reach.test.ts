import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../../../src/journal/records.ts';
import type { ResolvedScenario } from '../../../../src/journal/scenario-record.ts';
import { armsOf } from '../../../../src/measure/plan/arms.ts';
import { openRoundReach } from '../../../../src/measure/run/reach/round-reach.ts';
import type { LiveArm } from '../../../../src/measure/run/round/round-context.ts';
import type { CopyUse } from '../../../../src/measure/run/servers/arm-databases.ts';
import { testScenario } from '../../../fixtures/scenario.ts';
import { fakeWorld } from '../fake-world.ts';

describe('the first round of a session', () => {
  /** A round of one arm; `seen` by look: when ready, before and after the first read, under load, at the end. */
  const round = async (seen: readonly Partial<CopyUse>[], scenario: ResolvedScenario = testScenario()) => {
    const { stack } = fakeWorld(scenario).context;
    const looks = [...seen];
    const mark = { PGSWEEP_TEST_OF_REACH: `${process.pid}` };
    let atMs = 1000;
    const use = async (): Promise<CopyUse> => {
      atMs += 100;
      return { name: 'a0', transactions: 0, accesses: 0, sessions: [], atMs, ...looks.shift() };
    };
    const reads: (number | undefined)[] = [];
    const reach = openRoundReach({
      scenario,
      seed: 1,
      signal: new AbortController().signal,
      // A mark that no process of this machine has.
      stack: { ...stack, databases: stack.databases && { ...stack.databases, use }, reaper: { ...stack.reaper, mark } },
      generator: {
        async tryRequests(trial) {
          reads.push(trial.reads);
          const outcome = { kind: 'answer', ok: true, status: 200, body: '' } as const;
          return [{ name: 'read', method: 'GET', path: '/items', expected: null, sent: 1, outcome }];
        },
      },
    });
    const [arm] = armsOf(scenario);
    if (arm === undefined) throw new Error('no arm');
    const watched = reach.watch({
      variant: arm.variant,
      database: 'a0',
      armName: 'pgsweep_a0',
      url: 'postgres://me@127.0.0.1:1/a0',
      isLinked: false,
    });
    const target = {
      url: 'http://x',
      pid: null,
      exited: new Promise<string>(() => {}),
      tail: () => [],
      stop: async () => ({ killedAfterMs: null }),
    };
    const alive: LiveArm = { arm, database: 'a0', target, link: null, reach: watched };
    const records: JournalRecord[] = [];
    await watched?.look(target, 'As soon as it is ready');
    await reach.beforeLoad([alive]);
    await reach.underLoad([alive]);
    await reach.end(1, [alive], { append: (record) => void records.push(record), close() {} });
    expect(reads).toEqual([1]);
    // Those that follow are not looked at.
    expect(
      reach.watch({ variant: arm.variant, database: 'a0', armName: 'x', url: 'postgres://me@h/a0', isLinked: false }),
    ).toBeNull();
    return records;
  };
  const sessions = (count: number, askedMs: number | null = null) => ({
    sessions: Array.from({ length: count }, () => ({ database: 'a0', role: 'app', port: null, askedMs })),
  });
  const data: ResolvedScenario = { ...testScenario(), dataset: { kind: 'sql', files: ['a.sql'] } };

  it('ends in an error where load answered without one session or statement in the copy', async () => {
    await expect(round([], data)).rejects.toMatchObject({
      code: 'target',
      exitCode: 2,
      message: '"pool=10" answered a round of load without one session or statement in its copy of the database',
    });
    // The bench's own probes are no statements of the service.
    const probes = [{}, {}, {}, { transactions: 40 }, { transactions: 80 }];
    await expect(round(probes, data)).rejects.toMatchObject({ code: 'target' });
    // Sessions in another database are not in the copy.
    const beside = { sessions: [{ database: 'other', role: 'app', port: null, askedMs: 5000 }] };
    await expect(round([beside, beside, beside, beside, beside], data)).rejects.toMatchObject({ code: 'target' });
  });

  it('goes by statements behind a pooler, whose sessions are its own', async () => {
    const pooler = { kind: 'pgbouncer', mode: 'session', size: 3, settings: {} } as const;
    const pooled = { ...data, variants: data.variants.map((variant) => ({ ...variant, pooler })) };
    // What the bench asked through it before the service was ready.
    const kept = sessions(1, 1050);
    await expect(round([kept, kept, kept, kept, kept], pooled)).rejects.toMatchObject({ code: 'target' });
    await expect(round([kept, kept, kept, sessions(1, 1350), kept], pooled)).resolves.toHaveLength(1);
    await expect(round([kept, kept, kept, kept, { transactions: 5000 }], pooled)).resolves.toHaveLength(1);
    // Sessions in which the bench tried the pooler have ended after the first look: these transactions are none of the service's.
    const late = [{}, {}, { transactions: 9 }, { transactions: 14 }, { transactions: 19 }];
    await expect(round(late, pooled)).rejects.toMatchObject({ code: 'target' });
    // Behind nothing else a session is the service's.
    await expect(round([kept, kept, kept, kept, kept], data)).resolves.toHaveLength(1);
  });

  it('records the most sessions that an arm held, and from how many processes where that is seen', async () => {
    const record = { type: 'sessions', round: 1, arm: 'pool=10', variant: 'pool=10', processes: null };
    expect(await round([{}, {}, {}, sessions(20), sessions(3)], data)).toEqual([{ ...record, sessions: 20 }]);
    // A connection for each request is gone when it is looked for.
    expect(await round([{}, {}, { transactions: 6 }], data)).toEqual([{ ...record, sessions: 0 }]);
    // A service that answers a request in seconds makes few transactions, and its pool is empty again.
    expect(await round([{}, {}, {}, { transactions: 9, accesses: 2 }], data)).toEqual([{ ...record, sessions: 0 }]);
    expect(await round([{}, {}, {}, {}, { transactions: 5000 }], data)).toEqual([{ ...record, sessions: 0 }]);
  });

  it('expects nothing of a scenario without data', async () => {
    await expect(round([], { ...testScenario(), dataset: { kind: 'none' } })).resolves.toHaveLength(1);
  });
});
