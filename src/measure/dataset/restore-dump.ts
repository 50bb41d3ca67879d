import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { libpqEnv, withoutLibpqEnv } from '../../base/libpq-env.ts';
import { endOf, spawnWatched } from '../../base/process/child-process.ts';
import type { Reaper } from '../../base/process/reaper.ts';
import { maskKnown } from '../../base/secrets.ts';
import { CUT_OFF_HINT, type DumpKind } from './dump-kind.ts';

/** A pg_restore, on this machine or in a server's container. */
export interface RestoreTool {
  readonly program: readonly [string, ...string[]];
  /** `15.18` */
  readonly version: string;
  /** Where it finds the dump: elsewhere than this machine has it, where it runs in a container. */
  readonly place: string;
  /** The environment that leads it to the database, given the database's URL; absent for that of libpq. */
  readonly env?: (databaseUrl: string) => Readonly<Record<string, string>>;
  /** Takes away what had to be put there. */
  close(): Promise<void>;
}

/** Finds one that can read a dump of an archive's version; what is wrong is its PgsweepError. */
export type FindRestore = (dump: string, archive: Archive) => Promise<RestoreTool>;

export type Archive = Extract<DumpKind, { kind: 'archive' }>;

export interface RestoreOptions {
  readonly findRestore: FindRestore;
  readonly reaper: Reaper;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

const MOST_JOBS = 4;
/** A line or two for each statement that failed. */
const TAIL_LINES = 2000;
const MOST_ERRORS = 5;

/**
 * Restores an archive of pg_dump into an empty database, without owners and privileges, whose roles are not here. Throws
 * PgsweepError `dataset` with the errors of pg_restore. Settings that an older server lacks are reported and left out.
 */
export async function restoreDump(
  dump: string,
  archive: Archive,
  databaseUrl: string,
  { findRestore, reaper, onProgress, signal }: RestoreOptions,
): Promise<void> {
  signal.throwIfAborted();
  const tool = await findRestore(dump, archive);
  try {
    const env = { ...withoutLibpqEnv(process.env), LC_ALL: 'C', ...(tool.env ?? libpqEnv)(databaseUrl) };
    const database = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
    // A tar file can only be read from its beginning to its end.
    const jobs = archive.format === 'tar' ? [] : [`--jobs=${Math.min(MOST_JOBS, availableParallelism())}`];
    const options = ['--no-owner', '--no-privileges', `--dbname=${database}`, ...jobs];
    onProgress(`restoring ${basename(dump)} with pg_restore ${tool.version}`);
    const [program, ...before] = tool.program;
    const command = [program, ...before, ...options, tool.place] as const;
    const child = await spawnWatched({ command, env, reaper, tailLines: TAIL_LINES }).catch((cause: unknown) => {
      throw new PgsweepError('dataset', `pg_restore cannot be started: ${messageOf(cause)}`, { cause });
    });
    const { code, how } = await endOf(child, signal);
    signal.throwIfAborted();
    if (code === 0) return;
    const { left, failed } = restoreErrors(child.tail());
    if (code === 1 && failed.length === 0 && left.length > 0) {
      onProgress(`${basename(dump)}: left out, since this Postgres does not know it: ${left.join(', ')}`);
      return;
    }
    const lines = failed.length > 0 ? failed.slice(0, MOST_ERRORS) : child.tail().slice(-15);
    const more = failed.length > MOST_ERRORS ? [`and ${failed.length - MOST_ERRORS} more`] : [];
    throw new PgsweepError(
      'dataset',
      maskKnown(`${dump}: pg_restore ${tool.version} ended with ${how}:\n${[...lines, ...more].join('\n')}`),
      {
        hint: restoreHint(child.tail()),
      },
    );
  } finally {
    await tool.close();
  }
}

/** Errors of pg_restore about a cut-off archive (pg_backup_archiver.c, pg_backup_custom.c, compress_*.c). */
const cutOff =
  /end of file|could not read from input file|archive is truncated|could not find (header for file|block ID)|could not uncompress data|could not (close data|open input) file|incomplete tar header|did not find magic string|unrecognized data block type/;

/** Advice by pg_restore's message. */
export function restoreHint(lines: readonly string[]): string {
  return lines.some((line) => cutOff.test(line))
    ? CUT_OFF_HINT
    : 'A dump is restored by the Postgres that it is of, or a younger one: stack: { postgres: { version: 17 } }.';
}

/** pg_restore's error about a setting that an older server neither knows nor needs. */
const unknownSetting = /unrecognized configuration parameter "([^"]+)"/;
const schemaIsThere = /schema "public" already exists/;

/** Errors of pg_restore, each once, with the beginning of its statement: `left` can be left out, `failed` cannot. */
export function restoreErrors(lines: readonly string[]): { readonly left: string[]; readonly failed: string[] } {
  const left = new Set<string>();
  const failed = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const [, message] = /^pg_restore: error: (.*)$/.exec(line) ?? [];
    if (message === undefined) continue;
    const [, setting] = unknownSetting.exec(message) ?? [];
    if (setting !== undefined) left.add(`setting ${setting}`);
    else if (schemaIsThere.test(message)) left.add('schema public, which is there');
    else failed.add(`${message}${statementAfter(lines, index)}`);
  }
  return { left: [...left], failed: [...failed] };
}

/** Below an error, and what Postgres says besides, stands the statement. */
function statementAfter(lines: readonly string[], index: number): string {
  for (const line of lines.slice(index + 1)) {
    if (line.startsWith('pg_restore: ')) return '';
    const [, statement] = /^Command was: (.*)$/.exec(line) ?? [];
    if (statement !== undefined) return ` (${statement.trim()})`;
  }
  return '';
}
