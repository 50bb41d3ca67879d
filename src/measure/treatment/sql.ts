import { messageOf, PgsweepError } from '../../base/errors.ts';
import { ScriptError, scriptParts } from '../../base/files/sql-script.ts';

/** Runs SQL and returns the rows of its only statement. */
export type RunSql = (sql: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** An arm's copy of the database. */
export interface TreatedDatabase {
  readonly name: string;
  /** The role that the service has there; null where that is the bench's own. */
  readonly role: string | null;
  /** Opens a new connection to it for as long as `use` takes. */
  connect<T>(use: (run: RunSql) => Promise<T>): Promise<T>;
  /** Gives a setting back the values that the database began with. Returns true where there are any. */
  restore(run: RunSql, setting: string): Promise<boolean>;
}

/**
 * Runs SQL of the scenario as psql does: each statement by itself, outside of a transaction unless it opens one. Throws
 * PgsweepError('scenario') with the statement and what Postgres says of it.
 */
export async function runScript(run: RunSql, script: string): Promise<void> {
  for (const { start, end } of partsOf(script)) await runStatement(run, script.slice(start, end));
}

function partsOf(script: string): readonly { readonly start: number; readonly end: number }[] {
  try {
    return scriptParts(script).map((part) => ({
      start: part.kind === 'command' ? part.start : part.head,
      end: part.end,
    }));
  } catch (error) {
    // Postgres says it better, which has the whole of it.
    if (error instanceof ScriptError) return [{ start: 0, end: script.length }];
    throw error;
  }
}

/** Runs a statement of the scenario. Throws PgsweepError('scenario') with the statement and what Postgres says of it. */
export async function runStatement(run: RunSql, statement: string): Promise<void> {
  try {
    await run(statement);
  } catch (cause) {
    // A server that is gone has no say about the statement.
    if (!isSaidByPostgres(cause)) throw cause;
    const more = [cause.detail, cause.hint].filter((text) => text !== undefined);
    throw new PgsweepError('scenario', `Postgres refuses ${statement.trim()}: ${messageOf(cause)}`, {
      ...(more.length > 0 && { hint: more.join('\n') }),
      cause,
    });
  }
}

interface SaidByPostgres {
  readonly severity: string;
  readonly detail?: string;
  readonly hint?: string;
}

function isSaidByPostgres(error: unknown): error is SaidByPostgres {
  return error instanceof Error && 'severity' in error && 'code' in error;
}

/** A name as SQL has it. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as SQL has it. */
export function quotedText(text: string): string {
  // With an E, so that a backslash is one whatever standard_conforming_strings says.
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** A statement on one line, cut where it is long. */
export function oneLine(statement: string): string {
  const line = statement.trim().replace(/\s+/g, ' ');
  return line.length <= 100 ? line : `${line.slice(0, 97)}...`;
}

/** Throws PgsweepError('scenario') where what was done is not seen. */
export function requireSeen(seen: boolean, otherwise: string): asserts seen {
  if (!seen) throw new PgsweepError('scenario', otherwise);
}
