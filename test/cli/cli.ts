import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface CliResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunningCli {
  readonly pid: number;
  readonly done: Promise<CliResult>;
  /** Resolves when stderr holds the text. */
  until(text: string | RegExp): Promise<void>;
}

/** From TypeScript, as in a clone. */
export const clonedBin = resolve('src/cli/bin.mjs');
let usualBin = process.env.VITEST ? (await (await import('../support/needs.ts')).needs('built')).has : clonedBin;

/** Has this file of a command line run where none is named. */
export function useBin(file: string): void {
  usualBin = file;
}

/** What all programs that this process starts inherit, so that those can be told which are left. */
export const ownMark = `PGSWEEP_TEST_MARK=${randomUUID()}`;

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The file of the command line; as it is built where nothing is said. */
  readonly bin?: string;
  /** A command that runs the one behind it. */
  readonly through?: readonly string[];
}

/** Runs pgsweep as a user does: a process of its own. */
export function startCli(
  args: readonly string[],
  { cwd, env, bin = usualBin, through = [] }: CliOptions = {},
): RunningCli {
  const [name = '', mark] = ownMark.split('=');
  const [program, ...rest] = [...through, process.execPath, bin, ...args] as const;
  const child = spawn(program ?? '', rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: cwd ?? process.cwd(),
    env: { ...process.env, [name]: mark, ...env },
  });
  let out = '';
  let err = '';
  const waiting: (() => void)[] = [];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
    for (const look of waiting) look();
  });
  const done = new Promise<CliResult>((settle) => child.once('close', (code) => settle({ code, out, err })));
  return {
    pid: child.pid ?? 0,
    done,
    until: (text) =>
      new Promise((found, lost) => {
        const look = (): void => {
          if (typeof text === 'string' ? err.includes(text) : text.test(err)) found();
        };
        waiting.push(look);
        look();
        void done.then(() => lost(new Error(`ended without ${text}:\n${err}`)));
      }),
  };
}

export function cli(...args: string[]): Promise<CliResult> {
  return startCli(args).done;
}

/**
 * The exit code that goes with what was measured: whether a short session beside other load is fit is not for a test to
 * say, but that its exit code agrees with its summary is.
 */
export function exitCodeOf(run: string): 0 | 3 {
  const { session } = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8'));
  return session.verdict === 'fit' ? 0 : 3;
}
