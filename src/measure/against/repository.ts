import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { makeBuildFolder } from '../stack/embedded/user-cache.ts';
import { snapshotCache } from './snapshots.ts';

/** A git repository of the user, which is only read. */
export interface Repository {
  /** Its top folder. */
  readonly root: string;
  /** Output of a git command on a copy of the index. Throws what `execFile` throws. */
  git(args: readonly string[]): Promise<string>;
  /** That, as a list of what `-z` separates. */
  list(args: readonly string[]): Promise<string[]>;
  /** The folder as it lies there, without what git ignores, as a tree of git's. Throws PgsweepError `usage` where a file cannot be read. */
  workTree(): Promise<string>;
  /** Writes the files of a tree or commit into a folder, as a checkout would. The copy of the index is then of that. */
  checkOut(tree: string, folder: string): Promise<void>;
  /** Removes the copy of the index, and what `workTree` has written. */
  close(): void;
}

/** Names that a hook of git sets, and that would name another repository. */
const OWN = /^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|(ALTERNATE_)?OBJECT_DIRECTOR(Y|IES))$/;
/** Lists of files are no longer. */
const MOST_BYTES = 256 * 2 ** 20;
/** Nothing of git's watches the folder, writes beside the index, runs or complains. */
const QUIET = ['fsmonitor=false', 'untrackedCache=false', 'splitIndex=false', 'hooksPath=/dev/null', 'safecrlf=false'];

/**
 * The repository that a folder is in. Its index is copied, since git writes it even where it is only asked, and new objects are
 * written elsewhere. Throws PgsweepError `usage` where there is no git or no repository. `mark` goes into the environment of git.
 */
export async function openRepository(folder: string, mark: NodeJS.ProcessEnv = {}): Promise<Repository> {
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN.test(name))),
    GIT_OPTIONAL_LOCKS: '0',
    ...mark,
  };
  const run = async (at: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> => {
    const options = { env: { ...env, ...more }, maxBuffer: MOST_BYTES };
    const settings = QUIET.flatMap((one) => ['-c', `core.${one}`]);
    return (await promisify(execFile)('git', ['-C', at, ...settings, ...args], options)).stdout;
  };
  const places = ['--show-toplevel', '--git-path', 'index', '--git-path', 'objects'];
  const found = await run(folder, ['rev-parse', ...places]).catch((cause) => {
    throw new PgsweepError('usage', `--against needs a git repository, and ${folder} is in none that git can read`, {
      hint: whyNot(cause),
      cause,
    });
  });
  const [root = '', index = '', objects = ''] = found.split('\n').map((path) => resolve(folder, path));
  const own = await makeBuildFolder(snapshotCache(), 'git');
  const apart = { GIT_INDEX_FILE: join(own, 'index'), GIT_OBJECT_DIRECTORY: join(own, 'objects') };
  const all = objects.includes(delimiter) ? JSON.stringify(objects) : objects;
  mkdirSync(apart.GIT_OBJECT_DIRECTORY);
  if (existsSync(index)) copyIndex(index, apart.GIT_INDEX_FILE);
  const git = (args: readonly string[]): Promise<string> =>
    run(root, args, { ...apart, GIT_ALTERNATE_OBJECT_DIRECTORIES: all });
  return {
    root: realpathSync(root),
    git,
    list: async (args) => (await git(args)).split('\0').filter((name) => name !== ''),
    async workTree() {
      // It would renew the times of objects that it finds in the repository, so it sees none of them.
      await run(root, ['add', '--all'], apart).catch((cause) => {
        throw new PgsweepError('usage', `git cannot read the files of ${root}`, { hint: whyNot(cause), cause });
      });
      return (await run(root, ['write-tree', '--missing-ok'], apart)).trim();
    },
    async checkOut(tree, to) {
      await git(['read-tree', tree]);
      await git(['checkout-index', '--all', '--force', `--prefix=${to}/`]);
    },
    close: () => rmSync(own, { recursive: true, force: true }),
  };
}

/** The commit that a name stands for; null where git knows none. */
export async function commitOf({ git }: Repository, ref: string): Promise<string | null> {
  const found = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]).catch(() => '');
  return found.trim() || null;
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
  return below(root, existsSync(path) ? realpathSync(path) : path);
}

/** A path as `pathIn` has it; of a link where it lies, and not where it leads. */
export function pathAsNamed(root: string, path: string): string | null {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? below(root, join(realpathSync(dirname(path)), basename(path))) : pathIn(root, path);
}

function below(root: string, real: string): string | null {
  const inside = relative(root, real).split(sep).join('/');
  return inside === '..' || inside.startsWith('../') || resolve(root, inside) !== real ? null : inside;
}
