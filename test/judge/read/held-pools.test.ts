import { describe, expect, it } from 'vitest';
import type { JournalRecord, SessionsRecord } from '../../../src/journal/records.ts';
import { heldPools } from '../../../src/judge/read/held-pools.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { answerOf } from '../../../src/report/words/recommendation.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { fixtureJournal } from '../journal-fixture.ts';

const held = (variant: string, sessions: number, processes: number | null): SessionsRecord => ({
  type: 'sessions',
  round: 1,
  arm: variant,
  variant,
  sessions,
  processes,
});

describe('pools that several processes have', () => {
  const names = ['pool=10', 'pool=25'];
  const journal = fixtureJournal({
    variants: names,
    factors: { 'pool=10': { pool: 10 }, 'pool=25': { pool: 25 } },
    control: 'pool=10',
    connections: [25],
    rounds: 8,
    noise: 0.005,
  });
  const summaryWith = (...records: readonly JournalRecord[]) =>
    summarize({ ...journal, records: [...records, ...journal.records] });

  it('stand with the size that is recommended: of how many processes it is', () => {
    const summary = summaryWith(held('pool=10', 38, 4), held('pool=10', 40, 4), held('pool=25', 60, 4));
    expect(summary.run.heldPools).toEqual([
      { variant: 'pool=10', pools: 4, sessions: 40, processes: 4 },
      { variant: 'pool=25', pools: 4, sessions: 60, processes: 4 },
    ]);
    expect(answerOf(summary)).toMatch(/^Take 10 in each of 4 processes \(40 sessions seen\): /);
    // Worker threads are one process, whose sessions fill more than one pool.
    expect(answerOf(summaryWith(held('pool=10', 40, 1)))).toMatch(/^Take 10 in each of 4 pools \(40 sessions seen\): /);
  });

  it('are not told of a service with one, and of journals that do not say', () => {
    expect(summaryWith(held('pool=10', 10, 1)).run.heldPools).toBeUndefined();
    expect(summaryWith().run.heldPools).toBeUndefined();
    expect(answerOf(summaryWith())).toMatch(/^Take 10: /);
  });

  it('are no more than instances have, and not those of a pooler', () => {
    const scenario = (more: string) =>
      parseScenario(
        `target: { command: x }\nvariants: { A: { env: { DB: 5 } } }\ncontrol: A\nload: { connections: 1, requests: [{ path: / }] }\n`
          .replace('command: x', 'command: x, pool: DB')
          .replace('DB: 5 }', `DB: 5 }${more}`),
        'x.yaml',
      );
    const seen = new Map([['A', { sessions: 20, processes: 4 }]]);
    expect(heldPools(scenario(''), seen)).toEqual([{ variant: 'A', pools: 4, sessions: 20, processes: 4 }]);
    expect(heldPools(scenario(', instances: 4'), seen)).toEqual([]);
    expect(heldPools(scenario(', pooler: { pgbouncer: { size: 20 } }'), seen)).toEqual([]);
  });
});
