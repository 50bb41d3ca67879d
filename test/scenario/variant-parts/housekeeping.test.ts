import { describe, expect, it } from 'vitest';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { mistakes } from '../scenario-text.ts';

const head = 'target: { command: x }\n';
const load = 'load: { connections: 1, requests: [{ path: / }] }\n';
const plain = 'variants: { A: {}, B: { settings: { work_mem: 8MB } } }\ncontrol: A\n';
const wal = 'variants: { A: {}, B: { settings: { max_wal_size: 64MB } } }\ncontrol: A\n';
const stack = (housekeeping: string): string => `stack: { postgres: { housekeeping: ${housekeeping} } }\n`;
const of = (text: string): ResolvedScenario => parseScenario(`${head}${text}`, 'mine.yaml');

describe("Postgres's own housekeeping", () => {
  it('is off, unless the scenario says on', () => {
    expect(of(plain + load).stack.postgres).toEqual({ settings: {} });
    for (const off of ['off', 'false']) expect(of(plain + stack(off) + load).stack.postgres).toEqual({ settings: {} });
    for (const on of ['on', 'true'])
      expect(of(plain + stack(on) + load).stack.postgres).toEqual({ settings: {}, housekeeping: true });
    // Arms that do not differ in it take turns.
    expect(of(plain + stack('on') + load).load.turn).toBe('auto');
  });

  it.each([
    ['a variant', wal],
    ['a factor', 'sweep: { wal: { setting: WAL_compression, levels: [on, off] } }\ncontrol: { wal: on }\n'],
    [
      'a table of a variant',
      'variants: { A: {}, B: { sql: "ALTER TABLE t SET (autovacuum_enabled = off)" } }\ncontrol: A\n',
    ],
  ])('is turned on by %s that sets what it decides, in whole slices unless the scenario has turns', (_, text) => {
    expect(of(text + load).stack.postgres.housekeeping).toBe(true);
    expect(of(text + load).load.turn).toBe('off');
    expect(of(text + load.replace('}]', '}], slice: 10s, turn: 2s')).load.turn).toBe(2000);
  });

  it('has its mistakes at their places', () => {
    expect(mistakes(head + plain + load + stack('maybe'))).toEqual([
      '5:36: stack.postgres.housekeeping: expected on or off',
    ]);
    expect(mistakes(head + wal + load + stack('off'))).toEqual([
      '5:36: stack.postgres.housekeeping: off leaves nothing for max_wal_size of "B" to change: expected on (stack.postgres.settings can still turn autovacuum off, or set checkpoint_timeout, for all arms)',
    ]);
    expect(
      mistakes(
        `${head}${wal}load: { capacity: { connections: 1..8, until: { p95: 200ms } }, requests: [{ path: / }] }`,
      )[0],
    ).toMatch(
      /^4:\d+: load\.capacity: expected load\.connections, load\.rate or load\.users: a search has slices of seconds, and max_wal_size of "B" shows over minutes$/,
    );
  });

  it.each(['checkpoint_timeout, range: [30s, 600s]', 'AUTOVACUUM_naptime, levels: [10s, 60s]'])(
    'is nothing that a search can try: setting: %s',
    (setting) => {
      const tune = `tune: { a: { setting: ${setting} } }\ncontrol: {}\n`;
      expect(mistakes(head + tune + load)).toEqual([
        expect.stringMatching(
          /^2:\d+: tune\.a\.setting: a search has slices of seconds, and (checkpoint_timeout|AUTOVACUUM_naptime) shows over minutes: expected some levels of it in sweep, and a longer load\.slice$/,
        ),
      ]);
    },
  );

  it('cannot be switched live: a turn is too short for it', () => {
    const live =
      'sweep: { every: { live: { setting: checkpoint_timeout }, levels: [30s, 60s] } }\ncontrol: { every: 30s }\n';
    expect(mistakes(head + live + load)).toEqual([
      expect.stringMatching(/^2:\d+: checkpoint_timeout cannot be switched live: it shows over minutes/),
    ]);
    const tune =
      'tune: { every: { live: { setting: checkpoint_timeout }, levels: [30s, 60s] } }\ncontrol: { every: 30s }\n';
    expect(mistakes(head + tune + load)).toEqual([
      expect.stringMatching(/^2:\d+: checkpoint_timeout cannot be switched live: it shows over minutes/),
    ]);
    const named = 'variants: { A: { live: {} }, B: { live: { settings: { full_page_writes: off } } } }\ncontrol: A\n';
    expect(mistakes(head + named + load)).toEqual([
      expect.stringMatching(/^2:\d+: full_page_writes cannot be switched live/),
    ]);
  });
});
