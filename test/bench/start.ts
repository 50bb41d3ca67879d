/**
 * How soon the bench and what it starts are there, once `npm run build` has made them JavaScript: nothing is compiled then.
 *
 *   node --import ./src/base/typescript.mjs test/bench/start.ts
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { startReaper } from '../../src/base/process/reaper.ts';
import { createDatabase } from '../../src/measure/stack/common/databases.ts';
import { startEmbeddedPostgres } from '../support/started-postgres.ts';
import type { Goal } from './goal.ts';

const TRIES = 7;
const LIMIT_S = 0.4;

/** The command line, the sample service and the load generator as the package has them: each is there in under 0.4 s. */
export async function benchStart(): Promise<Goal[]> {
  execFileSync('npm', ['run', 'build'], { stdio: 'inherit' });
  const pgsweep = (option: string) => timed(`pgsweep ${option}`, 'exit', () => start('cli/bin.mjs', [option]));
  const goals = [await pgsweep('--version'), await pgsweep('--help')];
  goals.push(await timed('the load generator', 'message', () => start('measure/load/generator-main.js')));
  const reaper = startReaper();
  const postgres = await startEmbeddedPostgres({ reaper });
  try {
    await createDatabase(postgres, 'arm');
    const env = { PORT: '0', DATABASE_URL: postgres.adminUrl('arm') };
    // It prints where it listens.
    goals.push(await timed('the sample service', 'output', () => start('documents/service/main.js', [], env)));
    return goals;
  } finally {
    await postgres.stop();
    await reaper.close();
  }
}

/** A program of dist/. */
function start(program: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return fork(`dist/${program}`, args, {
    execArgv: [],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

/** The median over some tries of how long a program takes to end, to send its first message or to print its first line. */
async function timed(name: string, sign: 'exit' | 'message' | 'output', begin: () => ChildProcess): Promise<Goal> {
  const times: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const startedMs = performance.now();
    const child = begin();
    const ended = once(child, 'exit');
    // Whoever prints must be read, or it would never end.
    child.stdout?.on('data', (text) => child.emit('output', text));
    await (sign === 'exit' ? ended : once(child, sign));
    times.push((performance.now() - startedMs) / 1000);
    child.kill();
    await ended;
  }
  const median = times.sort((a, b) => a - b)[TRIES >> 1] ?? Number.NaN;
  return {
    name: `${name}, as the package has it, from nothing to its answer`,
    measured: `${median.toFixed(2)} s (median of ${TRIES})`,
    goal: `< ${LIMIT_S} s`,
    reached: median < LIMIT_S,
  };
}

const [, main] = process.argv;
if (import.meta.url === pathToFileURL(main ?? '').href) console.log(await benchStart());
