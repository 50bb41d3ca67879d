import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { everyPostgres, findPostgresBinaries } from '../../stack/find-binaries.ts';
import { npmNeedsShell } from '../../stack/npm-client.ts';
import { type Finding, ok, problem } from './finding.ts';

/** Node.js and Postgres. */
export function examinePrograms(nodeVersion = process.versions.node): Finding[] {
  return [node(nodeVersion), ...postgres()];
}

/** As `engines` in package.json. */
function node(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const supported = (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major >= 24;
  return supported
    ? ok('node', version)
    : problem('node', version, 'pgsweep needs Node.js 20.19, 22.13, 24 or newer: install one of these.');
}

function postgres(): Finding[] {
  try {
    return [ok('postgres', findPostgresBinaries().source), ok('postgres versions', versions())];
  } catch (error) {
    const advice = error instanceof PgsweepError ? (error.hint ?? '') : '';
    return [problem('postgres', messageOf(error), advice)];
  }
}

function versions(): string {
  const here = [...new Set([...everyPostgres()].map(({ version }) => version))].join(', ');
  const others = npmIsThere()
    ? 'npm fetches others, 13 to 18, where a scenario names one'
    : 'no npm to fetch others with';
  return `${here}; ${others}`;
}

function npmIsThere(): boolean {
  const program = npmNeedsShell ? 'npm.cmd' : 'npm';
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
