import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { RunRecord } from '../../../src/journal/records.ts';
import type { CommandTarget, Treatment, Variant } from '../../../src/journal/scenario-record.ts';
import { compareRuns } from '../../../src/judge/between-runs/compare-runs.ts';
import type { Settling } from '../../../src/judge/between-runs/types.ts';
import { settlingWords } from '../../../src/report/between-runs/settling-words.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { session } from './sessions.ts';

/** Folders that exist: a scenario that names others is refused. */
const [main, branch] = [resolve('src'), resolve('test')];

const target: CommandTarget = {
  kind: 'command',
  command: 'node server.mjs',
  cwd: main,
  env: { MODE: 'fast', SECRET_TOKEN: '***' },
  ready: '/health',
  readyTimeoutMs: 1000,
  stopTimeoutMs: 1000,
  portVariable: 'PORT',
  databaseUrlVariable: 'DATABASE_URL',
};

interface Made {
  readonly target?: Partial<CommandTarget>;
  readonly env?: Record<string, string>;
  readonly treatment?: Treatment;
  readonly link?: Pick<Variant, 'distance' | 'pooler' | 'instances'>;
  readonly provenance?: Partial<RunRecord['provenance']>;
}

function settle(base: Made, head: Made): Settling {
  const made = (name: string, { target: own, env = {}, treatment, link, provenance }: Made) =>
    session(name, {
      rounds: 1,
      changed: (run) => ({
        ...run,
        scenario: {
          ...run.scenario,
          target: { ...target, ...own },
          variants: run.scenario.variants.map((one) =>
            one.name === 'a' ? { ...one, env, ...(treatment && { treatment }), ...link } : one,
          ),
        },
        provenance: { ...run.provenance, ...provenance },
      }),
    });
  return compareRuns({ base: [made('base', base)], head: [made('head', head)] }, { plannedSessions: null }).settling;
}

/** The lines as a user would complete them. */
function scenarioOf(yaml: readonly string[]): ReturnType<typeof parseScenario> {
  const own = ['target: { command: node server.mjs }', 'load: { connections: 1, requests: [{ path: /items }] }'];
  return parseScenario([...own, ...yaml, ''].join('\n'), '/srv/both.yaml');
}

it('a control keeps the changes of its database, of whichever kind, and none that is empty', () => {
  const nothing = { settings: {}, dropIndex: [], createIndex: [], hideIndex: [], sql: [] };
  const toCome: object = { fillfactor: { items: 70 } };
  const base = { treatment: { ...nothing, dropIndex: ['ix_a'], sql: [{ apply: 'ANALYZE' }] } };
  const head = { treatment: { ...nothing, ...toCome, settings: { work_mem: '8MB' } } };
  expect(settle(base, head)).toMatchObject({
    kind: 'one-sweep',
    variants: {
      base: { dropIndex: ['ix_a'], sql: [{ apply: 'ANALYZE' }] },
      head: { ...toCome, settings: { work_mem: '8MB' } },
    },
  });
});

it('two checkouts are variants of one sweep, with all that the control sets', () => {
  const settling = settle(
    { env: { POOL: '10' } },
    { env: { POOL: '10' }, target: { cwd: branch, env: { MODE: 'safe', SECRET_TOKEN: '***' } } },
  );
  expect(settling).toEqual({
    kind: 'one-sweep',
    commits: null,
    variants: {
      base: { cwd: main, env: { MODE: 'fast', POOL: '10' } },
      head: { cwd: branch, env: { MODE: 'safe', POOL: '10' } },
    },
  });
  const { yaml, commands } = settlingWords(settling);
  expect(commands).toEqual(['pgsweep sweep both.yaml']);
  const scenario = scenarioOf(yaml);
  expect(scenario.control).toBe('base');
  expect(scenario.variants.map(({ name, cwd, env }) => [name, cwd, env])).toEqual([
    ['base', main, { MODE: 'fast', POOL: '10' }],
    ['head', branch, { MODE: 'safe', POOL: '10' }],
  ]);
});

it('two commits of one folder want a checkout each', () => {
  const settling = settle({ provenance: { gitCommit: '1111111+changes' } }, { provenance: { gitCommit: '2222222' } });
  expect(settling).toMatchObject({
    kind: 'one-sweep',
    commits: { base: '1111111', head: '2222222' },
    variants: { base: { cwd: '../base' }, head: { cwd: '../head' } },
  });
  expect(settlingWords(settling).commands).toEqual([
    'git worktree add ../base 1111111',
    'git worktree add ../head 2222222',
    'pgsweep sweep both.yaml',
  ]);
});

it('the distance, the pooler and how many instances there are can be a variant', () => {
  const distance = { rttMs: 0.5, bandwidthMbit: 100 };
  const settings = { server_idle_timeout: '60' };
  const pooler = { kind: 'pgbouncer', mode: 'transaction', size: 20, queryWaitTimeoutMs: 1500, settings } as const;
  const settling = settle({ link: { distance } }, { link: { pooler, instances: 4 } });
  expect(settling).toMatchObject({
    kind: 'one-sweep',
    variants: {
      base: { distance, pooler: null, instances: null },
      head: { distance: null, pooler, instances: 4 },
    },
  });
  const [base, head] = scenarioOf(settlingWords(settling).yaml).variants;
  expect(base).toMatchObject({ distance, instances: 1 });
  expect(base).not.toHaveProperty('pooler');
  expect(head).toMatchObject({ pooler, instances: 4 });
});

it('another Postgres can be a variant; another machine cannot', () => {
  expect(settle({ provenance: { postgresVersion: '17.2' } }, {})).toMatchObject({
    kind: 'one-sweep',
    variants: { base: { postgres: { version: '17.2' } }, head: { postgres: { version: '18.4' } } },
  });
  const machine = settle({}, { provenance: { cpuModel: 'Other' } });
  expect(machine).toEqual({ kind: 'in-turn', area: 'machine', needed: 4 });
  expect(settlingWords(machine).sentences.join()).toContain('4 runs or more a side alternately');
});

it('says so where nothing differs', () => {
  expect(settle({}, {})).toEqual({ kind: 'two-folders' });
});

it('quotes what stands in a run folder, and lets none of it into a command', () => {
  const hostile = '"; rm -rf ~ #\n```\n\u001b[2J\u202e{ a: &x *y }';
  const { yaml, commands } = settlingWords(
    settle({ target: { command: hostile }, env: { [hostile]: hostile } }, { provenance: { gitCommit: hostile } }),
  );
  expect(commands).toEqual(['pgsweep sweep both.yaml']);
  for (const line of yaml) expect(line).not.toMatch(/^```|[\n\p{Cc}\p{Cf}]/u);
  const scenario = scenarioOf(yaml);
  expect(scenario.variants[0]).toMatchObject({ command: hostile, env: { [hostile]: hostile } });
});
