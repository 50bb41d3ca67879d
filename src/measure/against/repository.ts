import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, realpathSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { buildingFolder } from './snapshots.ts';

/** A git repository of the user, which is only read. */
export interface Repository {
  /** Its top folder. */
  readonly root: string;
  /** Output of a git command, by default with a copy of its index. Throws what `execFile` throws. */
  git(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string>;
  /** That, as a list of what `-z` separates. */
  list(args: readonly string[]): Promise<string[]>;
  /** Removes the copy of the index. */
  close(): void;
}

/** Names that a hook of git sets, and that would name another repository. */
const OWN = /^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY)$/;
/** Lists of files are no longer. */
const MOST_BYTES = 256 * 2 ** 20;
/** Nothing of git's watches the folder, or writes beside the index. */
const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.untrackedCache=false'];

/**
 * The repository that a folder is in. Its index is copied, since git writes it even where it is only asked. Throws PgsweepError
 * `usage` where there is no git or no repository. `mark` goes into the environment of git.
 */
export async function openRepository(folder: string, mark: NodeJS.ProcessEnv = {}): Promise<Repository> {
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN.test(name))),
    GIT_OPTIONAL_LOCKS: '0',
    ...mark,
  };
  const run = async (at: string, args: readonly string[], more: NodeJS.ProcessEnv): Promise<string> => {
    const options = { env: { ...env, ...more }, maxBuffer: MOST_BYTES };
    return (await promisify(execFile)('git', ['-C', at, ...QUIET, ...args], options)).stdout;
  };
  const [root = '', index = ''] = await run(folder, ['rev-parse', '--show-toplevel', '--git-path', 'index'], {}).then(
    (text) => text.split('\n'),
    (cause) => {
      throw new PgsweepError('usage', `--against needs a git repository, and ${folder} is in none that git can read`, {
        hint: whyNot(cause),
        cause,
      });
    },
  );
  const own = buildingFolder('index');
  const [before, copy] = [resolve(folder, index), join(own, 'index')];
  if (existsSync(before)) copyIndex(before, copy);
  const git = (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> =>
    run(root, args, { GIT_INDEX_FILE: copy, ...more });
  return {
    root: realpathSync(root),
    git,
    list: async (args) => (await git(args)).split('\0').filter((name) => name !== ''),
    close: () => rmSync(own, { recursive: true, force: true }),
  };
}

/** Its time stays as it was: git takes files for unchanged that were written before their index. */
function copyIndex(from: string, to: string): void {
  copyFileSync(from, to);
  const seconds = Math.floor(statSync(from).mtimeMs / 1000);
  utimesSync(to, seconds, seconds);
}

function whyNot(cause: unknown): string {
  const { code } = cause as { readonly code?: unknown };
  if (code === 'ENOENT') return 'There is no program git, or no such folder.';
  return messageOf(cause).split('\n').slice(1).join(' ').trim() || messageOf(cause);
}

/** A path below the top folder, with `/`; null for one outside of it. */
export function pathIn(root: string, path: string): string | null {
  const real = existsSync(path) ? realpathSync(path) : path;
  const inside = relative(root, real).split(sep).join('/');
  return inside === '..' || inside.startsWith('../') || resolve(root, inside) !== real ? null : inside;
}
