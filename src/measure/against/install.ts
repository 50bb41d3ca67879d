import { existsSync, readFileSync, statSync } from 'node:fs';
import { constants, cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { jsonOf } from '../../base/json-path.ts';
import { endOf, spawnWatched } from '../../base/process/child-process.ts';
import type { SetUpContext } from '../stack/embedded/user-cache.ts';
import { lastLines } from '../target/last-lines.ts';

const MODULES = 'node_modules';

interface Manager {
  readonly lock: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** True if the folder's packages are those of a lock file, as far as the manager writes down what it has installed. */
  isInstalled(folder: string, lock: string): boolean;
}

const npm = {
  command: ['npm', 'ci', '--no-audit', '--no-fund'],
  isInstalled: (folder, lock) => areInstalled(lock, textOf(join(folder, MODULES, '.package-lock.json'))),
} satisfies Omit<Manager, 'lock'>;

/** In the order in which a folder with several is read. */
const managers: readonly Manager[] = [
  { lock: 'package-lock.json', ...npm },
  { lock: 'npm-shrinkwrap.json', ...npm },
  {
    lock: 'pnpm-lock.yaml',
    command: ['pnpm', 'install', '--frozen-lockfile'],
    isInstalled: (folder, lock) => textOf(join(folder, MODULES, '.pnpm', 'lock.yaml')) === lock,
  },
  {
    lock: 'yarn.lock',
    command: ['yarn', 'install', '--frozen-lockfile'],
    // It writes down a digest alone.
    isInstalled: () => false,
  },
];

/** A snapshot whose packages are wanted. */
export interface ToInstall {
  /** For people: `main (a1b2c3d)`. */
  readonly name: string;
  readonly tree: string;
  /** Folders of its services, below the tree. */
  readonly packages: readonly string[];
  /** Folders with a package.json, below the tree: a workspace may have its own packages. */
  readonly workspaces: readonly string[];
  /** Trees whose packages are copied where they are what the lock file says: the user's, then those of other sides. */
  readonly sources: readonly string[];
  readonly prepare?: string | undefined;
}

/**
 * Installs the packages of a snapshot by its own lock file: by a copy where a source has them already, else by the package
 * manager; then prepares it. Without a lock file it gets what the user's folder has. Throws PgsweepError `target` with the last
 * lines of what failed.
 */
export async function install(wanted: ToInstall, context: SetUpContext): Promise<void> {
  const { name, tree, packages, workspaces, sources, prepare } = wanted;
  for (const place of new Set(packages.map((folder) => installPlace(tree, folder)))) {
    const manager = managerIn(join(tree, place));
    const lock = manager && textOf(join(tree, place, manager.lock));
    const from = sources.find((source) =>
      manager === undefined
        ? existsSync(join(source, place, MODULES))
        : manager.isInstalled(join(source, place), lock ?? ''),
    );
    if (from !== undefined) {
      context.onProgress(`copying the packages of ${name}`);
      const inPlace = workspaces.filter(
        (folder) => place === '.' || folder === place || folder.startsWith(`${place}/`),
      );
      for (const folder of new Set([place, ...inPlace]))
        await copyModules(join(from, folder), join(tree, folder), context);
    } else if (manager !== undefined) {
      await runTold(manager.command, { name, cwd: join(tree, place), program: manager.command[0] }, context);
    }
  }
  if (prepare === undefined) return;
  for (const folder of packages) await runTold(prepare, { name, cwd: join(tree, folder), program: null }, context);
}

/** Changes with the packages of a folder that has no lock file; empty where it has one. */
export function unlockedState(root: string, folder: string): string {
  const place = installPlace(root, folder);
  if (managerIn(join(root, place)) !== undefined) return '';
  return String(statSync(join(root, place, MODULES), { throwIfNoEntry: false })?.mtimeMs ?? '');
}

/** The nearest folder with a lock file, from a package upwards; the package itself where there is none. */
function installPlace(tree: string, folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (managerIn(join(tree, at)) !== undefined) return at;
    if (at === '.' || at === dirname(at)) return folder;
  }
}

function managerIn(folder: string): Manager | undefined {
  return managers.find(({ lock }) => existsSync(join(folder, lock)));
}

/** Packages that npm wrote down as installed, compared with a lock file; those for other systems may be missing. */
export function areInstalled(lock: string, installed: string): boolean {
  const [wanted, found] = [packagesIn(lock), packagesIn(installed)];
  if (wanted === null || found === null) return false;
  const { '': _, ...packages } = wanted;
  return (
    Object.entries(packages).every(([name, own]) => {
      const there = found[name];
      return there === undefined ? own.optional === true : isDeepStrictEqual(idOf(own), idOf(there));
    }) && Object.keys(found).every((name) => name in packages)
  );
}

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optional?: boolean;
}

function packagesIn(text: string): Readonly<Record<string, LockedPackage>> | null {
  return (jsonOf(text) as { readonly packages?: Record<string, LockedPackage> } | undefined)?.packages ?? null;
}

function idOf({ version, integrity, resolved }: LockedPackage): unknown {
  return integrity === undefined ? [version, resolved] : [version, integrity];
}

async function copyModules(from: string, to: string, { signal }: SetUpContext): Promise<void> {
  if (!existsSync(join(from, MODULES)) || !existsSync(to)) return;
  await cp(join(from, MODULES), join(to, MODULES), {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => {
      signal?.throwIfAborted();
      return path !== join(from, MODULES, '.cache');
    },
  });
}

interface Told {
  /** The side, for people. */
  readonly name: string;
  readonly cwd: string;
  /** A program that may be missing; null for a line of the shell. */
  readonly program: string | null;
}

async function runTold(
  command: Parameters<typeof spawnWatched>[0]['command'],
  { name, cwd, program }: Told,
  { reaper, env, onProgress, signal }: SetUpContext,
): Promise<void> {
  const words = typeof command === 'string' ? command : command.join(' ');
  onProgress(`running ${words} for ${name}`);
  const child = await spawnWatched({ command, cwd, reaper, env }).catch((cause: unknown) => {
    throw new PgsweepError('target', `${words} for ${name} cannot be started: ${messageOf(cause)}`, {
      hint:
        program === null
          ? undefined
          : `The lock file of ${name} is for ${program}: install ${program}, and start again.`,
      cause,
    });
  });
  const { code, how } = await endOf(child, signal);
  signal?.throwIfAborted();
  if (code === 0) return;
  throw new PgsweepError('target', `${words} for ${name} ended with ${how}. ${lastLines(child.tail())}`, {
    hint: 'It ran in a snapshot of that commit, which has no file that git ignores: name those that it needs in against.carry.',
  });
}

/** Empty where there is no such file. */
function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
