import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type RunningCli, startCli } from '../cli/cli.ts';
import {
  bookService,
  folderState,
  NEW_QUERY,
  type PlantedRepository,
  plantedRepository,
  SCHEMA,
} from '../measure/against/planted-repository.ts';
import { descendantsOf } from '../support/processes.ts';
import { type Context, createTally, type PartResult, range } from './part.ts';

const SCENARIO = `target: { command: node server.mjs }
dataset: { sql: schema.sql }
against: { ref: main, own: [dataset], prepare: npm run build }
load: { connections: 2, slice: 1s, warmup: 1s, requests: [{ path: /books }] }
rounds: { min: 1, max: 1 }
`;
/** An install that needs no registry and takes a while: a package in the repository, and a script that writes many files. */
const ABOUT = {
  name: 'items',
  version: '1.0.0',
  type: 'module',
  dependencies: { own: 'file:own' },
  scripts: {
    postinstall: 'node fill.mjs',
    build: `node -e "setTimeout(() => require('fs').writeFileSync('built.txt', ''), 500)"`,
  },
};
const LOCK = {
  name: 'items',
  version: '1.0.0',
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': { name: 'items', version: '1.0.0', hasInstallScript: true, dependencies: ABOUT.dependencies },
    'node_modules/own': { resolved: 'own', link: true },
    own: { version: '1.0.0' },
  },
};
const FILL = `import { mkdirSync, writeFileSync } from 'node:fs';
for (let i = 0; i < 3000; i++) {
  mkdirSync(\`node_modules/many/\${i % 100}\`, { recursive: true });
  writeFileSync(\`node_modules/many/\${i % 100}/\${i}.js\`, '');
}
`;

/** A state of a sweep in which it is killed. */
interface Moment {
  readonly name: string;
  /** Its last line by then; absent for the start of the process. */
  readonly said?: string;
  /** A record of its journal by then. */
  readonly record?: string;
  /** It is killed at most this much later. */
  readonly withinMs: number;
}

const moments: readonly Moment[] = [
  { name: 'start of the process', withinMs: 1000 },
  { name: 'copy of the folder', said: 'copying the work tree', withinMs: 50 },
  { name: 'install', said: 'running npm ci', withinMs: 1000 },
  { name: 'build', said: 'running npm run build for the work tree', withinMs: 500 },
  { name: 'copy of the commit', said: 'copying main', withinMs: 50 },
  { name: 'copy of the packages', said: 'copying the packages of main', withinMs: 300 },
  { name: 'start of Postgres', said: 'starting Postgres', withinMs: 500 },
  { name: 'start of the services', said: 'round 1/1', withinMs: 200 },
  { name: 'warm-up', record: '"type":"arm"', withinMs: 500 },
  { name: 'load', record: '"type":"warmup"', withinMs: 500 },
  { name: 'report', said: 'round 1 done', withinMs: 300 },
];

/**
 * Sweeps against main that are killed in each state of theirs, mostly with their guard: the repository stays byte for byte as it
 * was, and `pgsweep clean` leaves nothing.
 */
export async function againstKills({ from, to, random, folder }: Context): Promise<PartResult> {
  const tally = createTally();
  for (const number of range(from, to)) {
    const moment = moments[number % moments.length];
    if (moment === undefined) continue;
    const afterMs = random.integer(0, moment.withinMs);
    const withGuard = number % 4 !== 3;
    const repository = planted();
    const servers = join(folder, `against-${number}`);
    const { outcome, faults } = await killOnce(repository, servers, { moment, afterMs, withGuard });
    tally.count(outcome);
    for (const fault of faults)
      tally.fault(`killed ${afterMs} ms into ${moment.name}${withGuard ? ' with its guard' : ''}: ${fault}`);
    repository.remove();
    rmSync(servers, { recursive: true, force: true });
  }
  return tally.result();
}

function planted(): PlantedRepository {
  const repository = plantedRepository();
  // Packages of this clone, since those of the repository need no registry.
  const pg = pathToFileURL(resolve('node_modules/pg/esm/index.mjs')).href;
  const server = (extra: string): string => bookService(extra).replace("'pg'", `'${pg}'`);
  repository.commit('base', {
    'server.mjs': server(''),
    'schema.sql': SCHEMA,
    'package.json': JSON.stringify(ABOUT),
    'package-lock.json': JSON.stringify(LOCK),
    'own/package.json': JSON.stringify({ name: 'own', version: '1.0.0' }),
    'fill.mjs': FILL,
    'pgsweep.yaml': SCENARIO,
    '.gitignore': 'node_modules\n',
  });
  repository.git('switch', '--quiet', '--create', 'mine');
  repository.write({ 'server.mjs': server(NEW_QUERY), 'notes.txt': 'new' });
  // What a user has set aside stays, too.
  repository.git('stash', 'push', '--quiet', '--include-untracked');
  repository.git('stash', 'apply', '--quiet');
  return repository;
}

function startSweep({ folder, cache }: PlantedRepository, servers: string) {
  mkdirSync(servers, { recursive: true });
  const env = { XDG_CACHE_HOME: cache, PGSWEEP_TMP: servers };
  return startCli(['sweep', '--out', join(servers, 'run')], { cwd: folder, env });
}

/** Resolves when a sweep is in a state, or has ended. */
async function reached({ said, record }: Moment, sweep: RunningCli, journal: string): Promise<void> {
  if (said !== undefined) return sweep.until(said).catch(() => {});
  if (record === undefined) return;
  let isOver = false;
  void sweep.done.then(() => {
    isOver = true;
  });
  while (!isOver && !(existsSync(journal) && readFileSync(journal, 'utf8').includes(record))) await sleep(20);
}

/** What git says of a repository, and all files that it consists of. */
function stateOf({ folder, git }: PlantedRepository): string {
  const files = folderState(folder);
  const said = [['status', '--porcelain'], ['worktree', 'list'], ['stash', 'list'], ['for-each-ref']].map((args) =>
    git('--no-optional-locks', ...args),
  );
  return [files, ...said].join('\n');
}

async function killOnce(
  repository: PlantedRepository,
  servers: string,
  { moment, afterMs, withGuard }: { readonly moment: Moment; readonly afterMs: number; readonly withGuard: boolean },
): Promise<{ outcome: string; faults: string[] }> {
  const before = stateOf(repository);
  const sweep = startSweep(repository, servers);
  await reached(moment, sweep, join(servers, 'run', 'journal.jsonl'));
  await Promise.race([sleep(afterMs), sweep.done]);
  const seen = descendantsOf(sweep.pid);
  const guards = withGuard ? seen.filter(({ args }) => args.includes('reaper.mjs')) : [];
  for (const { pid } of guards) send(pid, 'SIGSTOP');
  send(sweep.pid, 'SIGKILL');
  for (const { pid } of guards) send(pid, 'SIGKILL');
  const { code, err } = await sweep.done;
  const faults: string[] = [];
  if (stateOf(repository) !== before) faults.push('the repository has changed');
  const env = { XDG_CACHE_HOME: repository.cache, PGSWEEP_TMP: servers };
  // A guard that lives ends what it watches, which takes its time.
  const cleaned = await untilClean(env, () => leftIn(repository, servers));
  if (cleaned.length > 0) faults.push(`clean has left ${cleaned.join(', ')}`);
  if (stateOf(repository) !== before) faults.push('clean has changed the repository');
  if (code !== null) faults.push(`it was over before, with ${code}: ${err}`);
  return { outcome: `killed in: ${moment.name}`, faults };
}

const CLEAN_MS = 30_000;

async function untilClean(env: NodeJS.ProcessEnv, left: () => string[]): Promise<string[]> {
  const endMs = performance.now() + CLEAN_MS;
  for (;;) {
    await startCli(['clean'], { env }).done;
    const found = left();
    if (found.length === 0 || performance.now() > endMs) return found;
    await sleep(500);
  }
}

function leftIn({ cache }: PlantedRepository, servers: string): string[] {
  const inCache = ['against', 'running'].map((kind) => join(cache, 'pgsweep', kind));
  const files = inCache.flatMap((place) =>
    existsSync(place) ? readdirSync(place).map((name) => join(place, name)) : [],
  );
  return [...files, ...readdirSync(servers).filter((name) => name !== 'run')];
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
