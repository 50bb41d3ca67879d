import { randomBytes } from 'node:crypto';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import pg from 'pg';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { spawnWatched, type WatchedProcess } from '../../../base/process/child-process.ts';
import { readFileTail } from '../../../base/process/child-process-tail.ts';
import type { PoolerSpec } from '../../../journal/link/pooler.ts';
import { query } from '../../stack/common/query.ts';
import { makeServerFolder, type ServerFolder } from '../../stack/common/server-folder.ts';
import { docker } from '../../stack/docker/engine.ts';
import { findServerUser, type ServerUser } from '../../stack/embedded/server-user.ts';
import type { LinkKind, LinkOptions, OpenedLink } from '../link.ts';
import { CONSOLE_USER, partsOf, pgbouncerIni, userlist } from './config.ts';
import { containerOf, pgBouncerOf, pidOf } from './container.ts';
import { findPgBouncer, type PgBouncer, requireFeatures } from './program.ts';
import { settingMistake } from './setting-mistake.ts';

/** A PgBouncer between a service and its database. */
export const poolerLink: LinkKind = {
  isWanted: ({ variant }) => variant.pooler !== undefined,
  open(options) {
    const { pooler } = options.variant;
    if (pooler === undefined) throw new Error(`no pooler is wanted for ${options.variant.name}`);
    return openPooler(options, pooler);
  },
};

const PORT_TRIES = 3;
const READY_LIMIT_MS = 20_000;
const READY_POLL_MS = 10;
/** One of 1.23 and later waits for its clients when it is asked to end. It has nothing to lose. */
const STOP_GRACE_MS = 1000;

async function openPooler(options: LinkOptions, spec: PoolerSpec): Promise<OpenedLink> {
  const { reaper, signal } = options;
  const bouncer = spec.image === undefined ? await findPgBouncer() : await pgBouncerOf(spec.image, reaper, signal);
  requireFeatures(bouncer, spec);
  const user = await findServerUser();
  const folder = await makeServerFolder(user, options.reaper, 'PgBouncer');
  const closers: (() => Promise<unknown>)[] = [() => folder.remove()];
  const close = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const closer of closers.splice(0).reverse()) await closer().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  try {
    const running = await start({ ...options, spec, bouncer, user, folder });
    closers.push(running.stop);
    // One that has ended has closed it.
    closers.push(() => running.console.close().catch(() => {}));
    await requireDatabase(running.url, folder);
    await running.console.reconnect();
    return {
      url: running.url,
      pids: [running.pid],
      exited: running.exited,
      pooler: { pid: running.pid, show: running.console.show },
      verify: async () => ({ pooler: { version: bouncer.version, asked: spec } }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Start extends LinkOptions {
  readonly spec: PoolerSpec;
  readonly bouncer: PgBouncer;
  readonly user: ServerUser | undefined;
  readonly folder: ServerFolder;
}

interface Running {
  readonly pid: number;
  readonly console: Console;
  readonly exited: Promise<string>;
  /** For the service. */
  readonly url: string;
  stop(): Promise<unknown>;
}

/** Starts it, and waits until its console answers. A free port that somebody else takes first is replaced, twice. */
async function start(how: Start, tries = 1): Promise<Running> {
  const { databaseUrl, spec, bouncer, reaper, user, folder, signal } = how;
  signal.throwIfAborted();
  const port = await getPort({ host: '127.0.0.1' });
  const database = partsOf(databaseUrl);
  const passwords = { [database.user]: newPassword(), [CONSOLE_USER]: newPassword() };
  const [ini, users, log] = ['pgbouncer.ini', 'userlist.txt', 'log'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  await writePrivate(users, userlist(passwords), user);
  // In a container it is that user from the beginning.
  const runAs = spec.image === undefined ? (user?.name ?? null) : null;
  await writePrivate(ini, pgbouncerIni(spec, { databaseUrl, port, userlist: users, user: runAs }), user);
  const urlOf = (name: string, login: string): string =>
    `postgres://${encodeURIComponent(login)}:${passwords[login]}@127.0.0.1:${port}/${encodeURIComponent(name)}`;
  const owner = user ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const container = spec.image === undefined ? null : containerOf(spec.image, ini, folder.path, owner);
  if (container !== null) reaper.watchCommand(container.name, ['docker', 'rm', '--force', container.name]);
  const command = container?.command ?? ([bouncer.program, ini] as const);
  const child = await spawnWatched({ command, cwd: folder.path, reaper, logFile: log });
  const stop = async (): Promise<void> => {
    await child.stop({ graceMs: STOP_GRACE_MS });
    if (container === null) return;
    await docker(['rm', '--force', container.name]).catch(() => {});
    reaper.forgetCommand(container.name);
  };
  const ready = await consoleOf(child, urlOf('pgbouncer', CONSOLE_USER), signal);
  if (typeof ready !== 'string') {
    const pid = container === null ? child.pid : ((await pidOf(container)) ?? child.pid);
    const exited = child.exited.then(({ code, signal: by }) =>
      [`PgBouncer (${by ?? `exit code ${code}`}). Its log ends with:`, ...linesOf(folder)].join('\n'),
    );
    return { pid, console: ready, exited, url: urlOf(database.name, database.user), stop };
  }
  await stop();
  signal.throwIfAborted();
  const lines = linesOf(folder);
  if (tries < PORT_TRIES && lines.some((line) => /already in use/i.test(line))) return start(how, tries + 1);
  throw notStarted(ready, lines, bouncer.version);
}

/** URLs need no escapes for it, nor do its own files. */
function newPassword(): string {
  return randomBytes(18).toString('base64url');
}

async function writePrivate(file: string, text: string, user: ServerUser | undefined): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
  if (user) await chown(file, user.uid, user.gid);
}

/** Its console, or why there is none. */
async function consoleOf({ exited }: WatchedProcess, url: string, signal: AbortSignal): Promise<Console | string> {
  const end = performance.now() + READY_LIMIT_MS;
  let ended: string | null = null;
  void exited.then(({ code, signal: by }) => {
    ended = by ?? `exit code ${code}`;
  });
  for (;;) {
    try {
      return await openConsole(url);
    } catch (error) {
      if (ended !== null) return `ended with ${ended}`;
      if (signal.aborted || performance.now() > end) return `does not answer (${messageOf(error)})`;
    }
    await sleep(READY_POLL_MS);
  }
}

/** Last lines of PgBouncer's log. */
function linesOf(folder: ServerFolder): string[] {
  return readFileTail(join(folder.path, 'log'), 15);
}

function notStarted(why: string, lines: readonly string[], version: string): PgsweepError {
  const mistake = settingMistake(lines, version);
  return new PgsweepError(
    mistake === null ? 'stack' : 'scenario',
    mistake === null
      ? `PgBouncer ${why}. Its log ends with:\n${lines.join('\n')}`
      : `PgBouncer ${version} does not take the setting ${mistake.setting}. Its log ends with:\n${lines.join('\n')}`,
    { hint: mistake?.advice ?? 'The log names the cause. pooler.pgbouncer.settings are handed to it as they are.' },
  );
}

/** Before the service is: what it says of a database that it cannot reach may be anything. */
async function requireDatabase(url: string, folder: ServerFolder): Promise<void> {
  try {
    await query(url, 'SELECT 1');
  } catch (cause) {
    throw new PgsweepError(
      'stack',
      `PgBouncer does not reach the database: ${messageOf(cause)}. Its log ends with:\n${linesOf(folder).join('\n')}`,
      {
        hint: 'It logs in as the bench does, by the address of --postgres or of the Postgres that the bench started.',
        cause,
      },
    );
  }
}

/** PgBouncer's console, over one connection that stays: each new one would cost it a proof of the password. */
interface Console {
  /** The rows of SHOW STATS, SHOW POOLS, SHOW CONFIG. Throws pg's own errors. */
  show(what: 'STATS' | 'POOLS' | 'CONFIG'): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /**
   * Has it open its connections again before the next use. Each keeps the application_name of its last client for one that
   * sets none: sessions of the service would have the bench's name, and be left out of counts.
   */
  reconnect(): Promise<unknown>;
  close(): Promise<void>;
}

const CONNECT_LIMIT_MS = 5000;

/** Throws pg's own errors. */
async function openConsole(url: string): Promise<Console> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  // A PgBouncer that goes away also tells an idle client, by an event that would end the bench.
  client.on('error', () => {});
  await client.connect();
  return {
    show: async (what) => (await client.query(`SHOW ${what}`)).rows,
    reconnect: () => client.query('RECONNECT'),
    close: () => client.end(),
  };
}
