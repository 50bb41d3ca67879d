import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
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
  readonly file?: string;
  /** The commit of main whose snapshot is the control; the branch is in `cwd`. */
  readonly against?: string;
}

function settle(base: Made, head: Made): Settling {
  const made = (name: string, { target: own, env = {}, treatment, link, provenance, file, against: commit }: Made) =>
    session(name, {
      rounds: 1,
      changed: (run) => ({
        ...run,
        scenario: {
          ...run.scenario,
          target: { ...target, ...own },
          ...(file !== undefined && { file }),
          ...(commit !== undefined && againstMain(commit)),
          variants: (commit === undefined ? run.scenario : againstMain(commit)).variants.map((one) =>
            one.name === 'a' || one.name === 'branch' ? { ...one, env, ...(treatment && { treatment }), ...link } : one,
          ),
        },
        provenance: { ...run.provenance, ...provenance },
      }),
    });
  return compareRuns({ base: [made('base', base)], head: [made('head', head)] }, { plannedSessions: null }).settling;
}

/** A comparison of the work tree of /repo with a commit of main: `a` is main. */
function againstMain(commit: string) {
  const at = (side: string): string => `/cache/${side}-${commit}/tree`;
  const work = { commit: 'c2', changed: 0, removed: 0, added: 0, folder: at('work') };
  const commits = [{ ref: 'a', commit, at: 'tip' as const, folder: at('commit') }];
  const plain = { factors: {}, env: {} };
  return {
    variants: [
      { ...plain, name: 'a', command: `node ${commit}.mjs`, cwd: `${at('commit')}/services/api` },
      { ...plain, name: 'branch', cwd: `${at('work')}/services/api` },
    ],
    against: { refs: ['a'], carry: [], own: [], taken: { repository: '/repo', commits, work, schemaFiles: [] } },
  };
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

describe('two commits of a service below the top folder', () => {
  const below = { target: { cwd: '/repo/services/api' }, file: '/repo/services/bench/pgsweep.yaml' };
  const [base, head] = ['1111111', '2222222'].map((gitCommit) => ({ gitCommit, gitFolder: 'services/bench' }));
  const expected = {
    kind: 'one-sweep',
    commits: { base: '1111111', head: '2222222' },
    variants: { base: { cwd: '../../../base/services/api' }, head: { cwd: '../../../head/services/api' } },
  };

  it('are checked out beside the repository, and started in the folder of the service', () => {
    const settling = settle({ ...below, provenance: base ?? {} }, { ...below, provenance: head ?? {} });
    expect(settling).toEqual(expected);
    expect(settlingWords(settling).commands).toEqual([
      'git worktree add "$(git rev-parse --show-toplevel)/../base" 1111111',
      'git worktree add "$(git rev-parse --show-toplevel)/../head" 2222222',
      'pgsweep sweep both.yaml',
    ]);
  });

  it("are the user's folder, not a snapshot of it, if each was compared with main", () => {
    const settling = settle(
      { ...below, against: 'm1', provenance: base ?? {} },
      { ...below, against: 'm2', provenance: head ?? {} },
    );
    expect(settling).toEqual(expected);
    expect(settlingWords(settling).sentences.join()).toContain(
      'in place of sweep or variants, of against and of control',
    );
  });

  it('want no checkout of a repository that the service is not in', () => {
    const outside = { ...below, target: { cwd: '/srv/api' } };
    const settling = settle({ ...outside, provenance: base ?? {} }, { ...outside, provenance: head ?? {} });
    expect(settling).toEqual({ kind: 'two-folders' });
  });
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
