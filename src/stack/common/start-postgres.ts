import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import { PgsweepError } from '../../base/errors.ts';
import { fileMode } from '../../base/files/own-files.ts';
import { type ProcessExit, spawnWatched, type WatchedProcess } from '../../base/process/child-process.ts';
import { sharedMemoryOf } from '../../base/process/shared-memory.mjs';
import { type ServerContext, serverProgram, superuser } from '../embedded/init-cluster.ts';
import { query } from './query.ts';
import { blamedSetting } from './settings.ts';
import { portTaken, refuseTakenPort } from './taken-port.ts';

export interface ServerProcess {
  port: number;
  process: WatchedProcess;
  logFile: string;
}

export interface ServerStart {
  data: string;
  password: string;
  /** A fixed port, which is an error when taken. */
  port?: number | undefined;
  logFile: string;
}

const freePortTries = 3;
const readyLimitMs = 60_000;
/** For errors that are not those of a server which is still starting. */
const refusalLimitMs = 2000;
const readyPollMs = 10;

/**
 * Starts `postgres` and waits until it answers a query from outside. A free port that someone else takes first is
 * replaced, twice. Throws PgsweepError('stack') with the log's last lines; nothing is then left running.
 */
export async function startServer(context: ServerContext, start: ServerStart): Promise<ServerProcess> {
  if (start.port !== undefined) await refuseTakenPort('Postgres', start.port);
  for (let attempt = 1; ; attempt++) {
    const port = start.port ?? (await getPort({ host: '127.0.0.1' }));
    // The log of an earlier try, or an earlier server, says nothing about this one.
    await writeFile(start.logFile, '', { mode: fileMode() });
    const server = await spawnServer(context, start, port);
    const failure = await waitUntilReady(server.exited, superuserUrl(port, start.password));
    if (failure === undefined) {
      context.reaper.watchMemory(server.pid, sharedMemoryOf(server.pid));
      return { port, process: server, logFile: start.logFile };
    }
    await server.stop({ graceMs: 2000 });
    const lost = server.tail().some((line) => line.includes('Address already in use'));
    if (!lost || start.port !== undefined || attempt === freePortTries) throw cannotStart(failure, server.tail(), port);
  }
}

/** The URL of a database of the server, for the superuser. */
export function superuserUrl(port: number, password: string, database = 'postgres'): string {
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

function spawnServer(context: ServerContext, { data, logFile }: ServerStart, port: number): Promise<WatchedProcess> {
  const plumbing = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '' };
  const args = Object.entries(plumbing).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawnWatched({
    ...serverProgram(context, 'postgres', ['-D', data, ...args]),
    reaper: context.reaper,
    logFile,
    stopSignal: 'SIGQUIT',
  });
}

/** Returns why the server at a URL does not get ready before it ends, or undefined when it is. */
export async function waitUntilReady(exited: Promise<ProcessExit>, url: string): Promise<string | undefined> {
  const ended = exited.then(({ code, signal }) => new ServerEnded(signal ?? `exit code ${code}`));
  const begin = performance.now();
  for (;;) {
    // An open port is not enough: the server accepts connections that it refuses while it recovers. The password also
    // tells it from a foreign server that has taken the port, and which may never answer: hence the race.
    const error = await Promise.race([query(url, 'SELECT 1').then(() => undefined, asError), ended]);
    if (error === undefined) return undefined;
    if (error instanceof ServerEnded) return error.message;
    const limitMs = isStillStarting(error) ? readyLimitMs : refusalLimitMs;
    if (performance.now() > begin + limitMs) return `did not answer within ${limitMs / 1000} s (${error.message})`;
    await sleep(readyPollMs);
  }
}

class ServerEnded extends Error {
  constructor(how: string) {
    super(`ended with ${how}`);
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function isStillStarting(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  // The last is what a published port of a container does whose server does not listen yet.
  return ['ECONNREFUSED', 'ECONNRESET', '57P03'].includes(code) || /terminated unexpectedly/.test(error.message);
}

/** The error of a server that has not started, with its log's last lines. */
export function cannotStart(why: string, log: readonly string[], port: number): PgsweepError {
  if (log.some((line) => line.includes('Address already in use'))) return portTaken('Postgres', port, 'it is in use');
  const setting = blamedSetting(log);
  const blame = setting === undefined ? '' : `, because of the setting "${setting}"`;
  // A setting that Postgres itself names, or whose value it does not take, is the scenario's to mend.
  const isNamed = log.some((line) => line.includes(`parameter "${setting}"`));
  return new PgsweepError(
    isNamed ? 'scenario' : 'stack',
    `Postgres ${why}${blame}. Its log ends with:\n${log.slice(-15).join('\n')}`,
    {
      hint:
        setting === undefined
          ? 'The log names the cause. Where it does not, unset variables such as PGSSLMODE and PGOPTIONS: clients obey them.'
          : `Correct or remove ${setting} in the settings of the stack.`,
      setting,
    },
  );
}
