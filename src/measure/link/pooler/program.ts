import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { PoolerSpec } from '../../../journal/link/pooler.ts';

/** A PgBouncer that can be started: a program of this machine, or of an image. */
export interface PgBouncer {
  readonly program: string;
  /** `1.18.0` */
  readonly version: string;
}

const HINT =
  'Install PgBouncer (apt-get install pgbouncer, dnf install pgbouncer, brew install pgbouncer), or name the program: PGBOUNCER_BIN=/path/to/pgbouncer. Its service need not run: each arm starts its own PgBouncer.';

/** Where packages put it, which is on the PATH of root alone. */
const systemFolders = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin', '/usr/local/bin'];

const ANSWER_LIMIT_MS = 10_000;

/** The PgBouncer of PGBOUNCER_BIN, or of PATH, or where packages put it. Throws PgsweepError `stack` where there is none that runs. */
export async function findPgBouncer(env: NodeJS.ProcessEnv = process.env): Promise<PgBouncer> {
  const folders = [...(env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...systemFolders];
  const program = env.PGBOUNCER_BIN || folders.map((folder) => join(folder, 'pgbouncer')).find(isProgram);
  if (program === undefined) throw new PgsweepError('stack', 'there is no program pgbouncer on PATH', { hint: HINT });
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: ANSWER_LIMIT_MS, env });
    return { program, version: versionIn(stdout) };
  } catch (cause) {
    throw new PgsweepError('stack', `${program} --version failed: ${messageOf(cause)}`, { hint: HINT, cause });
  }
}

/** `1.18.0`, of what `pgbouncer --version` prints. Throws an Error where it is something else. */
export function versionIn(text: string): string {
  const version = /PgBouncer (?:version )?(\d+\.\d+(?:\.\d+)?)/i.exec(text)?.[1];
  if (version === undefined) throw new Error(`it says ${JSON.stringify(text.trim())}`);
  return version;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first that keeps prepared statements. */
const WITH_PREPARED = 1.021;

/** Throws PgsweepError `stack` where a PgBouncer is too old for what a variant wants of it. */
export function requireFeatures({ version }: PgBouncer, { maxPreparedStatements = 0 }: PoolerSpec): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (maxPreparedStatements === 0 || major + minor / 1000 >= WITH_PREPARED) return;
  throw new PgsweepError('stack', `PgBouncer is ${version}, and maxPreparedStatements needs 1.21 or later`, {
    hint: 'Install a newer one and name it by PGBOUNCER_BIN, or leave maxPreparedStatements out.',
  });
}
