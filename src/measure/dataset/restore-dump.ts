import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { libpqEnv, withoutLibpqEnv } from '../../base/libpq-env.ts';
import { endOf, spawnWatched } from '../../base/process/child-process.ts';
import type { Reaper } from '../../base/process/reaper.ts';
import { maskKnown } from '../../base/secrets.ts';
import type { LeftOut } from '../../journal/run/provenance-record.ts';
import { CUT_OFF_HINT, type DumpKind } from './dump-kind.ts';
import { hintOfSaid } from './sql-hints.ts';

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
/** A few lines for each statement that failed: each table of a dump has an owner, who may not be here. */
const TAIL_LINES = 500_000;
const MOST_ERRORS = 5;

/**
 * Restores an archive of pg_dump into an empty database. Returns what was left out: settings that an older server lacks, and
 * the ownership and privileges of roles that are not here. Throws PgsweepError `dataset` with the errors of pg_restore.
 */
export async function restoreDump(
  dump: string,
  archive: Archive,
  databaseUrl: string,
  { findRestore, reaper, onProgress, signal }: RestoreOptions,
): Promise<LeftOut[]> {
  signal.throwIfAborted();
  const tool = await findRestore(dump, archive);
  try {
    const env = { ...withoutLibpqEnv(process.env), LC_ALL: 'C', ...(tool.env ?? libpqEnv)(databaseUrl) };
    const database = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
    // A tar file can only be read from its beginning to its end.
    const jobs = archive.format === 'tar' ? [] : [`--jobs=${Math.min(MOST_JOBS, availableParallelism())}`];
    const options = [`--dbname=${database}`, ...jobs];
    onProgress(`restoring ${basename(dump)} with pg_restore ${tool.version}`);
    const [program, ...before] = tool.program;
    const command = [program, ...before, ...options, tool.place] as const;
    const child = await spawnWatched({ command, env, reaper, tailLines: TAIL_LINES }).catch((cause: unknown) => {
      throw new PgsweepError('dataset', `pg_restore cannot be started: ${messageOf(cause)}`, { cause });
    });
    const { code, how } = await endOf(child, signal);
    signal.throwIfAborted();
    if (code === 0) return [];
    const { left, failed, isComplete } = restoreErrors(child.tail());
    if (code === 1 && failed.length === 0 && isComplete) return left.map((one) => ({ file: basename(dump), ...one }));
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
  if (lines.some((line) => cutOff.test(line))) return CUT_OFF_HINT;
  const errors = lines.filter((line) => errorOf(line) !== undefined);
  // The syntax is pg_dump's own, of its Postgres.
  const ofYounger = errors.some((line) => line.includes('syntax error'));
  const hint = errors.map((error) => hintOfSaid({ error, statement: '', ofYounger })).find((one) => one !== null);
  return hint ?? 'pg_restore says the same by hand, with --exit-on-error at the first of them.';
}

/** pg_restore's error about a setting that an older server neither knows nor needs. */
const unknownSetting = /unrecognized configuration parameter "([^"]+)"/;
const schemaIsThere = /schema "public" already exists/;
const unknownRole = /role "(.+)" does not exist|must be (?:able to SET ROLE|member of role) "(.+)"/;
/** Statements that give a role something, or make it an owner. */
const givesToRole = /^(?:grant|revoke|alter)\s/i;

export interface RestoreErrors {
  readonly left: readonly Omit<LeftOut, 'file'>[];
  readonly failed: readonly string[];
  /** False where pg_restore counts more errors than there are lines of. */
  readonly isComplete: boolean;
}

/** Errors of pg_restore, each once, with the beginning of its statement: `left` can be left out, `failed` cannot. */
export function restoreErrors(lines: readonly string[]): RestoreErrors {
  const left = new Map<string, Omit<LeftOut, 'file'>>();
  const failed = new Set<string>();
  let found = 0;
  for (const [index, line] of lines.entries()) {
    const message = errorOf(line);
    if (message === undefined) continue;
    found++;
    const statement = statementAfter(lines, index);
    const [, setting] = unknownSetting.exec(message) ?? [];
    const [, missing, foreign] = unknownRole.exec(message) ?? [];
    const role = givesToRole.test(statement) ? (missing ?? foreign) : undefined;
    if (setting !== undefined) left.set(`setting ${setting}`, { kind: 'setting', name: setting });
    else if (role !== undefined) left.set(`role ${role}`, { kind: 'role', name: role });
    else if (!schemaIsThere.test(message)) failed.add(statement === '' ? message : `${message} (${statement})`);
  }
  const [, ignored = found] =
    /errors ignored on restore: (\d+)/.exec(lines.findLast((line) => line.startsWith('pg_restore: warning: ')) ?? '') ??
    [];
  return { left: [...left.values()], failed: [...failed], isComplete: found > 0 && Number(ignored) === found };
}

function errorOf(line: string): string | undefined {
  return /^pg_restore: error: (.*)$/.exec(line)?.[1];
}

/** Below an error, and what Postgres says besides, stands the statement. */
function statementAfter(lines: readonly string[], index: number): string {
  for (let at = index + 1; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line.startsWith('pg_restore: ')) return '';
    const [, statement] = /^Command was: (.*)$/.exec(line) ?? [];
    if (statement !== undefined) return statement.trim();
  }
  return '';
}
