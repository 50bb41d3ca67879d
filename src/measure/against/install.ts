import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { jsonOf, valueAt } from '../../base/json-path.ts';
import { copyFolder } from '../stack/embedded/copy-folder.ts';
import { npmEnv, npmNeedsShell } from '../stack/embedded/npm-client.ts';
import { runFetcher, type SetUpContext } from '../stack/embedded/user-cache.ts';
import { lastLines } from '../target/last-lines.ts';

const MODULES = 'node_modules';
const MANIFEST = 'package.json';
const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies'];

interface Manager {
  readonly lock: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** The file in node_modules that says what the manager has installed there. */
  readonly record: string;
  /** True if that file says that the packages of a lock file are installed. */
  isInstalled(lock: string, record: string): boolean;
}

const npm = {
  command: ['npm', 'ci', '--no-audit', '--no-fund'],
  record: '.package-lock.json',
  isInstalled: npmInstalled,
} satisfies Omit<Manager, 'lock'>;

/** In the order in which a folder with several is read. */
const managers: readonly Manager[] = [
  { lock: 'package-lock.json', ...npm },
  { lock: 'npm-shrinkwrap.json', ...npm },
  {
    lock: 'pnpm-lock.yaml',
    command: ['pnpm', 'install', '--frozen-lockfile'],
    record: join('.pnpm', 'lock.yaml'),
    isInstalled: (lock, record) => lock === record,
  },
  {
    lock: 'yarn.lock',
    command: ['yarn', 'install', '--frozen-lockfile'],
    record: '.yarn-integrity',
    isInstalled: yarnInstalled,
  },
];

/** A snapshot whose packages are wanted. */
export interface ToInstall {
  /** For people: `main (a1b2c3d)`. */
  readonly name: string;
  readonly tree: string;
  /** Folders of its services, below the tree. */
  readonly packages: readonly string[];
  /** Trees whose packages are copied where they are what the lock file says: the user's, then those of other sides. */
  readonly sources: readonly string[];
  readonly prepare?: string | undefined;
}

/**
 * Installs the packages of a snapshot by its own lock file: by a copy where a source has them already and no script runs at an
 * install, else by the package manager; then prepares it. Without a lock file it gets what the user's folder has. Throws
 * PgsweepError `target` with the last lines of what failed.
 */
export async function install(wanted: ToInstall, context: SetUpContext): Promise<void> {
  const { name, tree, packages, sources, prepare } = wanted;
  for (const place of new Set(packages.map((folder) => installPlace(tree, folder)))) {
    const manager = managerIn(join(tree, place));
    const folders = packagesIn(tree, place);
    const from = sources.find(
      (source) =>
        hasPackages(join(source, place), manager, join(tree, place)) &&
        (manager === undefined || !runsScripts(tree, folders, { source, place })),
    );
    if (from !== undefined) {
      context.onProgress(`copying the packages of ${name}`);
      for (const folder of folders) await copyModules(join(from, folder), join(tree, folder), context);
    } else if (manager !== undefined) {
      const { lock, command } = manager;
      const hint = `The lock file of ${name} is ${lock}: install ${command[0]}, and start again.`;
      await runTold(npmNeedsShell ? command.join(' ') : command, join(tree, place), { name, hint }, context);
    }
  }
  if (prepare === undefined) return;
  for (const folder of packages) await runTold(prepare, join(tree, folder), { name }, context);
}

/** A place of a tree and the packages below it: in a workspace each may have its own node_modules. */
function packagesIn(tree: string, place: string): string[] {
  // A folder that is only with another side.
  if (!existsSync(join(tree, place))) return [place];
  const inside = readdirSync(join(tree, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => basename(file) === MANIFEST && !file.includes(MODULES))
    .map((file) => join(place, dirname(file)));
  return [...new Set([place, ...inside])];
}

/** True if a folder has the packages of a tree's lock file; without one, if it has any. */
function hasPackages(folder: string, manager: Manager | undefined, tree: string): boolean {
  if (manager === undefined) return existsSync(join(folder, MODULES));
  return manager.isInstalled(textOf(join(tree, manager.lock)), textOf(join(folder, MODULES, manager.record)));
}

/** Scripts of a package that an install runs, and those that it runs of the project alone. */
const OF_PACKAGES = ['preinstall', 'install', 'postinstall'];
const OF_PROJECT = [
  ...OF_PACKAGES,
  'pnpm:devPreinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
  'dependencies',
];

/** Scripts that set hooks of git: where there is no .git, as in a snapshot, some of them fail. */
const GIT_HOOKS = /^(npx )?(husky( install)?|lefthook install|simple-git-hooks)( \|\| (true|:|exit 0))?$/;

/**
 * True if an install runs scripts of the project's folders, or of packages that they name, such as Prisma's client. They may write
 * code into node_modules that they make of the project's files, which differ between sides. `at`: where packages are installed.
 */
function runsScripts(
  tree: string,
  folders: readonly string[],
  at: { readonly source: string; readonly place: string },
): boolean {
  return folders.some((folder) => {
    // A script that this side has no more may have left something with the source.
    const own = [tree, at.source].map((root) => textOf(join(root, folder, MANIFEST)));
    const named = DEPENDENCIES.flatMap((key) => Object.keys(Object(valueAt(jsonOf(own[0] ?? ''), [key]))));
    const installed = named.flatMap((name) =>
      [folder, at.place].map((place) => textOf(join(at.source, place, MODULES, name, MANIFEST))),
    );
    return own.some((text) => hasScript(text, OF_PROJECT)) || installed.some((text) => hasScript(text, OF_PACKAGES));
  });
}

function hasScript(manifest: string, names: readonly string[]): boolean {
  const scripts = names.flatMap((name) => valueAt(jsonOf(manifest), ['scripts', name]) ?? []);
  return scripts.some((script) => !GIT_HOOKS.test(String(script)));
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

type NpmPackages = Readonly<
  Record<string, Partial<Record<'version' | 'integrity' | 'resolved' | 'optional', unknown>>>
>;

/** Packages that npm has installed, compared with a lock file; those for other systems may be missing. */
export function npmInstalled(lock: string, record: string): boolean {
  const packagesIn = (text: string): unknown => valueAt(jsonOf(text), ['packages']);
  const [wanted, found] = [packagesIn(lock), packagesIn(record)] as (NpmPackages | undefined)[];
  if (wanted === undefined || found === undefined) return false;
  const idOf = ({ version, integrity, resolved }: NpmPackages[string] = {}): unknown => [
    version,
    integrity ?? resolved,
  ];
  return Object.keys({ ...wanted, ...found }).every(
    (name) =>
      name === '' ||
      isDeepStrictEqual(idOf(wanted[name]), idOf(found[name])) ||
      (wanted[name]?.optional === true && found[name] === undefined),
  );
}

/** Packages that Yarn 1 has installed, compared with a lock file: the address of each range. */
export function yarnInstalled(lock: string, record: string): boolean {
  const entries = lock.split(/\n(?=\S)/).flatMap((block) => {
    const [, ranges] = /^([^#\s].*):$/m.exec(block) ?? [];
    const [, address = ''] = /^ {2}resolved "(.*)"$/m.exec(block) ?? [];
    return (ranges?.split(', ') ?? []).map((range) => [range.replace(/^"(.*)"$/, '$1'), address]);
  });
  return isDeepStrictEqual(Object.fromEntries(entries), valueAt(jsonOf(record), ['lockfileEntries']));
}

async function copyModules(from: string, to: string, { env, reaper, signal }: SetUpContext): Promise<void> {
  const [there, here] = [join(from, MODULES), join(to, MODULES)];
  if (!existsSync(there) || !existsSync(to) || existsSync(here)) return;
  await copyFolder(there, here, { env: { ...env, ...reaper.mark }, signal });
  // What tools keep there is each side's own.
  if (!lstatSync(here).isSymbolicLink()) await rm(join(here, '.cache'), { recursive: true, force: true });
}

/** Runs a command of a side. Throws PgsweepError `target` with its last lines where it fails; `hint` is for one that cannot start. */
async function runTold(
  command: Manager['command'] | string,
  cwd: string,
  { name, hint }: { readonly name: string; readonly hint?: string },
  context: SetUpContext,
): Promise<void> {
  const what = `${[command].flat().join(' ')} for ${name}`;
  context.onProgress(`running ${what}`);
  const env = npmEnv(context.env);
  const failed = await runFetcher(`running ${what}`, { command, cwd }, { ...context, env }).catch((cause: unknown) => {
    context.signal?.throwIfAborted();
    throw new PgsweepError('target', `${what}: ${messageOf(cause)}`, { hint, cause });
  });
  if (failed === null) return;
  // Below its error npm prints its help, which is longer than what is shown.
  const help = failed.output.findIndex((line) => /^npm (error|ERR!) Usage:/.test(line));
  const output = help < 0 ? failed.output : failed.output.slice(0, help);
  throw new PgsweepError('target', `${what} ended with ${failed.how}. ${lastLines(output)}`, {
    hint: 'It ran in a snapshot, which has no file that git ignores. If it needs one, name it: --carry PATH.',
  });
}

/** Empty where there is no such file. */
function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
