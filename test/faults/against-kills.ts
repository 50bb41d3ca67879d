import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCli } from '../cli/cli.ts';
import {
  bookService,
  folderState,
  NEW_QUERY,
  type PlantedRepository,
  plantedRepository,
  SCHEMA,
  withPackages,
} from '../measure/against/planted-repository.ts';
import { descendantsOf } from '../support/processes.ts';
import { type Context, createTally, type PartResult, range } from './part.ts';

const SCENARIO = `target: { command: node server.mjs }
dataset: { sql: schema.sql }
against: { ref: main, own: [dataset], prepare: npm run build }
load: { connections: 2, slice: 500ms, warmup: 200ms, requests: [{ path: /books }] }
rounds: { min: 1, max: 1 }
`;
/** What a build leaves behind after a while. */
const BUILD = `node -e "setTimeout(() => require('fs').writeFileSync('built.txt', ''), 500)"`;

/**
 * Sweeps against main that are killed at random moments of their install, copy or load, mostly with their guard: the repository stays
 * byte for byte as it was, and `pgsweep clean` leaves nothing.
 */
export async function againstKills({ from, to, random, folder }: Context): Promise<PartResult> {
  const tally = createTally();
  const first = planted();
  const startMs = performance.now();
  const undisturbed = await startSweep(first, join(folder, `against-undisturbed-${from}`)).done;
  const lastsMs = performance.now() - startMs;
  first.remove();
  if (undisturbed.code !== 0 && undisturbed.code !== 3) {
    tally.fault(`a sweep that nobody disturbed ended with ${undisturbed.code}: ${undisturbed.err}`);
    return tally.result();
  }
  for (const number of range(from, to)) {
    const afterMs = random.integer(200, Math.round(lastsMs));
    const withGuard = number % 4 !== 3;
    const repository = planted();
    const servers = join(folder, `against-${number}`);
    const { outcome, faults } = await killOnce(repository, servers, { afterMs, withGuard });
    tally.count(outcome);
    for (const fault of faults)
      tally.fault(`killed after ${afterMs} ms${withGuard ? ' with its guard' : ''}: ${fault}`);
    repository.remove();
    rmSync(servers, { recursive: true, force: true });
  }
  return tally.result();
}

function planted(): PlantedRepository {
  const repository = plantedRepository();
  withPackages(repository);
  const about = { name: 'items', type: 'module', scripts: { build: BUILD } };
  repository.commit('base', {
    'server.mjs': bookService(),
    'schema.sql': SCHEMA,
    'package.json': JSON.stringify(about),
    'pgsweep.yaml': SCENARIO,
  });
  repository.git('switch', '--quiet', '--create', 'mine');
  repository.write({ 'server.mjs': bookService(NEW_QUERY), 'notes.txt': 'new' });
  return repository;
}

function startSweep({ folder, cache }: PlantedRepository, servers: string) {
  mkdirSync(servers, { recursive: true });
  const env = { XDG_CACHE_HOME: cache, PGSWEEP_TMP: servers };
  return startCli(['sweep', '--out', join(servers, 'run')], { cwd: folder, env });
}

async function killOnce(
  repository: PlantedRepository,
  servers: string,
  { afterMs, withGuard }: { readonly afterMs: number; readonly withGuard: boolean },
): Promise<{ outcome: string; faults: string[] }> {
  const before = folderState(repository.folder);
  const sweep = startSweep(repository, servers);
  await Promise.race([sleep(afterMs), sweep.done]);
  const seen = descendantsOf(sweep.pid);
  const guards = withGuard ? seen.filter(({ args }) => args.includes('reaper.mjs')) : [];
  for (const { pid } of guards) send(pid, 'SIGSTOP');
  send(sweep.pid, 'SIGKILL');
  for (const { pid } of guards) send(pid, 'SIGKILL');
  const { code, err } = await sweep.done;
  const faults: string[] = [];
  if (folderState(repository.folder) !== before) faults.push('the repository has changed');
  const env = { XDG_CACHE_HOME: repository.cache, PGSWEEP_TMP: servers };
  // A guard that lives ends what it watches, which takes its time.
  const cleaned = await untilClean(env, () => leftIn(repository, servers));
  if (cleaned.length > 0) faults.push(`clean has left ${cleaned.join(', ')}`);
  if (folderState(repository.folder) !== before) faults.push('clean has changed the repository');
  const lastLine = err.trimEnd().split('\n').at(-1) ?? '';
  return { outcome: code === null ? `killed at: ${stageOf(lastLine)}` : 'over before', faults };
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

function stageOf(line: string): string {
  return (
    /^(copying|running npm|running|starting|trying|round|so far|stack|run folder|against|work tree)/.exec(line)?.[0] ??
    'its start'
  );
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
