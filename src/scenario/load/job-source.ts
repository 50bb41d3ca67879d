import { resolve } from 'node:path';
import { strict, text } from '../../base/schema-values.ts';
import type { JobSource } from '../../journal/job-spec.ts';
import { oneOf, requireFile, requireFolder } from '../checks.ts';
import type { Path, Problem } from '../problem.ts';

/** Keys that say what a job runs, in `load.job` and in a variant. */
export const jobSourceKeys = {
  sql: text.optional().describe('an SQL file, run as in psql'),
  command: text.optional().describe('a command; gets DATABASE_URL'),
  cwd: text.optional().describe('where it runs'),
};

/** The job of a variant. */
export const variantJob = strict(jobSourceKeys).optional().describe('its own job');

interface Written {
  readonly sql?: string | undefined;
  readonly command?: string | undefined;
  readonly cwd?: string | undefined;
}

/** The source of a job, with absolute names. Problems are added. */
export function resolveJobSource(written: Written, folder: string, path: Path, problems: Problem[]): JobSource {
  const kind = oneOf(written, ['sql', 'command'], path, problems);
  if (written.cwd !== undefined && kind !== 'command')
    problems.push({ path, key: 'cwd', message: `${path.join('.')}.cwd belongs to a command` });
  if (kind === 'command') {
    const cwd = resolve(folder, written.cwd ?? '.');
    requireFolder(cwd, [...path, 'cwd'], problems);
    return { kind, command: written.command ?? '', cwd };
  }
  const file = resolve(folder, written.sql ?? '');
  if (kind === 'sql') requireFile(file, [...path, 'sql'], problems);
  return { kind: 'sql', file };
}
