import { createHash } from 'node:crypto';
import { constants, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import type { Against, AgainstCommit, AgainstTaken } from '../../journal/run/against-record.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import type { SetUpContext } from '../stack/embedded/user-cache.ts';
import { foldersOf } from './compared.ts';
import { install, unlockedState } from './install.ts';
import { openRepository, pathIn, type Repository } from './repository.ts';
import { readSides, type Sides } from './sides.ts';
import { markUsed, snapshotCache, takeSnapshot, treeOf, trimSnapshots } from './snapshots.ts';

/** A comparison that is about to be made. */
interface Making {
  readonly repository: Repository;
  readonly sides: Sides;
  readonly against: Against;
  /** Folders of the services, below the top folder. */
  readonly packages: readonly string[];
  readonly cache: string;
}

/**
 * The sides of a scenario, and where their snapshots will be. Nothing is copied. Throws PgsweepError `usage`, and
 * `scenario` for a service outside of the repository.
 */
export async function planSides(scenario: ResolvedScenario): Promise<AgainstTaken> {
  return withMaking(scenario, {}, async ({ repository, sides, cache }) => ({
    repository: repository.root,
    commits: sides.commits.map((one) => ({ ...one, folder: treeOf(cache, one.commit) })),
    work: { ...sides.work, folder: treeOf(cache, 'work') },
    schemaFiles: sides.schemaFiles,
  }));
}

/**
 * Makes the snapshots of a comparison in the user's cache, each installed and prepared, or takes those that are there. Nothing in
 * the repository changes. Throws PgsweepError: `usage` and `scenario` as `planSides`, `target` where an install fails.
 */
export async function takeSides(scenario: ResolvedScenario, context: SetUpContext): Promise<AgainstTaken> {
  return withMaking(scenario, context.reaper.mark, async (making) => {
    const { repository, sides, cache, packages, against } = making;
    const { root } = repository;
    const { prepare } = against;
    const sources = [root];
    const take = async (name: string, known: string | null, layOut: LayOut): Promise<string> => {
      const folder = await takeSnapshot(cache, known, `${name} of ${basename(root)}`, context, async (tree) => {
        context.onProgress(`copying ${name}`);
        const { files, key } = await layOut(tree);
        // A copy of these files may be there already, installed.
        if (existsSync(join(cache, key))) return key;
        const workspaces = files.filter((file) => basename(file) === 'package.json').map((file) => dirname(file));
        await carryInto(tree, making);
        await install({ name, tree, packages, workspaces, sources, prepare }, context);
        return key;
      });
      sources.push(folder);
      return folder;
    };
    const work = await take('the work tree', null, async (tree) => {
      const { files, digest } = await copyWorkTree(repository, tree, context.signal);
      return { files, key: keyOf('work', digest, making) };
    });
    const commits: AgainstCommit[] = [];
    for (const one of sides.commits) {
      const key = keyOf('commit', one.commit, making);
      const folder = await take(`${one.ref} (${one.commit.slice(0, 7)})`, key, async (tree) => {
        await checkOut(repository, one.commit, tree);
        return { key, files: await repository.list(['ls-tree', '-r', '--name-only', '-z', one.commit]) };
      });
      commits.push({ ...one, folder });
    }
    await trimSnapshots();
    return { repository: root, commits, work: { ...sides.work, folder: work }, schemaFiles: sides.schemaFiles };
  });
}

/** Writes the files of a side into an empty folder; returns their names and the snapshot's key. */
type LayOut = (tree: string) => Promise<{ readonly files: readonly string[]; readonly key: string }>;

/** Keeps the snapshots of a resumed run. Throws PgsweepError `scenario` where they are gone. */
export function keepSides({ commits, work }: AgainstTaken): void {
  for (const { folder } of [...commits, work]) {
    if (existsSync(folder)) markUsed(folder);
    else
      throw new PgsweepError('scenario', `the snapshot ${folder} of this run is gone`, {
        hint: 'It was removed by pgsweep clean, or to make room for others. Start a new run.',
      });
  }
}

async function withMaking<T>(
  scenario: ResolvedScenario,
  mark: NodeJS.ProcessEnv,
  use: (making: Making) => Promise<T>,
): Promise<T> {
  const { against } = scenario;
  const folders = foldersOf(scenario);
  if (against === undefined || folders[0] === undefined) throw new Error('no comparison with commits');
  const repository = await openRepository(folders[0], mark);
  try {
    const packages = folders.map((folder) => pathBelow(repository, folder, 'the folder of the service'));
    for (const path of against.carry) pathBelow(repository, path, 'against.carry:');
    const sides = await readSides(repository, against, scenario.dataset);
    return await use({ repository, sides, against, packages: [...new Set(packages)], cache: snapshotCache() });
  } finally {
    repository.close();
  }
}

/** A path below the top folder; `.` for that itself. */
function pathBelow({ root }: Repository, path: string, what: string): string {
  const inside = pathIn(root, path);
  if (inside === null) throw new PgsweepError('scenario', `${what} ${path} is outside of the repository ${root}`);
  return inside || '.';
}

/** A snapshot's name in the cache: another where anything that makes it is another. */
function keyOf(kind: 'work' | 'commit', content: string, { repository, packages, against }: Making): string {
  const { platform, arch, versions } = process;
  const unlocked = packages.map((folder) => unlockedState(repository.root, folder));
  const carried = against.carry.map(stateOf);
  const facts = [content, against.prepare ?? '', platform, arch, versions.modules, packages, unlocked, carried];
  return `${kind}-${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)}`;
}

/** Size and time of a carried file, or of all files in a folder. */
function stateOf(path: string): unknown[] {
  const { size, mtimeMs } = statSync(path);
  const inside = statSync(path).isDirectory() ? readdirSync(path) : [];
  return [path, size, mtimeMs, ...inside.map((name) => stateOf(join(path, name)))];
}

/** Writes the files of a commit, as a checkout would, by another index. */
async function checkOut({ git }: Repository, commit: string, tree: string): Promise<void> {
  const index = join(tree, '..', 'index');
  const env = { GIT_INDEX_FILE: index };
  await git(['read-tree', commit], env);
  await git(['checkout-index', '--all', '--force', `--prefix=${tree}/`], env);
  await rm(index, { force: true });
}

/** Copies what git knows or would add, as it lies there. `digest` is of names, modes and contents. */
async function copyWorkTree(
  { root, list }: Repository,
  tree: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly files: readonly string[]; readonly digest: string }> {
  const hash = createHash('sha256');
  const files = [...new Set(await list(['ls-files', '--cached', '--others', '--exclude-standard', '-z']))].sort();
  const made = new Set<string>();
  for (const file of files) {
    signal?.throwIfAborted();
    const [from, to] = [join(root, file), join(tree, file)];
    const found = lstatSync(from, { throwIfNoEntry: false });
    // Deleted since, or a submodule.
    if (found === undefined || found.isDirectory()) continue;
    if (!made.has(dirname(to))) await mkdir(dirname(to), { recursive: true });
    made.add(dirname(to));
    if (found.isSymbolicLink()) await symlink(await readlink(from), to);
    else await copyFile(from, to, constants.COPYFILE_FICLONE);
    const content = found.isSymbolicLink() ? await readlink(to) : await readFile(to);
    hash.update(`${file}\0${found.mode & 0o111 ? 'x' : ''}\0`).update(content);
  }
  return { files, digest: hash.digest('hex') };
}

/** Copies the files that git ignores and that the scenario names. */
async function carryInto(tree: string, { repository: { root }, against }: Making): Promise<void> {
  for (const path of against.carry) {
    const to = join(tree, pathIn(root, path) ?? '');
    await mkdir(dirname(to), { recursive: true });
    await cp(path, to, { recursive: true, force: true, verbatimSymlinks: true });
  }
}
