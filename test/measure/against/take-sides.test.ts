import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import type { AgainstTaken } from '../../../src/journal/run/against-record.ts';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import { compared } from '../../../src/measure/against/compared.ts';
import { missingIn } from '../../../src/measure/against/ignored.ts';
import { npmInstalled, yarnInstalled } from '../../../src/measure/against/install.ts';
import { schemaFilesIn } from '../../../src/measure/against/sides.ts';
import { keptSnapshots, trimSnapshots } from '../../../src/measure/against/snapshots.ts';
import { keepSides, withSides } from '../../../src/measure/against/take-sides.ts';
import { discard } from '../../../src/measure/stack/embedded/user-cache.ts';
import { againstLines } from '../../../src/report/words/against.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import type { AskedAgainst } from '../../../src/scenario/resolve-against.ts';
import { folderState, type PlantedRepository, plantedRepository } from './planted-repository.ts';

let repository: PlantedRepository;
let reaper: Reaper;
let told: string[];

beforeEach(() => {
  repository = plantedRepository();
  vi.stubEnv('XDG_CACHE_HOME', repository.cache);
  reaper = startReaper();
  told = [];
});

afterEach(async () => {
  await reaper.close();
  vi.unstubAllEnvs();
  repository.remove();
});

const LOCK = JSON.stringify({ name: 'items', lockfileVersion: 3, requires: true, packages: { '': { name: 'items' } } });

function asked(against: AskedAgainst, { cwd = '.', dataset = '' } = {}) {
  const text = `target: { command: node server.mjs, cwd: ${cwd} }\n${dataset}\nload: { connections: 1, requests: [{ path: / }] }\n`;
  return parseScenario(text, join(repository.folder, 'pgsweep.yaml'), against);
}

function take(against: AskedAgainst, options?: Parameters<typeof asked>[1]): Promise<AgainstTaken> {
  const onProgress = (message: string): void => void told.push(message);
  return withSides(asked(against, options), {}, async (taken, make) => {
    await make({ reaper, env: process.env, onProgress, signal: undefined });
    return taken;
  });
}

const planSides = (scenario: ResolvedScenario): Promise<AgainstTaken> =>
  withSides(scenario, {}, async (taken) => taken);

const textIn = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');

/** A branch that left main, which has moved on since. */
function branched(): { readonly base: string; readonly tip: string } {
  const { git, commit } = repository;
  const base = commit('base', { 'server.mjs': 'base', 'old.txt': 'old', '.gitignore': '.env\nnode_modules\ncerts/\n' });
  git('switch', '--quiet', '--create', 'mine');
  git('switch', '--quiet', 'main');
  const tip = commit('main moves on', { 'server.mjs': 'tip' });
  git('switch', '--quiet', 'mine');
  return { base, tip };
}

describe('both sides', () => {
  it('are the commit where the branch left main, and the folder as it lies there', async () => {
    const { base } = branched();
    repository.write({ 'server.mjs': 'mine', 'new/one.txt': 'new', '.env': 'SECRET=1' });
    rmSync(join(repository.folder, 'old.txt'));
    symlinkSync('server.mjs', join(repository.folder, 'link.mjs'));
    const before = folderState(repository.folder);
    const taken = await take({ ref: 'main' });
    expect(folderState(repository.folder)).toBe(before);
    expect(taken.commits).toMatchObject([{ ref: 'main', commit: base, at: 'merge base' }]);
    expect(taken.work).toMatchObject({ commit: base, changed: 1, removed: 1, added: 2, tree: expect.any(String) });
    const control = taken.commits[0]?.folder ?? '';
    expect(readdirSync(control).sort()).toEqual(['.gitignore', 'old.txt', 'server.mjs']);
    expect(textIn(control, 'server.mjs')).toBe('base');
    expect(readdirSync(taken.work.folder).sort()).toEqual(['.gitignore', 'link.mjs', 'new', 'server.mjs']);
    expect(textIn(taken.work.folder, 'server.mjs')).toBe('mine');
    expect(readlinkSync(join(taken.work.folder, 'link.mjs'))).toBe('server.mjs');
    // An edit in minute three.
    repository.write({ 'server.mjs': 'edited' });
    expect(textIn(taken.work.folder, 'server.mjs')).toBe('mine');
    expect(() => keepSides(taken, join(repository.cache, 'run'))).not.toThrow();
  });

  it('are what was asked: the tip, a commit before, a tag, several', async () => {
    const { base, tip } = branched();
    repository.git('tag', 'v1', 'main');
    const later = repository.commit('mine', { 'server.mjs': 'mine' });
    const commitsOf = async (against: AskedAgainst) =>
      (await planSides(asked(against))).commits.map(({ commit, at }) => [commit, at]);
    expect(await commitsOf({ ref: 'main', tip: true })).toEqual([[tip, 'tip']]);
    expect(await commitsOf({ ref: 'HEAD~1' })).toEqual([[base, 'commit']]);
    expect(await commitsOf({ ref: ['v1', later.slice(0, 10)] })).toEqual([
      [tip, 'commit'],
      [later, 'commit'],
    ]);
    await expect(commitsOf({ ref: 'mian' })).rejects.toThrow('there is no branch, tag or commit mian in this clone');
  });

  it('count from where the branch left the upstream, if the local branch is older', async () => {
    const { base, tip } = branched();
    repository.git('update-ref', 'refs/remotes/origin/main', tip);
    repository.git('config', 'remote.origin.url', repository.folder);
    repository.git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    repository.git('config', 'branch.main.remote', 'origin');
    repository.git('config', 'branch.main.merge', 'refs/heads/main');
    repository.git('rebase', '--quiet', 'main');
    repository.git('branch', '--force', 'main', base);
    expect((await planSides(asked({ ref: 'main' }))).commits[0]?.commit).toBe(tip);
  });

  it('name the files of the schema that differ', async () => {
    repository.commit('base', { 'server.mjs': '', 'schema.sql': 'a', 'data.sql': 'a' });
    repository.write({ 'schema.sql': 'b', 'data.sql': 'b', 'db/migrations/2.sql': 'c', 'other.sql': 'd' });
    const taken = await planSides(asked({ ref: 'HEAD' }, { dataset: 'dataset: { sql: [data.sql] }' }));
    expect(taken.schemaFiles).toEqual(['data.sql', 'db/migrations/2.sql', 'schema.sql']);
    expect(schemaFilesIn(['src/migrate.ts', 'prisma/schema.prisma'], [])).toEqual(['prisma/schema.prisma']);
  });
});

describe('the repository', () => {
  it('runs no hook, and its objects keep their times', async () => {
    branched();
    const { folder, write } = repository;
    write({ '.git/hooks/post-index-change': '#!/bin/sh\ntouch hooked.txt\n', 'copy.mjs': 'base', 'new.mjs': 'new' });
    chmodSync(join(folder, '.git/hooks/post-index-change'), 0o755);
    const before = folderState(folder);
    const taken = await take({ ref: 'main' });
    expect(folderState(folder)).toBe(before);
    expect(taken.work).toMatchObject({ changed: 0, removed: 0, added: 2 });
  });

  it('with a submodule says that it is empty, unless it is carried', async () => {
    const { folder, cache, git, commit, write } = repository;
    const inner = join(cache, 'inner');
    mkdirSync(inner, { recursive: true });
    const inside = (...args: string[]): void => void git('-C', inner, ...args);
    inside('init', '--quiet');
    inside('commit', '--quiet', '--allow-empty', '--message', 'inner');
    commit('base', { 'server.mjs': '' });
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'libs/inner');
    commit('with a submodule');
    write({ 'libs/inner/index.mjs': 'inner' });
    const before = folderState(folder);
    const without = await take({ ref: 'HEAD' });
    expect(without.emptySubmodules).toEqual(['libs/inner']);
    expect(readdirSync(join(without.work.folder, 'libs/inner'))).toEqual([]);
    const carried = await take({ ref: 'HEAD', carry: ['libs/inner'] });
    expect(carried).not.toHaveProperty('emptySubmodules');
    expect(textIn(carried.commits[0]?.folder ?? '', 'libs/inner/index.mjs')).toBe('inner');
    expect(folderState(folder)).toBe(before);
  });
});

describe('the scenario', () => {
  it('has the control at each snapshot, and nothing else of what varied', async () => {
    branched();
    repository.write({ 'server.mjs': 'mine', 'schema.sql': 'SELECT 1;' });
    const scenario = parseScenario(
      `target: { command: node server.mjs, env: { LOG: off } }
dataset: { sql: schema.sql }
sweep: { pool: { env: POOL_MAX, levels: [10, 20] } }
control: { pool: 20 }
load: { connections: 1, requests: [{ path: / }] }`,
      join(repository.folder, 'pool.yaml'),
      { ref: 'main', own: ['dataset'] },
    );
    const taken = await take({ ref: 'main' });
    const whole = compared(scenario, taken);
    expect(whole).toMatchObject({
      title: 'Is my branch slower than main?',
      control: 'main',
      dataset: { files: [join(taken.work.folder, 'schema.sql')] },
      variants: [
        { name: 'main', cwd: taken.commits[0]?.folder, env: { POOL_MAX: '20' }, factors: {} },
        { name: 'branch', cwd: taken.work.folder, env: { POOL_MAX: '20' } },
      ],
    });
    expect(whole).not.toHaveProperty('question');
    expect(againstLines(whole)).toContain('all sides have the settings of pool=20; other variants are left out');
    // main's own data set is main's, though it has none.
    expect(whole.variants[0]?.dataset).toMatchObject({ files: [join(taken.commits[0]?.folder ?? '', 'schema.sql')] });
  });
});

describe('packages', () => {
  it('are installed by the lock file, once for both sides if it is one, and kept for the next time', async () => {
    // A package in the repository needs no registry.
    const lock = {
      name: 'items',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { name: 'items', dependencies: { own: 'file:own' } },
        'node_modules/own': { resolved: 'own', link: true },
        own: { name: 'own', version: '1.0.0' },
      },
    };
    repository.commit('base', {
      'package.json': JSON.stringify({ name: 'items', dependencies: { own: 'file:own' } }),
      'package-lock.json': JSON.stringify(lock),
      'own/package.json': JSON.stringify({ name: 'own', version: '1.0.0' }),
      '.gitignore': 'node_modules\nbuilt.txt\n',
    });
    repository.write({ 'server.mjs': 'mine' });
    const prepare = `node -e "require('fs').writeFileSync('built.txt', require.resolve('own/package.json'))"`;
    const taken = await take({ ref: 'HEAD', prepare });
    const folders = [taken.work.folder, taken.commits[0]?.folder ?? ''];
    for (const folder of folders) {
      expect(readlinkSync(join(folder, 'node_modules/own'))).toBe('../own');
      expect(existsSync(join(folder, 'built.txt'))).toBe(true);
    }
    expect(told.filter((line) => line.startsWith('running npm ci'))).toHaveLength(1);
    told = [];
    expect(await take({ ref: 'HEAD', prepare })).toEqual(taken);
    expect(told).toEqual([]);
    expect(existsSync(join(repository.folder, 'node_modules'))).toBe(false);
  });

  it('of the folder are copied where they are what the lock file says, also in a monorepo', async () => {
    repository.commit('base', {
      // Hooks of git are nothing that a service runs.
      'package.json': JSON.stringify({ scripts: { prepare: 'husky || true' } }),
      'package-lock.json': LOCK,
      '.gitignore': 'node_modules\n',
      'services/items/package.json': '{}',
      'services/items/server.mjs': '',
    });
    repository.write({
      'node_modules/.package-lock.json': JSON.stringify({ packages: {} }),
      'node_modules/a/index.js': 'a',
      'services/items/node_modules/b/index.js': 'b',
    });
    const taken = await take({ ref: 'HEAD' }, { cwd: 'services/items' });
    for (const folder of [taken.work.folder, taken.commits[0]?.folder ?? '']) {
      expect(textIn(folder, 'node_modules/a/index.js')).toBe('a');
      expect(textIn(folder, 'services/items/node_modules/b/index.js')).toBe('b');
    }
    expect(told.some((line) => line.startsWith('running'))).toBe(false);
  });

  it('have what each side makes of its own files when they are installed', async () => {
    const { commit, write } = repository;
    const make = `node -e "fs.mkdirSync('node_modules/.gen',{recursive:true});fs.copyFileSync('model.txt','node_modules/.gen/client.txt')"`;
    commit('base', {
      'package.json': JSON.stringify({ name: 'items', scripts: { postinstall: make } }),
      'package-lock.json': LOCK,
      '.gitignore': 'node_modules\n',
      'model.txt': "main's",
      'server.mjs': '',
    });
    // As the user's own install has left it.
    write({
      'model.txt': 'mine',
      'node_modules/.package-lock.json': JSON.stringify({ packages: {} }),
      'node_modules/.gen/client.txt': 'mine',
    });
    const taken = await take({ ref: 'HEAD' });
    const made = (folder = ''): string => textIn(folder, 'node_modules/.gen/client.txt');
    expect([made(taken.commits[0]?.folder), made(taken.work.folder)]).toEqual(["main's", 'mine']);
  });

  it('that cannot be installed are an error with the last lines, and nothing is left', async () => {
    repository.commit('base', { 'package.json': '{}', 'package-lock.json': LOCK, 'server.mjs': '' });
    const before = folderState(repository.folder);
    const prepare = 'echo "the compiler is unhappy"; exit 7';
    await expect(take({ ref: 'HEAD', prepare })).rejects.toThrow(
      /for the work tree ended with exit code 7\. Its last lines:\nthe compiler is unhappy$/,
    );
    expect(folderState(repository.folder)).toBe(before);
    expect(readdirSync(join(repository.cache, 'pgsweep/against'))).toEqual([]);
  });

  it.each([
    ['the same', { 'node_modules/a': { version: '1.0.0', integrity: 'x' } }, true],
    ['another version', { 'node_modules/a': { version: '1.0.1', integrity: 'y' } }, false],
    [
      'one more',
      { 'node_modules/a': { version: '1.0.0', integrity: 'x' }, 'node_modules/z': { version: '1.0.0' } },
      false,
    ],
    ['none', {}, false],
  ])('are compared with a lock file: %s', (_, found, isSame) => {
    const wanted = {
      '': { name: 'items' },
      'node_modules/a': { version: '1.0.0', integrity: 'x' },
      'node_modules/of-another-system': { version: '1.0.0', integrity: 'z', optional: true },
    };
    expect(npmInstalled(JSON.stringify({ packages: wanted }), JSON.stringify({ packages: found }))).toBe(isSame);
  });
});

describe('packages of Yarn', () => {
  const lock = `# yarn lockfile v1


"@scope/a@^1.0.0", "@scope/a@^1.1.0":
  version "1.1.0"
  resolved "https://registry.example.test/a-1.1.0.tgz#abc"
  dependencies:
    b "^2.0.0"

b@^2.0.0:
  version "2.0.1"
  resolved "https://registry.example.test/b-2.0.1.tgz#def"

"own@file:own":
  version "1.0.0"
`;
  const installed = {
    '@scope/a@^1.0.0': 'https://registry.example.test/a-1.1.0.tgz#abc',
    '@scope/a@^1.1.0': 'https://registry.example.test/a-1.1.0.tgz#abc',
    'b@^2.0.0': 'https://registry.example.test/b-2.0.1.tgz#def',
    'own@file:own': '',
  };
  it.each([
    ['each range', installed, true],
    ['another version', { ...installed, 'b@^2.0.0': 'https://registry.example.test/b-2.0.2.tgz#efa' }, false],
    ['one more', { ...installed, 'c@^1.0.0': 'https://registry.example.test/c-1.0.0.tgz#cab' }, false],
    ['none', undefined, false],
  ])('are compared with a lock file: %s', (_, lockfileEntries, isSame) => {
    expect(yarnInstalled(lock, JSON.stringify({ lockfileEntries }))).toBe(isSame);
    expect(yarnInstalled(lock, '')).toBe(false);
  });
});

describe('pnpm and Yarn', () => {
  /** In place of a program, one that notes how it is called and does what it would. Returns the file with its calls. */
  function notedProgram(name: string, does: string): string {
    const bin = join(repository.cache, 'bin');
    const calls = join(repository.cache, 'calls.txt');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, name), `#!/bin/sh\necho "$PWD" "$@" >>'${calls}'\n${does}\n`, { mode: 0o755 });
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
    return calls;
  }

  it.each([
    ['pnpm', 'pnpm-lock.yaml', '.pnpm/lock.yaml', 'lockfileVersion: 9', 'lockfileVersion: 9'],
    ['yarn', 'yarn.lock', '.yarn-integrity', '# yarn lockfile v1', '{ "lockfileEntries": {} }'],
  ])(
    '%s installs at the root of a workspace, frozen, once for equal lock files; or what is there is copied',
    async (program, lock, record, locked, recorded) => {
      const calls = notedProgram(
        program,
        `mkdir -p "$(dirname node_modules/${record})" node_modules/.cache packages/items/node_modules/a
printf '%s' '${recorded}' >'node_modules/${record}'`,
      );
      repository.commit('base', {
        '.gitignore': 'node_modules\n',
        'package.json': '{}',
        [lock]: locked,
        'packages/items/package.json': '{}',
        'packages/items/server.mjs': '',
      });
      const taken = await take({ ref: 'HEAD' }, { cwd: 'packages/items' });
      const folders = [taken.work.folder, taken.commits[0]?.folder ?? ''];
      // In the half-made snapshot of the folder; the commit's is a copy of that.
      expect(readFileSync(calls, 'utf8')).toMatch(/^\S+\/\.building-\S+\/tree install --frozen-lockfile\n$/);
      for (const folder of folders) {
        expect(textIn(folder, `node_modules/${record}`)).toBe(recorded);
        expect(existsSync(join(folder, 'packages/items/node_modules/a'))).toBe(true);
      }
      expect(folders.map((folder) => existsSync(join(folder, 'node_modules/.cache')))).toEqual([true, false]);
      // The user's own, once they have installed.
      repository.write({ [`node_modules/${record}`]: recorded, 'node_modules/b/index.js': 'b', 'new.txt': '' });
      told = [];
      const again = await take({ ref: 'HEAD' }, { cwd: 'packages/items' });
      expect(textIn(again.work.folder, 'node_modules/b/index.js')).toBe('b');
      expect(told).toEqual(['copying the work tree', 'copying the packages of the work tree']);
    },
  );

  it('what a package of the project makes when it is installed is not copied', async () => {
    const record = 'node_modules/.pnpm/lock.yaml';
    const manifest = 'packages/items/node_modules/generates/package.json';
    const generates = JSON.stringify({ scripts: { postinstall: 'generate' } });
    repository.commit('base', {
      '.gitignore': 'node_modules\n',
      'package.json': '{}',
      'pnpm-lock.yaml': 'lockfileVersion: 9',
      'packages/items/package.json': JSON.stringify({ dependencies: { generates: '1.0.0' } }),
      'packages/items/server.mjs': '',
    });
    repository.write({ [record]: 'lockfileVersion: 9', [manifest]: generates });
    const calls = notedProgram(
      'pnpm',
      `mkdir -p "$(dirname ${record})" "$(dirname ${manifest})"
printf 'lockfileVersion: 9' >${record}
printf '${generates}' >${manifest}`,
    );
    await take({ ref: 'HEAD' }, { cwd: 'packages/items' });
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('a lock file whose program is not there is an error that names both', async () => {
    repository.commit('base', { 'package.json': '{}', 'pnpm-lock.yaml': 'lockfileVersion: 9', 'server.mjs': '' });
    const env = { PATH: join(repository.cache, 'bin') };
    const context = { reaper, env, onProgress: () => {}, signal: undefined };
    await expect(withSides(asked({ ref: 'HEAD' }), {}, (_, make) => make(context))).rejects.toMatchObject({
      message: 'pnpm install --frozen-lockfile for the work tree: cannot start pnpm: no such program',
      hint: 'The lock file of the work tree is pnpm-lock.yaml: install pnpm, and start again.',
    });
  });
});

describe('ignored files', () => {
  it('are carried to both sides by name', async () => {
    branched();
    repository.write({ '.env': 'SECRET=1', 'certs/own.pem': 'pem' });
    const taken = await take({ ref: 'main', carry: ['.env', 'certs/'] });
    for (const folder of [taken.work.folder, taken.commits[0]?.folder ?? '']) {
      expect(textIn(folder, '.env')).toBe('SECRET=1');
      expect(textIn(folder, 'certs/own.pem')).toBe('pem');
    }
    repository.write({ '.env': 'SECRET=2' });
    const again = await take({ ref: 'main', carry: ['.env', 'certs/'] });
    expect(textIn(again.commits[0]?.folder ?? '', '.env')).toBe('SECRET=2');
    expect(textIn(taken.commits[0]?.folder ?? '', '.env')).toBe('SECRET=1');
    expect(() => asked({ ref: 'main', carry: ['.evn'] })).toThrow('there is no file or folder');
  });

  it.each([
    ['within the repository', 'apps/api/.env', '../../.env'],
    ['to a place outside of it', '.env.local', '../elsewhere/env'],
    ['one that is committed', 'apps/api/env', '../../.env'],
    ['to a folder', 'certs', '../elsewhere'],
  ])('are carried where they are links: %s', async (_, link, target) => {
    const { folder, commit, write } = repository;
    write({ '.gitignore': '.env*\ncerts\n', 'server.mjs': '', '.env': 'SECRET=1', '../elsewhere/env': 'SECRET=1' });
    mkdirSync(dirname(join(folder, link)), { recursive: true });
    symlinkSync(target, join(folder, link));
    commit('base');
    const taken = await take({ ref: 'HEAD', carry: [link] });
    const carried = statSync(join(folder, link)).isDirectory() ? join(link, 'env') : link;
    for (const tree of [taken.work.folder, taken.commits[0]?.folder ?? '']) {
      expect(textIn(tree, carried)).toBe('SECRET=1');
      expect(readdirSync(tree)).not.toContain('.env');
    }
  });

  it('of a folder may be links that lead nowhere, as editors leave them', async () => {
    branched();
    repository.write({ 'certs/own.pem': 'pem' });
    const link = join(repository.folder, 'certs/.#own.pem');
    symlinkSync('me@here.1:2', link);
    const taken = await take({ ref: 'main', carry: ['certs'] });
    expect(readlinkSync(join(taken.work.folder, 'certs/.#own.pem'))).toBe('me@here.1:2');
    rmSync(link);
    symlinkSync('me@here.3:4', link);
    const again = await take({ ref: 'main', carry: ['certs'] });
    expect(readlinkSync(join(again.work.folder, 'certs/.#own.pem'))).toBe('me@here.3:4');
  });

  it('that a service did not find are suggested', () => {
    const ignored = ['.env', 'certs/', 'dist/', 'notes.txt'];
    const says = (text: string): string[] => missingIn(text, ignored, ['/cache/branch/tree']);
    expect(says("ENOENT: no such file, open '/cache/branch/tree/certs/own.pem'")).toEqual(['certs/']);
    expect(says("Cannot find module '/cache/branch/tree/dist/server.js'")).toEqual(['dist/']);
    expect(says('it printed nothing')).toEqual(['.env', 'certs/']);
  });
});

describe('kept snapshots', () => {
  it('are removed from the least recently used on, but for those of a run', async () => {
    branched();
    const taken = await take({ ref: 'main' });
    expect(keptSnapshots()).toMatchObject([{ isUsed: true }, { isUsed: true }]);
    await trimSnapshots(0);
    expect(keptSnapshots()).toHaveLength(2);
    // As if that run had ended.
    for (const { folder } of keptSnapshots())
      for (const name of readdirSync(folder).filter((file) => file.startsWith('used-'))) rmSync(join(folder, name));
    const old = join(taken.work.folder, '..');
    utimesSync(join(old, 'about.json'), 1, 1);
    const [largest = 0] = keptSnapshots()
      .map(({ bytes }) => bytes)
      .sort((a, b) => b - a);
    await trimSnapshots(largest);
    expect(existsSync(old)).toBe(false);
    expect(keptSnapshots()).toHaveLength(1);
    expect(() => keepSides(taken, join(repository.cache, 'run'))).toThrow('the snapshot');
    for (const one of keptSnapshots()) await discard(one.folder);
    expect(readdirSync(join(repository.cache, 'pgsweep/against'))).toEqual([]);
  });

  it('that another run is still making are no snapshots', async () => {
    branched();
    const half = join(repository.cache, 'pgsweep/against/.building-1-x');
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, 'about.json'), '{}');
    await take({ ref: 'main' });
    expect(keptSnapshots()).toHaveLength(2);
  });
});
