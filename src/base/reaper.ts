import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { dirname, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface WatchOptions {
  /** What asks the process to end. It gets some seconds, then SIGKILL. */
  signal: NodeJS.Signals;
  /** Whether the process leads a process group, which is then signalled as a whole. */
  group: boolean;
}

/**
 * A small process beside this one that ends processes and removes folders when this process is gone, for whatever
 * reason. A pid that has been given to another process meanwhile is left alone (Linux: by its start time).
 */
export interface Reaper {
  readonly pid: number;
  watch(pid: number, options: WatchOptions): void;
  forget(pid: number): void;
  watchFolder(path: string): void;
  forgetFolder(path: string): void;
  /**
   * A program to run, with some variables over this process's, once the processes have gone: one that removes
   * containers, or databases of another server. Of several the last comes first.
   */
  watchCommand(id: string, command: readonly [program: string, ...args: string[]], env?: NodeJS.ProcessEnv): void;
  forgetCommand(id: string): void;
  /** Ends the guard, which first ends whatever is still watched. Resolves when it has gone. */
  close(): Promise<void>;
}

type Message =
  | { watch: WatchOptions & { pid: number } }
  | { forget: number }
  | { folder: string }
  | { forgetFolder: string }
  | { command: { id: string; command: readonly string[]; env: NodeJS.ProcessEnv } }
  | { forgetCommand: string };

// Longer than the 5 s after which a Postgres in immediate shutdown kills its own stuck children.
const defaultGraceMs = 7000;

/** Starts the guard process. It does not keep this process alive, and a guard that dies does not end it. */
export function startReaper({ graceMs = defaultGraceMs }: { graceMs?: number } = {}): Reaper {
  const script = fileURLToPath(new URL('./reaper.mjs', import.meta.url));
  const guard = spawn(
    process.execPath,
    ['--max-old-space-size=16', '--max-semi-space-size=1', script, String(graceMs)],
    {
      // A session of its own, so that no Ctrl-C and no hang-up of the terminal reaches it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: dirname(script),
      // The bench's own NODE_OPTIONS (a loader, an inspector port) are not for the guard.
      env: { ...process.env, NODE_OPTIONS: '' },
    },
  );
  const gone = new Promise<void>((resolve) => {
    guard.once('exit', () => resolve());
    guard.once('error', () => resolve());
  });
  const { stdin } = guard;
  // Without a listener a guard that was killed would end the bench by EPIPE.
  stdin.on('error', () => {});
  if (stdin instanceof Socket) stdin.unref();
  guard.unref();

  const send = (message: Message): void => {
    if (stdin.writable) stdin.write(`${JSON.stringify(message)}\n`);
  };
  return {
    pid: guard.pid ?? 0,
    watch: (pid, options) => send({ watch: { pid, ...options } }),
    forget: (pid) => send({ forget: pid }),
    watchFolder(path) {
      if (!isAbsolute(path) || dirname(path) === path)
        throw new RangeError(`watchFolder: not a folder to lose: ${path}`);
      send({ folder: path });
    },
    forgetFolder: (path) => send({ forgetFolder: path }),
    watchCommand: (id, command, env = {}) => send({ command: { id, command, env } }),
    forgetCommand: (id) => send({ forgetCommand: id }),
    close() {
      guard.ref();
      stdin.end();
      return gone;
    },
  };
}
