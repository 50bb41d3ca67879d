import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeWhole } from '../files/disk.ts';
import { fileMode } from '../files/own-files.ts';
import { createMasker, mayHoldSecrets } from '../secrets.ts';
import { createLineTail, readFileTail } from './child-process-tail.ts';
import type { Reaper } from './reaper.ts';
import { isRunning, sendSignal } from './reaper-processes.mjs';

export interface SpawnOptions {
  /** A program and its arguments, or one line for the shell. */
  command: readonly [program: string, ...args: string[]] | string;
  reaper: Reaper;
  cwd?: string;
  /** The whole environment of the child; this process's own where left out. */
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** Opens a channel for messages: `child.send(...)`, `child.on('message', ...)`. */
  ipc?: boolean;
  /**
   * All output is appended to this file: by the child itself, since a bench that is busy then never holds its child up,
   * or where secrets are known through this process, which masks them.
   */
  logFile?: string;
  /** How many lines `tail()` returns. */
  tailLines?: number;
  /** Signal that asks the child to end, in `stop()` and when this process dies. */
  stopSignal?: NodeJS.Signals;
}

export interface StopOptions {
  signal?: NodeJS.Signals;
  /** How long the child and its own children may take before SIGKILL. */
  graceMs?: number;
}

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ProcessStop extends ProcessExit {
  /** It, or its own child, did not end when it was asked to. */
  killed: boolean;
}

/** A running child that leads its own process group and that the reaper knows. */
export interface WatchedProcess {
  readonly pid: number;
  /** For messages; end the process by `stop`. */
  readonly child: ChildProcess;
  /** Settles when the child has ended by itself or by `stop`; never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** The last lines of its output, both streams mixed. */
  tail(): string[];
  /** Ends the child and its whole group; resolves when all of them are gone. Later calls wait for the first. */
  stop(options?: StopOptions): Promise<ProcessStop>;
}

const defaultTailLines = 100;
const defaultGraceMs = 5000;
const killedMs = 10_000;
const pollMs = 10;
const lastOutputMs = 250;
// Windows knows neither process groups nor signals: there only the child itself is ended.
const hasGroups = process.platform !== 'win32';

/**
 * Starts a child in its own process group: a terminal's Ctrl-C then reaches only the bench, which stops its
 * children in order. Rejects with an Error whose cause is the system's, when the child cannot be started.
 */
export async function spawnWatched(options: SpawnOptions): Promise<WatchedProcess> {
  const { reaper, tailLines = defaultTailLines, stopSignal = 'SIGTERM', logFile } = options;
  const { child, logFrom } = startLogged(options);
  const output = createLineTail(tailLines);
  if (logFile === undefined) for (const stream of streamsOf(child)) stream.on('data', output.reader());
  // Only a child that could not be spawned has no pid.
  const pid = child.pid ?? 0;
  const target = { pid, group: hasGroups };
  // At once: nobody else would end it, should this process be killed now.
  if (pid !== 0) reaper.watch(pid, { signal: stopSignal, group: hasGroups });
  const exited = exitOf(child);
  await spawned(child, options);
  // Once nothing is left the system may give the pid to another process, which neither `stop` nor the reaper may touch.
  let gone = false;
  child.once('exit', () => {
    gone = !isRunning(target);
    if (gone) reaper.forget(pid);
  });

  let stopping: Promise<ProcessStop> | undefined;
  const stop = async ({ signal = stopSignal, graceMs = defaultGraceMs }: StopOptions): Promise<ProcessStop> => {
    let killed = false;
    if (!gone && isRunning(target)) {
      sendSignal(target, signal);
      if (!(await isGone(target, graceMs))) {
        killed = true;
        sendSignal(target, 'SIGKILL');
        if (!(await isGone(target, killedMs))) throw new Error(`process ${pid} does not end, not even by SIGKILL`);
      }
    }
    reaper.forget(pid);
    return { ...(await exited), killed };
  };
  return {
    pid,
    child,
    exited,
    tail: () => (logFile === undefined ? output.lines() : readFileTail(logFile, tailLines, logFrom)),
    stop(stopOptions = {}) {
      stopping ??= stop(stopOptions);
      return stopping;
    },
  };
}

/** Waits until a child has ended, and ends it where the signal is aborted. */
export async function endOf(
  child: Pick<WatchedProcess, 'exited' | 'stop'>,
  signal: AbortSignal | undefined,
): Promise<{ readonly code: number | null; readonly how: string }> {
  const stop = (): void => void child.stop();
  signal?.addEventListener('abort', stop, { once: true });
  // While it was spawned nobody listened.
  if (signal?.aborted) stop();
  const { code, signal: by } = await child.exited;
  signal?.removeEventListener('abort', stop);
  return { code, how: by ?? `exit code ${code}` };
}

/**
 * Starts the child once its log is open: a child whose log cannot be opened would run on, and no one would know it. `logFrom`: where
 * its output begins, after that of children before it.
 */
function startLogged(options: SpawnOptions): { readonly child: ChildProcess; readonly logFrom: number } {
  const log = options.logFile === undefined ? null : openSync(options.logFile, 'a', fileMode());
  const logFrom = log === null ? 0 : fstatSync(log).size;
  let masked: readonly Readable[] = [];
  try {
    const isMasked = mayHoldSecrets();
    const child = start(options, log === null || isMasked ? 'pipe' : log);
    if (log !== null && isMasked) {
      masked = streamsOf(child);
      appendMasked(masked, log);
    }
    return { child, logFrom };
  } finally {
    if (log !== null && masked.length === 0) closeSync(log);
  }
}

function start({ command, reaper, cwd, env = process.env, uid, gid, ipc }: SpawnOptions, output: number | 'pipe') {
  const [program, ...args] = typeof command === 'string' ? [command] : command;
  return spawn(program, args, {
    shell: typeof command === 'string',
    detached: hasGroups,
    stdio: ipc ? ['ignore', output, output, 'ipc'] : ['ignore', output, output],
    windowsHide: true,
    env: { ...env, ...reaper.mark },
    ...(cwd !== undefined && { cwd }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  });
}

/** Pipes that the child's output comes by; none where it writes to a file, or could not be started. */
function streamsOf({ stdout, stderr }: ChildProcess): Readable[] {
  return [stdout, stderr].filter((stream) => stream !== null && stream !== undefined);
}

function spawned(child: ChildProcess, { command, cwd }: SpawnOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    // Stays for the child's whole life: a message that cannot be sent is an 'error' too, and must not end the bench.
    child.on('error', (cause: NodeJS.ErrnoException) => {
      const name = typeof command === 'string' ? command : command[0];
      reject(new Error(`cannot start ${name}: ${whyNotStarted(cause, cwd)}`, { cause }));
    });
  });
}

function whyNotStarted(error: NodeJS.ErrnoException, cwd: string | undefined): string {
  // The system answers ENOENT for both, and the folder is the one that people do not think of.
  if (error.code === 'ENOENT') {
    return cwd !== undefined && !existsSync(cwd) ? `its folder ${cwd} does not exist` : 'no such program';
  }
  return error.code === 'EACCES' ? 'permission denied' : error.message;
}

function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const settle = (): void => resolve({ code, signal });
      // Its last words may still be in the pipe; its own child that holds the pipe open must not delay the news.
      child.once('close', settle);
      setTimeout(settle, lastOutputMs).unref();
    });
  });
}

async function isGone(target: { pid: number; group: boolean }, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (isRunning(target)) {
    if (performance.now() >= end) return false;
    await sleep(pollMs);
  }
  return true;
}

/** Appends what comes by some streams to an open file, as it comes, with known secrets masked, and closes it in the end. */
function appendMasked(streams: readonly Readable[], log: number): void {
  const write = (bytes: Buffer): void => {
    try {
      writeWhole(log, bytes);
    } catch {
      // What has no room is lost, as it would be to a child that writes by itself: the journal beside it says so.
    }
  };
  let open = streams.length;
  for (const stream of streams) {
    const masker = createMasker();
    stream.on('data', (chunk: Buffer) => write(masker.push(chunk)));
    stream.once('close', () => {
      write(masker.end());
      if (--open === 0) closeSync(log);
    });
  }
}
