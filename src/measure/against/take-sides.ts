import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import type { Against, AgainstTaken } from '../../journal/run/against-record.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import type { SetUpContext } from '../stack/embedded/user-cache.ts';
import { foldersOf, jobOf } from './compared.ts';
import { install, unlockedState } from './install.ts';
import { openRepository, pathAsNamed, pathIn, type Repository } from './repository.ts';
import { readSides } from './sides.ts';
import { markRun, markUsed, takeSnapshot, treeOf, trimSnapshots } from './snapshots.ts';

/** A side, and where its snapshot is or will be. */
interface Side {
  /** For people: `main (a1b2c3d)`. */
  readonly name: string;
  /** A commit, or a tree of git's. */
  readonly tree: string;
  readonly folder: string;
}

/** A comparison, with folders of the services below the top folder. */
interface Asked extends Pick<Against, 'carry' | 'prepare'> {
  readonly repository: Repository;
  readonly packages: readonly string[];
}

/** Makes the snapshots of a comparison, each installed and prepared. Throws PgsweepError `target` where that fails. */
export type MakeSides = (context: SetUpContext) => Promise<void>;

/**
 * Reads the sides of a scenario for `use`, which makes their snapshots in the user's cache if it wants them. Nothing in the
 * repository changes. Throws PgsweepError `usage`, and `scenario` for a service outside of the repository. `mark` goes into the
 * environment of git.
 */
export async function withSides<T>(
  scenario: ResolvedScenario,
  mark: NodeJS.ProcessEnv,
  use: (taken: AgainstTaken, make: MakeSides) => Promise<T>,
): Promise<T> {
  const { against } = scenario;
  const folders = foldersOf(scenario);
  if (against === undefined || folders[0] === undefined) throw new Error('no comparison with commits');
  const repository = await openRepository(folders[0], mark);
  try {
    const what = `the folder of the ${scenario.target.kind === 'none' ? 'job' : 'service'}`;
    const job = jobOf(scenario);
    // A command beside a service may have its own packages; outside of the repository it is the same for all sides.
    const ofJob = job?.kind === 'command' ? pathIn(repository.root, job.cwd) : null;
    const ofServices = folders.map((folder) => pathBelow(repository, folder, what));
    const packages = ofJob === null ? ofServices : [...ofServices, ofJob || '.'];
    for (const path of against.carry) pathBelow(repository, path, 'against.carry:', pathAsNamed);
    const asked: Asked = { ...against, repository, packages: [...new Set(packages)] };
    const { commits, work, tree, schemaFiles, submodules } = await readSides(repository, against, scenario.dataset);
    const controls = commits.map((one) => ({ ...one, folder: treeOf(keyOf('commit', one.commit, asked)) }));
    const folder = treeOf(keyOf('work', tree, asked));
    const missing = submodules.filter(
      (path) => !against.carry.some((one) => pathAsNamed(repository.root, one) === path),
    );
    const taken: AgainstTaken = {
      repository: repository.root,
      commits: controls,
      work: { ...work, tree, folder },
      // Its own file is what is compared.
      schemaFiles: schemaFiles.filter((path) => job?.kind !== 'sql' || path !== pathIn(repository.root, job.file)),
      ...(missing.length > 0 && { emptySubmodules: missing }),
    };
    const sides = controls.map((one) => ({ ...one, name: `${one.ref} (${one.commit.slice(0, 7)})`, tree: one.commit }));
    const branch = { name: 'the work tree', tree, folder };
    return await use(taken, (context) => makeSides([branch, ...sides], asked, context));
  } finally {
    repository.close();
  }
}

async function makeSides(sides: readonly Side[], asked: Asked, context: SetUpContext): Promise<void> {
  const { root, checkOut } = asked.repository;
  const sources = [root];
  for (const { name, tree, folder } of sides) {
    await takeSnapshot(folder, `${name} of ${basename(root)}`, context, async (half) => {
      context.onProgress(`copying ${name}`);
      await checkOut(tree, half);
      await carryInto(half, asked);
      await install({ ...asked, name, tree: half, sources }, context);
    });
    sources.push(folder);
  }
  await trimSnapshots();
}

/** Keeps the snapshots of the run in a folder, until it is finished. Throws PgsweepError `scenario` where they are gone. */
export function keepSides({ commits, work }: AgainstTaken, run: string): void {
  for (const { folder } of [...commits, work]) {
    if (existsSync(folder)) {
      markUsed(folder);
      markRun(folder, run);
    } else
      throw new PgsweepError('scenario', `the snapshot ${folder} of this run is gone`, {
        hint: 'It was removed by pgsweep clean, or to make room for others. Start a new run.',
      });
  }
}

/** A path below the top folder; `.` for that itself. */
function pathBelow({ root }: Repository, path: string, what: string, placeOf = pathIn): string {
  const inside = placeOf(root, path);
  if (inside === null) throw new PgsweepError('scenario', `${what} ${path} is outside of the repository ${root}`);
  return inside || '.';
}

/** Another where snapshots are made in another way: those of an older pgsweep are not used again. */
const MAKING = 2;

/** A snapshot's name in the cache: another where anything that makes it is another. */
function keyOf(kind: 'work' | 'commit', tree: string, { repository, packages, carry, prepare }: Asked): string {
  const { platform, arch, versions } = process;
  const unlocked = packages.map((folder) => unlockedState(repository.root, folder));
  const facts = [MAKING, tree, prepare ?? '', platform, arch, versions.modules, packages, unlocked, carry.map(stateOf)];
  return `${kind}-${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)}`;
}

/** Size and time of a carried file, or of all files in a folder; of links in it where they lead. */
function stateOf(path: string): unknown[] {
  const { size, mtimeMs } = statSync(path);
  const inside = statSync(path).isDirectory() ? readdirSync(path) : [];
  const states = inside
    .map((name) => join(path, name))
    .map((one) => (lstatSync(one).isSymbolicLink() ? [one, readlinkSync(one)] : stateOf(one)));
  return [path, size, mtimeMs, ...states];
}

/** Copies the files that git ignores and that the scenario names, each as what it is where it is a link. */
async function carryInto(tree: string, { repository: { root }, carry }: Asked): Promise<void> {
  for (const path of carry) {
    const to = join(tree, pathAsNamed(root, path) ?? '');
    await mkdir(dirname(to), { recursive: true });
    // The same link, committed.
    if (lstatSync(to, { throwIfNoEntry: false })?.isSymbolicLink()) await rm(to);
    await cp(realpathSync(path), to, { recursive: true, force: true, verbatimSymlinks: true });
  }
}
