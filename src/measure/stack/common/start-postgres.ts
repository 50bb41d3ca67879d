import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import pg from 'pg';
import { PgsweepError } from '../../../base/errors.ts';
import { fileMode } from '../../../base/files/own-files.ts';
import { type ProcessExit, spawnWatched, type WatchedProcess } from '../../../base/process/child-process.ts';
import { sharedMemoryOf } from '../../../base/process/shared-memory.mjs';
import { type ServerContext, serverProgram, superuser } from '../embedded/init-cluster.ts';
import { query } from './query.ts';
import { blamedSetting, type Settings, settingsIn } from './settings.ts';
import { portTaken, refuseTakenPort } from './taken-port.ts';

/** Where a server listens. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface ServerProcess {
  address: ServerAddress;
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

const LOOPBACK = '127.0.0.1';
const freePortTries = 3;
/** How long a server may take to answer, and how long it may refuse for a reason that is not that it starts. */
const readyLimits = { startingMs: 60_000, refusalMs: 2000 };
const readyPollMs = 10;

/**
 * Starts `postgres` and waits until it answers a query from outside. A free port that someone else takes first is
 * replaced, twice. Throws PgsweepError('stack') with the log's last lines; nothing is then left running.
 */
export async function startServer(context: ServerContext, start: ServerStart): Promise<ServerProcess> {
  if (start.port !== undefined) await refuseTakenPort('Postgres', start.port);
  for (let attempt = 1; ; attempt++) {
    const port = start.port ?? (await getPort({ host: LOOPBACK }));
    // The log of an earlier try, or an earlier server, says nothing about this one.
    await writeFile(start.logFile, '', { mode: fileMode() });
    const server = await spawnServer(context, start, port);
    const watchMemory = (): void => context.reaper.watchMemory(server.pid, sharedMemoryOf(server.pid));
    // Again and again, since one that is killed before it is ready leaves memory behind, too.
    const ask = (url: string): Promise<unknown> => {
      watchMemory();
      return askOnce(url);
    };
    const address = { host: LOOPBACK, port };
    const failure = await waitUntilReady(server.exited, superuserUrl(address, start.password), { ask });
    if (failure === undefined) {
      watchMemory();
      return { address, process: server, logFile: start.logFile };
    }
    await server.stop({ graceMs: 2000 });
    const lost = server.tail().some((line) => line.includes('Address already in use'));
    if (lost && start.port === undefined && attempt < freePortTries) continue;
    const settings = settingsIn(await readFile(join(start.data, 'postgresql.conf'), 'utf8').catch(() => ''));
    throw cannotStart(failure, server.tail(), port, settings);
  }
}

/** The URL of a database of the server, for the superuser. */
export function superuserUrl({ host, port }: ServerAddress, password: string, database = 'postgres'): string {
  return `postgres://${superuser}:${password}@${host}:${port}/${encodeURIComponent(database)}`;
}

function spawnServer(context: ServerContext, { data, logFile }: ServerStart, port: number): Promise<WatchedProcess> {
  const plumbing = { listen_addresses: LOOPBACK, port, unix_socket_directories: '' };
  const args = Object.entries(plumbing).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawnWatched({
    ...serverProgram(context, 'postgres', ['-D', data, ...args]),
    reaper: context.reaper,
    logFile,
    stopSignal: 'SIGQUIT',
  });
}

/**
 * Returns why the server at a URL does not get ready before it ends, or undefined when it is. `ask` fails as long as the
 * server does not answer.
 */
export async function waitUntilReady(
  exited: Promise<ProcessExit>,
  url: string,
  {
    ask = askOnce,
    limits = readyLimits,
  }: { ask?: (url: string) => Promise<unknown>; limits?: typeof readyLimits } = {},
): Promise<string | undefined> {
  const ended = exited.then(({ code, signal }) => new ServerEnded(signal ?? `exit code ${code}`));
  const begin = performance.now();
  const timeIsUp = new AbortController();
  const overdue = sleep(limits.startingMs, new Error('no answer to SELECT 1'), {
    signal: timeIsUp.signal,
    ref: false,
  }).catch(asError);
  try {
    for (;;) {
      // An open port is not enough: the server accepts connections that it refuses while it recovers. The password also
      // tells it from a foreign server that has taken the port, and which may never answer: hence the race.
      const error = await Promise.race([ask(url).then(() => undefined, asError), ended, overdue]);
      if (error === undefined) return undefined;
      if (error instanceof ServerEnded) return error.message;
      const limitMs = isRefusal(error) ? limits.refusalMs : limits.startingMs;
      if (performance.now() >= begin + limitMs) return `did not answer within ${limitMs / 1000} s (${error.message})`;
      await sleep(readyPollMs);
    }
  } finally {
    timeIsUp.abort();
  }
}

function askOnce(url: string): Promise<unknown> {
  return query(url, 'SELECT 1');
}

class ServerEnded extends Error {
  constructor(how: string) {
    super(`ended with ${how}`);
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** True if a server refused for good. A slow or starting one does not answer, or answers 57P03. */
function isRefusal(error: Error): boolean {
  if (error instanceof pg.DatabaseError) return error.code !== '57P03';
  return /SSL|SASL/.test(error.message);
}

/** The error of a server that has not started, with its log's last lines. */
export function cannotStart(why: string, log: readonly string[], port: number, settings: Settings = {}): PgsweepError {
  if (log.some((line) => line.includes('Address already in use'))) return portTaken('Postgres', port, 'it is in use');
  const setting = blamedSetting(log, settings);
  const blame = setting === undefined ? '' : `, because of the setting "${setting}"`;
  // A setting that Postgres itself names, or whose value it does not take, is a mistake of the scenario.
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
