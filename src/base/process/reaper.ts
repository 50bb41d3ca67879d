import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Ledger, LeftLedger } from './ledger.ts';
import { identityOf, readProcess } from './reaper-processes.mjs';

export interface WatchOptions {
  /** Signal that asks the process to end. It gets some seconds, then SIGKILL. */
  signal: NodeJS.Signals;
  /** True if the process leads a process group, which is then signalled as a whole. */
  group: boolean;
}

/**
 * A small process beside this one that ends processes and removes folders when this process is gone, for whatever
 * reason. A pid that has been given to another process meanwhile is left alone (Linux: by its start time). A guard that
 * dies is replaced by another with the same list.
 */
export interface Reaper {
  /** The pid of the guard that lives now. */
  readonly pid: number;
  /**
   * A variable in the environment of all that is started for this bench. By it the guard finds (on Linux) what was started
   * and not yet told of when the bench was killed.
   */
  readonly mark: Readonly<Record<string, string>>;
  watch(pid: number, options: WatchOptions): void;
  forget(pid: number): void;
  watchFolder(path: string): void;
  forgetFolder(path: string): void;
  /**
   * A program to run, with some variables over this process's, once the processes have gone: one that removes
   * containers, or databases of another server. Of several the last comes first.
   */
  watchCommand(id: string, command: readonly [program: string, ...args: string[]], env?: CommandEnv): void;
  forgetCommand(id: string): void;
  /** Shared memory of a Postgres server, which it removes itself unless it is killed. Nothing to forget: it is then gone. */
  watchMemory(postmaster: number, memory: SharedMemory): void;
  /** Ends the guard, which first ends whatever is still watched. Resolves when it has gone. */
  close(): Promise<void>;
}

/** Variables of a command. */
export interface CommandEnv {
  readonly variables: NodeJS.ProcessEnv;
  /** Over those, and written down nowhere. */
  readonly secrets: NodeJS.ProcessEnv;
}

/** Shared memory of the system that a Postgres server holds. */
export interface SharedMemory {
  /** Files in /dev/shm. */
  readonly files: readonly string[];
  /** Identifiers of System V segments. */
  readonly segments: readonly number[];
}

type Message =
  | { watch: WatchOptions & { pid: number; startTime: string | undefined } }
  | { forget: number }
  | { folder: string; identity: string | undefined }
  | { forgetFolder: string }
  | { command: { id: string; command: readonly string[]; env: NodeJS.ProcessEnv } }
  | { forgetCommand: string }
  | { memory: SharedMemory & { postmaster: number } }
  /** The mark, as it stands in an environment. */
  | { mark: string }
  /** The bench ends by itself, and has told of all that it started. */
  | { closing: true }
  /** Ledger file, removed when all is done. */
  | { ledger: string };

const MARK = 'PGSWEEP_BENCH';
// Longer than the 5 s after which a Postgres in immediate shutdown kills its own stuck children.
const defaultGraceMs = 7000;
/** A guard that dies more often is killed by something that will kill the next one too. */
const MOST_GUARDS = 20;

interface ReaperOptions {
  readonly graceMs?: number;
  /** Where what is watched is written down as well. */
  readonly ledger?: Ledger | null;
  readonly onReplaced?: () => void;
}

/** Starts the guard process. It does not keep this process alive, and a guard that dies does not end it. */
export function startReaper({ graceMs = defaultGraceMs, ledger = null, onReplaced }: ReaperOptions = {}): Reaper {
  /** Messages to the guard, by subject. */
  const sent = new Map<string, Message>();
  let closing = false;
  let guards = 0;
  let guard: ChildProcess;
  let gone: Promise<void>;
  const start = (): void => {
    guards++;
    guard = startGuard([String(graceMs)]);
    guard.unref();
    if (guard.stdin instanceof Socket) guard.stdin.unref();
    gone = goneOf(guard);
    for (const message of sent.values()) write(guard, message);
    void gone.then(() => {
      if (closing || guards >= MOST_GUARDS) return;
      start();
      onReplaced?.();
    });
  };
  const send = (key: string, message: Message, forgets: boolean, written = message): void => {
    if (forgets) sent.delete(key);
    else sent.set(key, message);
    write(guard, message);
    ledger?.add(written);
  };
  if (ledger !== null) sent.set('ledger', { ledger: ledger.file });
  start();
  const id = randomUUID();
  send('mark', { mark: `${MARK}=${id}` }, false);
  return {
    mark: { [MARK]: id },
    get pid() {
      return guard.pid ?? 0;
    },
    watch: (pid, options) =>
      send(`pid ${pid}`, { watch: { pid, startTime: readProcess(pid)?.startTime, ...options } }, false),
    forget: (pid) => send(`pid ${pid}`, { forget: pid }, true),
    watchFolder(path) {
      if (!isAbsolute(path) || dirname(path) === path)
        throw new RangeError(`watchFolder: not a folder to lose: ${path}`);
      send(`folder ${path}`, { folder: path, identity: identityOf(path) }, false);
    },
    forgetFolder: (path) => send(`folder ${path}`, { forgetFolder: path }, true),
    watchCommand(id, command, { variables, secrets } = { variables: {}, secrets: {} }) {
      const withEnv = (env: NodeJS.ProcessEnv): Message => ({ command: { id, command, env } });
      send(`command ${id}`, withEnv({ ...variables, ...secrets }), false, withEnv(variables));
    },
    forgetCommand: (id) => send(`command ${id}`, { forgetCommand: id }, true),
    watchMemory(postmaster, memory) {
      const key = `memory ${postmaster}`;
      const message = { memory: { postmaster, ...memory } };
      if (!isDeepStrictEqual(sent.get(key), message)) send(key, message, false);
    },
    async close() {
      closing = true;
      write(guard, { closing: true });
      guard.ref();
      guard.stdin?.end();
      await gone;
    },
  };
}

/**
 * Ends and removes what a bench left that is gone, by its ledger, as its guard would have. `env` is what commands need
 * besides what is written down. Returns what was found: lines for people.
 */
export async function cleanUpAfter(left: LeftLedger, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const guard = startGuard([String(defaultGraceMs), left.sameBoot ? 'left' : 'left-before-boot'], env);
  let output = '';
  guard.stdout?.on('data', (chunk) => {
    output += String(chunk);
  });
  const gone = new Promise<void>((resolve) => {
    guard.once('close', () => resolve());
    guard.once('error', () => resolve());
  });
  guard.stdin?.end(left.messages.map((line) => `${line}\n`).join(''));
  await gone;
  const found = output.split('\n').filter((line) => line !== '');
  // What could not be removed, such as a container while its engine is down, is to be found again.
  if (!found.some(isLeft)) rmSync(left.file, { force: true });
  return found;
}

/** True if a line of `cleanUpAfter` is about something that still exists. */
export function isLeft(found: string): boolean {
  return [' could not be removed: ', ' could not be ended: '].some((words) => found.includes(words));
}

function startGuard(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const script = fileURLToPath(new URL('./reaper.mjs', import.meta.url));
  const guard = spawn(process.execPath, ['--max-old-space-size=16', '--max-semi-space-size=1', script, ...args], {
    // Its own session, so that no Ctrl-C and no hang-up of the terminal reaches it.
    detached: true,
    stdio: ['pipe', args.length > 1 ? 'pipe' : 'ignore', 'ignore'],
    cwd: dirname(script),
    // The bench's own NODE_OPTIONS (a loader, an inspector port) are not for the guard.
    env: { ...process.env, ...env, NODE_OPTIONS: '' },
  });
  // Without a listener a guard that was killed would end the bench by EPIPE.
  guard.stdin?.on('error', () => {});
  return guard;
}

function goneOf(guard: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    guard.once('exit', () => resolve());
    guard.once('error', () => resolve());
  });
}

function write({ stdin }: ChildProcess, message: Message): void {
  if (stdin?.writable) stdin.write(`${JSON.stringify(message)}\n`);
}
