import { execFileSync } from 'node:child_process';
import { messageOf, PgsweepError } from '../../base/errors.ts';

/** Each byte as a character: the name of a file need not be UTF-8. */
export const BYTES = 'latin1';

/** The output of git, or why there is none. */
type Ran = { readonly out: string } | { readonly status: number | null; readonly reason: string };

/** The output of git; null where it fails or is not installed. */
export function git(args: readonly string[], input = ''): string | null {
  const ran = runGit(args, input);
  return 'out' in ran ? ran.out : null;
}

/** The output of git for a command about a ref. Throws PgsweepError `usage` with git's own words where it fails. */
export function gitFor(ref: string, args: readonly string[], input = '', encoding?: typeof BYTES): string {
  const ran = runGit(args, input, encoding);
  if ('out' in ran) return ran.out;
  throw gitFailed(ref, args, ran.reason);
}

/** The error of a git command about a ref. */
export function gitFailed(ref: string, [command]: readonly string[], reason: string): PgsweepError {
  return new PgsweepError('usage', `git ${command} failed for ${ref}${reason === '' ? '' : `: ${reason}`}`, {
    hint: 'Is this a git repository, and the name a ref such as refs/pgsweep/history?',
  });
}

/** Runs git in the working folder. A user without a name in git commits as pgsweep. */
export function runGit(args: readonly string[], input = '', encoding: 'utf8' | typeof BYTES = 'utf8'): Ran {
  const who = { GIT_AUTHOR_NAME: 'pgsweep', GIT_AUTHOR_EMAIL: 'pgsweep@localhost' };
  const committer = { GIT_COMMITTER_NAME: 'pgsweep', GIT_COMMITTER_EMAIL: 'pgsweep@localhost' };
  try {
    const out = execFileSync('git', args, {
      input,
      encoding,
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 256 * 1024 * 1024,
      env: { ...who, ...committer, ...process.env },
    });
    return { out };
  } catch (error) {
    if (messageOf(error).includes('ENOBUFS')) throw error;
    const { status = null, stderr = '' } = error as { readonly status?: number | null; readonly stderr?: unknown };
    return { status, reason: String(stderr).trim() };
  }
}
