/**
 * How soon the bench and what it starts are there, once `npm run build` has made them JavaScript: nothing is compiled then.
 *
 *   node --import ./src/base/typescript.mjs test/bench/start.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Reaper, startReaper } from '../../src/base/process/reaper.ts';
import { createDatabase } from '../../src/stack/common/databases.ts';
import { startEmbeddedPostgres } from '../../src/stack/embedded/postgres.ts';
import type { Goal } from './goal.ts';

const TRIES = 7;
const LIMIT_S = 0.4;

/** The built twin of a module of src/. */
async function built<T>(file: string): Promise<T> {
  return import(pathToFileURL(resolve('dist', file)).href);
}

/** The built command line, the sample service and the load generator: each is there in under 0.4 s. */
export async function benchStart(): Promise<Goal[]> {
  execFileSync('npm', ['run', 'build'], { stdio: 'inherit' });
  const pgsweep = (option: string) => async () => {
    execFileSync(process.execPath, ['dist/cli/bin.mjs', option], { stdio: 'ignore' });
    return undefined;
  };
  const goals = [
    await timed('pgsweep --version', pgsweep('--version')),
    await timed('pgsweep --help', pgsweep('--help')),
  ];
  const reaper = startReaper();
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-start-'));
  const postgres = await startEmbeddedPostgres({ reaper });
  try {
    await createDatabase(postgres, 'arm');
    const service = { databaseUrl: postgres.adminUrl('arm'), logFile: join(folder, 'service.log'), reaper };
    return [...goals, await benchService(service), await benchGenerator(reaper)];
  } finally {
    await postgres.stop();
    await reaper.close();
    rmSync(folder, { recursive: true });
  }
}

async function benchService(options: { databaseUrl: string; logFile: string; reaper: Reaper }): Promise<Goal> {
  const { startTarget } = await built<typeof import('../../src/target/start-target.ts')>('target/start-target.js');
  return timed('the sample service', async () => {
    const service = await startTarget({
      ...options,
      target: { kind: 'service', service: 'documents', env: {} },
      variant: { name: 'control', factors: {}, env: {} },
      search: null,
    });
    return () => service.stop();
  });
}

async function benchGenerator(reaper: Reaper): Promise<Goal> {
  type Generator = typeof import('../../src/load/generator-process.ts');
  const { startLoadGenerator } = await built<Generator>('load/generator-process.js');
  return timed('the load generator', async () => {
    const generator = await startLoadGenerator({ workload: { kind: 'requests', requests: [] }, documents: [] }, reaper);
    return () => generator.stop();
  });
}

/** The median over some tries of how long a start takes; what it returns ends it, and is not timed. */
async function timed(name: string, start: () => Promise<undefined | (() => Promise<unknown>)>): Promise<Goal> {
  const times: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const startedMs = performance.now();
    const stop = await start();
    times.push((performance.now() - startedMs) / 1000);
    await stop?.();
  }
  const median = times.sort((a, b) => a - b)[TRIES >> 1] ?? Number.NaN;
  return {
    name: `${name}, from the built package, from nothing to its answer`,
    measured: `${median.toFixed(2)} s (median of ${TRIES})`,
    goal: `< ${LIMIT_S} s`,
    reached: median < LIMIT_S,
  };
}

const [, main] = process.argv;
if (import.meta.url === pathToFileURL(main ?? '').href) console.log(await benchStart());
