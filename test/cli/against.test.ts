import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Summary } from '../../src/judge/summary.ts';
import {
  bookService,
  NEW_QUERY,
  type PlantedRepository,
  plantedRepository,
  SCHEMA,
  withPackages,
} from '../measure/against/planted-repository.ts';
import { type CliResult, startCli } from './cli.ts';

let repository: PlantedRepository;

beforeEach(() => {
  repository = plantedRepository();
  withPackages(repository);
});
afterEach(() => repository.remove());

const env = (): NodeJS.ProcessEnv => ({ XDG_CACHE_HOME: repository.cache });
const pgsweep = (...args: string[]): Promise<CliResult> => startCli(args, { cwd: repository.folder, env: env() }).done;
const out = (): string => join(repository.cache, 'run');

const SCENARIO = `target: { command: node main.mjs }
dataset: { sql: schema.sql }
against: { ref: main, own: [dataset] }
load: { connections: 1, slice: 300ms, warmup: 100ms, requests: [{ path: /books }] }
rounds: { min: 1, max: 1 }
`;

describe('a sweep of a folder against main', () => {
  it('measures both with their own schema and start, shows a new query at once, and leaves the repository as it was', async () => {
    repository.commit('base', {
      'server.mjs': bookService(),
      'schema.sql': SCHEMA,
      'pgsweep.yaml': SCENARIO.replace('main.mjs', 'server.mjs'),
    });
    repository.git('switch', '--quiet', '--create', 'mine');
    // Another schema, which main's service would not find; another start; one more query.
    repository.git('mv', 'server.mjs', 'main.mjs');
    repository.write({
      'main.mjs': bookService(NEW_QUERY.replaceAll('authors', 'writers')),
      'schema.sql': SCHEMA.replaceAll('authors', 'writers'),
      'pgsweep.yaml': SCENARIO,
    });
    const before = [repository.git('status', '--porcelain'), repository.git('worktree', 'list')];
    const index = readFileSync(join(repository.folder, '.git/index'));
    const { code, out: report, err } = await pgsweep('sweep', '--out', out());
    expect({ code }, `${report}${err}`).toEqual({ code: 0 });
    expect(readFileSync(join(repository.folder, '.git/index')).equals(index)).toBe(true);
    expect([repository.git('status', '--porcelain'), repository.git('worktree', 'list')]).toEqual(before);
    expect(err).toMatch(/^against main at [0-9a-f]{7}, where your branch left it/m);
    expect(err).toMatch(
      /^so far: Statements a request \d\.\d\d -> \d\.\d\d, new: SELECT name FROM writers WHERE id = \$1$/m,
    );
    expect(err).not.toContain('files of the schema differ');
    const { run } = JSON.parse(readFileSync(join(out(), 'summary.json'), 'utf8')) as Summary;
    expect(run).toMatchObject({ control: 'main', variants: ['main', 'branch'] });
    expect(run.against?.taken).toMatchObject({
      commits: [{ ref: 'main', command: 'node server.mjs' }],
      work: { changed: 2, removed: 1, added: 1 },
      schemaFiles: ['schema.sql'],
    });
    // As if it had been interrupted: to resume it takes both.
    const journal = join(out(), 'journal.jsonl');
    const whole = readFileSync(journal, 'utf8');
    writeFileSync(journal, whole.replace(/.*"type":"end".*\n$/, ''));
    const kept = await pgsweep('clean');
    expect(kept.out.match(/MB: kept to resume .*\/run; to remove it all the same: rm -r \//g)).toHaveLength(2);
    writeFileSync(journal, whole);
    const cleaned = await pgsweep('clean');
    expect(cleaned.out).toMatch(/^snapshot of (main \([0-9a-f]{7}\)|the work tree) of items, 1 MB removed: /m);
    expect(readdirSync(join(repository.cache, 'pgsweep/against'))).toEqual([]);
    expect((await pgsweep('sweep', '--resume', out())).err).toContain('the snapshot');
  });

  it('of a commit that does not start says which, with its last lines and what it may lack', async () => {
    repository.commit('base', {
      'server.mjs': `import { readFileSync } from 'node:fs';\nreadFileSync('.env');`,
      'pgsweep.yaml': SCENARIO.replace('main.mjs', 'server.mjs')
        .replace('dataset: { sql: schema.sql }', '')
        .replace(', own: [dataset]', ''),
    });
    repository.write({ '.env': 'SECRET=1' });
    const { code, err } = await pgsweep('sweep', '--against', 'HEAD', '--out', out());
    expect(code).toBe(2);
    expect(err).toMatch(/ENOENT: no such file or directory, open '\.env'/);
    expect(err).toContain('git ignores .env, so no snapshot has it. If the service needs it: --carry .env');
    expect(repository.git('status', '--porcelain')).toBe('');
  });
});

describe('the command line', () => {
  it('starts all sides by its own command, whatever main has in a scenario file', async () => {
    const server = `import { createServer } from 'node:http';
const server = createServer((_, response) => response.end('ok')).listen(process.env.PORT, '127.0.0.1');
process.on('SIGTERM', () => server.close());
`;
    repository.commit('base', { 'server.mjs': server, 'pgsweep.yaml': SCENARIO.replace('main.mjs', 'gone.mjs') });
    const checked = ['plan', '--check', '--against', 'main', '--command', 'node server.mjs', '--get', '/'];
    const { out: found, err } = await pgsweep(...checked);
    expect(err).toContain('copying main');
    expect(found).toContain('"main" is ready');
    expect(found).not.toContain('gone.mjs');
  });

  it('needs no scenario but a command', async () => {
    repository.commit('base', { 'server.mjs': '' });
    const {
      code,
      out: plan,
      err,
    } = await pgsweep('plan', '--against', 'main', '--command', 'node server.mjs', '--json');
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(JSON.parse(plan)).toMatchObject({
      scenario: {
        title: 'Is my branch slower than main?',
        control: 'main',
        variants: [{ name: 'main' }, { name: 'branch' }],
      },
    });
    // A plan copies nothing.
    expect(readdirSync(join(repository.cache, 'pgsweep/against'))).toEqual([]);
  });

  it.each([
    [['--tip'], '--tip, --carry, --prepare and --own belong to --against'],
    [['--against', 'mian', '--command', 'node server.mjs'], 'there is no branch, tag or commit mian in this clone'],
    [['--against', 'branch', '--command', 'node server.mjs'], '"branch" cannot be the name of a variant here'],
    [['--against', 'main', '--own', 'dataset', '--command', 'x'], 'own: dataset needs a data set'],
  ])('%j is an error', async (args, message) => {
    repository.commit('base', { 'server.mjs': '' });
    const { code, err } = await pgsweep('plan', ...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('without a service compares two versions of a job, each run from its own side', async () => {
    const seen = join(repository.cache, 'seen.txt');
    // It waits: in a job of some milliseconds the bench has no time to be idle, which discards the slice.
    const job = (side: string): string => `import { appendFileSync } from 'node:fs';
setTimeout(() => appendFileSync(process.env.SEEN, '${side}\\n'), 500);
`;
    repository.commit('base', { 'job.mjs': job('main'), 'schema.sql': SCHEMA });
    repository.write({ 'job.mjs': job('branch') });
    const {
      code,
      out: report,
      err,
    } = await pgsweep(
      ...['sweep', '--against', 'main', '--job', 'node job.mjs', '--sql', 'schema.sql', '--env', `SEEN=${seen}`],
      ...['--rounds', '1', '--out', out()],
    );
    expect({ code }, `${report}${err}`).toEqual({ code: 0 });
    expect(readFileSync(seen, 'utf8').trim().split('\n').sort()).toEqual(['branch', 'main', 'main']);
  });
});
