import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import type { Summary } from '../../../src/judge/summary.ts';
import { type CliResult, cli, exitCodeOf, startCli } from '../../cli/cli.ts';

const scenario = 'test/fixtures/services/treatments.yaml';
let folder: string;
/** Where the runs of this file have their servers. */
let servers: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-treatments-'));
  servers = mkdtempSync(join(tmpdir(), 'pgsweep-servers-'));
  chmodSync(servers, 0o755);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(servers, { recursive: true });
});

const sweep = (...args: string[]): Promise<CliResult> =>
  startCli(['sweep', ...args], { env: { PGSWEEP_TMP: servers } }).done;

/** The scenario of this file with another variant, for the fixture's service. */
function scenarioWith(variant: string): string {
  const fixtures = resolve('test/fixtures/services');
  const text = readFileSync(scenario, 'utf8')
    .replace('node items.mjs', `node ${fixtures}/items.mjs`)
    .replace('[schema.sql, indexes.sql]', JSON.stringify([`${fixtures}/schema.sql`, `${fixtures}/indexes.sql`]))
    .replace(/ {2}Small cache: .*/, `  Changed: ${variant}`);
  const file = join(folder, 'changed.yaml');
  writeFileSync(file, text);
  return file;
}

describe('variants that change their database', () => {
  it('are planned without starting anything', async () => {
    const { code, out } = await cli('plan', scenario);
    expect(code).toBe(0);
    expect(out).toContain('Without the index  drops ix_items_name\n');
    expect(out).toContain('Small cache  synchronous_commit = off (database), shared_buffers = 16MB (own server)\n');
    expect(out).toContain(
      '4 Postgres servers, one for each arm, all started fresh in every round, since some settings need a restart\n',
    );
  });

  it('are swept: each change is seen, told, and of its own arms only', async () => {
    const run = join(folder, 'run');
    const { code, err } = await sweep(scenario, '--out', run);
    expect(code, err).toBe(exitCodeOf(run));
    const records = [...readJournal(join(run, 'journal.jsonl')).records];
    const arms = records.filter((record) => record.type === 'arm');
    expect(arms).toHaveLength(2 * 4);
    const changes = (arm: string): (readonly string[] | undefined)[] =>
      arms.filter((record) => record.arm === arm).map(({ treatment }) => treatment?.map(({ found }) => found));
    const cache = ['synchronous_commit = off (database)', 'shared_buffers = 16MB (own server)'];
    expect(changes('Control')).toEqual([undefined, undefined]);
    expect(changes('Control (A/A)')).toEqual([undefined, undefined]);
    expect(changes('Without the index')).toEqual([['ix_items_name dropped'], ['ix_items_name dropped']]);
    expect(changes('Small cache')).toEqual([cache, cache]);

    const indexes = records.filter((record) => record.type === 'indexes');
    expect(indexes).toHaveLength(2 * 4);
    for (const { arm, indexes: uses } of indexes) {
      expect(uses.map(({ name }) => name)).toEqual(
        arm === 'Without the index' ? ['items_pkey'] : ['items_pkey', 'ix_items_name'],
      );
      // The list of items goes by the key: the connections that did so have reported.
      expect(uses[0]?.scans).toBeGreaterThan(0);
    }

    const summary = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8')) as Summary;
    expect(summary.treatments).toEqual([
      { variant: 'Without the index', changes: ['ix_items_name dropped'] },
      { variant: 'Small cache', changes: cache },
    ]);
    const report = readFileSync(join(run, 'report.md'), 'utf8');
    for (const words of [
      'ix_items_name dropped',
      cache.join(', '),
      'one Postgres for each arm, started fresh in every round: variants change what needs its own server',
    ]) {
      expect(report).toContain(words);
    }
    // The server that the data are loaded on, then one for each arm, for the try and for each round.
    const logs = readdirSync(join(run, 'logs')).filter((name) => name.startsWith('postgres'));
    expect(logs.sort()).toEqual([
      ...[0, 1, 2].flatMap((round) => [0, 1, 2, 3].map((server) => `postgres-r${round}-${server}.log`)),
      'postgres.log',
    ]);
    expect(readdirSync(servers)).toEqual([]);
  });

  it.each([
    [
      '{ dropIndex: ix_item_nam }',
      'variant "Changed": there is no index ix_item_nam in the loaded database (did you mean ix_items_name?)',
    ],
    [
      '{ sql: ALTER TABLE itms ADD COLUMN a int }',
      'variant "Changed": Postgres refuses ALTER TABLE itms ADD COLUMN a int: relation "itms" does not exist',
    ],
    [
      '{ settings: { shared_buffers: much } }',
      'the server with shared_buffers = much (own server) does not start. Postgres ended with exit code 1, because of the setting "shared_buffers".',
    ],
  ])('are an error before any round where they cannot be: %s', async (variant, message) => {
    const run = mkdtempSync(join(folder, 'bad-'));
    const { code, err } = await sweep(scenarioWith(variant), '--out', run);
    expect(err).toContain(message);
    expect(code).toBe(2);
    expect(readdirSync(run)).not.toContain('journal.jsonl');
    expect(readdirSync(servers)).toEqual([]);
  });
});
