import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { ScriptError, type ScriptPart, scriptParts } from '../../base/files/sql-script.ts';
import { textOfSqlFile } from './sql-text.ts';

/** Facts about the server that a dump may depend on. */
export interface ServerKnows {
  readonly settings: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
}

export interface RunSqlOptions {
  /** True if the whole file is one transaction, as with psql --single-transaction. */
  readonly singleTransaction?: boolean | undefined;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs an SQL file, gzipped or not, as psql does: each statement by itself, outside of a transaction unless the file opens
 * one. Takes what pg_dump of 13 to 18 writes in its plain format as well: rows after COPY ... FROM stdin, \restrict,
 * settings of a younger Postgres, owners and privileges of roles that are not here. Throws PgsweepError `dataset` with the
 * file's line.
 */
export async function runSqlFile(
  file: string,
  databaseUrl: string,
  { singleTransaction = false, onProgress, signal }: RunSqlOptions,
): Promise<void> {
  signal.throwIfAborted();
  const text = await textOfSqlFile(file);
  // A round trip for each would take minutes for INSERTs.
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'pgsweep load', pipeline: true });
  // A lost connection also rejects the query that is under way; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    const parts = scriptParts(text);
    const knows = await whatServerKnows(client);
    const skipped = new Set<string>();
    // A wait for the disk after each INSERT would take minutes, and what a crash loses is loaded again.
    await client.query('SET synchronous_commit = off');
    if (singleTransaction) await client.query('BEGIN');
    for (const step of stepsOf(text, parts, knows, skipped)) {
      signal.throwIfAborted();
      await (step.kind === 'copy' ? copyRows(client, text, step) : runStatements(client, text, step.statements));
    }
    if (singleTransaction) await client.query('COMMIT');
    for (const said of skippedWords(skipped)) onProgress(`${basename(file)}: ${said}`);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof PgsweepError) throw thrown;
    const [cause, offset] =
      thrown instanceof FailedAt
        ? [thrown.cause, thrown.offset]
        : [thrown, thrown instanceof ScriptError ? thrown.offset : null];
    const line = offset === null ? '' : `:${text.slice(0, offset).split('\n').length}`;
    throw new PgsweepError('dataset', `${file}${line}: ${messageOf(cause)}`, {
      hint: hintOf(cause),
      cause,
    });
  } finally {
    await client.end();
  }
}

const ROLE = 'role ';

/** Words about parts that this Postgres lacks. Of a missing role only ownership and grants are left out. */
function skippedWords(skipped: ReadonlySet<string>): string[] {
  const roles = [...skipped].filter((name) => name.startsWith(ROLE));
  const others = [...skipped].filter((name) => !roles.includes(name));
  return [
    ...(others.length === 0 ? [] : [`left out, since this Postgres has no ${others.join(', ')}`]),
    ...(roles.length === 0
      ? []
      : [
          `loaded without owner and privileges, since this Postgres has no ${roles.join(', ')}; what they own is loaded`,
        ]),
  ];
}

/** As after loading by any other way: no plan is made without statistics, and no first read has hint bits to write. */
export async function vacuumAll(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'pgsweep load' });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('VACUUM (ANALYZE)');
  } finally {
    await client.end();
  }
}

async function whatServerKnows(client: pg.Client): Promise<ServerKnows> {
  const names = async (sql: string): Promise<ReadonlySet<string>> =>
    new Set((await client.query<{ name: string }>(sql)).rows.map(({ name }) => name));
  return {
    settings: await names('SELECT lower(name) AS name FROM pg_settings'),
    roles: await names('SELECT rolname AS name FROM pg_roles'),
  };
}

type Statement = Extract<ScriptPart, { kind: 'statement' }>;
type Copy = Extract<ScriptPart, { kind: 'copy' }>;
type Step = { readonly kind: 'statements'; readonly statements: Statement[] } | Copy;

/** So many are sent before the first of them has to be answered. */
const MOST_SENT = 500;
const MOST_SENT_CHARACTERS = 1 << 20;

function stepsOf(text: string, parts: readonly ScriptPart[], knows: ServerKnows, skipped: Set<string>): Step[] {
  const steps: Step[] = [];
  let open: Statement[] = [];
  let characters = 0;
  for (const part of parts) {
    const reason =
      part.kind === 'command' ? commandReason(text, part) : unknownName(text.slice(part.head, part.end), knows);
    if (reason !== null) {
      if (reason !== '') skipped.add(reason);
      continue;
    }
    if (part.kind === 'copy') steps.push(part);
    if (part.kind !== 'statement' || open.length === MOST_SENT || characters > MOST_SENT_CHARACTERS) {
      open = [];
      characters = 0;
    }
    if (part.kind !== 'statement') continue;
    if (open.length === 0) steps.push({ kind: 'statements', statements: open });
    open.push(part);
    characters += part.end - part.head;
  }
  return steps;
}

/** Empty for what needs no words. Throws ScriptError for what only psql can do. */
function commandReason(text: string, { start, end }: ScriptPart): string {
  const command = text.slice(start, end).trim();
  if (/^\\(un)?restrict\b/.test(command)) return '';
  const connect = /^\\c(onnect)?\b/.test(command);
  throw new ScriptError(
    connect
      ? `${command}: the database is the bench's; make the dump without --create`
      : `${command} is a command of psql, not SQL`,
    start,
  );
}

const NAME = '("(?:[^"]|"")+"|[a-z_][\\w$]*)';
const setting = new RegExp(`^set\\s+(?:session\\s+|local\\s+)?${NAME}\\s*(?:=|\\sto\\s)`, 'i');
const owner = new RegExp(`^alter\\s[\\s\\S]*\\sowner\\s+to\\s+${NAME}\\s*;?\\s*$`, 'i');
const privileges = /^(?:grant|revoke|alter\s+default\s+privileges)\s/i;
const grantee = new RegExp(`\\s(?:to|from|role|granted\\s+by)\\s+${NAME}`, 'gi');

/** The setting or role of a dump's statement that the server does not know; '' for a schema that is there; null where it knows all. */
export function unknownName(statement: string, { settings, roles }: ServerKnows): string | null {
  if (/^set\s+names\s/i.test(statement)) return '';
  const set = setting.exec(statement)?.[1];
  if (set !== undefined) {
    const name = unquoted(set);
    // By then the text is Unicode, whatever the file was in.
    if (name === 'client_encoding') return '';
    return settings.has(name) || hiddenSettings.includes(name) ? null : `setting ${name}`;
  }
  if (/^create\s+schema\s+"?public"?\s*;?\s*$/i.test(statement)) return '';
  const owned = owner.exec(statement)?.[1];
  const named = owned !== undefined ? [owned] : privileges.test(statement) ? granteesOf(statement) : [];
  const unknown = named.map(unquoted).find((name) => !roles.has(name) && !specialRoles.includes(name));
  return unknown === undefined ? null : `${ROLE}${unknown}`;
}

/** Settings that pg_settings does not list. */
const hiddenSettings = ['role', 'session_authorization', 'seed'];
const specialRoles = ['public', 'current_user', 'current_role', 'session_user'];

function granteesOf(statement: string): string[] {
  return [...statement.matchAll(grantee)].flatMap(([, name]) => name ?? []);
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
}

/** Postgres's error about a statement, with its place in the file. */
class FailedAt extends Error {
  readonly offset: number;
  constructor(cause: unknown, offset: number) {
    super(messageOf(cause), { cause });
    this.offset = offset;
  }
}

/** Sends all at once; the first that fails is the error, as the rest would not have been run. */
async function runStatements(client: pg.Client, text: string, statements: readonly Statement[]): Promise<void> {
  const sent = statements.map(async ({ head, end }) => {
    const statement = text.slice(head, end);
    await client.query(statement).catch((cause: unknown) => {
      throw new FailedAt(cause, head + offsetIn(statement, cause));
    });
  });
  for (const done of sent) done.catch(() => {});
  for (const done of sent) await done;
}

/** How far into a statement Postgres says that it stumbled, which counts characters where JavaScript has UTF-16; else 0. */
function offsetIn(statement: string, error: unknown): number {
  const position = error instanceof pg.DatabaseError ? Number(error.position) : Number.NaN;
  if (!Number.isFinite(position)) return 0;
  let offset = 0;
  for (let n = 1; n < position; n++) offset += (statement.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  return offset;
}

async function copyRows(client: pg.Client, text: string, { head, end, rows }: Copy): Promise<void> {
  const statement = text.slice(head, end);
  // pg takes no streams while it sends ahead; nothing is under way here.
  Object.assign(client, { pipeline: false });
  try {
    await pipeline(Readable.from(piecesOf(text, rows.start, rows.end)), client.query(copyFrom(statement)));
  } catch (cause) {
    const row = rowOf(cause);
    throw new FailedAt(cause, row === null ? head + offsetIn(statement, cause) : offsetOfLine(text, rows.start, row));
  }
  Object.assign(client, { pipeline: true });
}

/** The row that Postgres names, from 1: `COPY items, line 2, column n: "x"`; null where it names none. */
function rowOf(error: unknown): number | null {
  const where = error instanceof pg.DatabaseError ? (error.where ?? '') : '';
  const row = /^COPY .*, line (\d+)/m.exec(where)?.[1];
  return row === undefined ? null : Number(row);
}

function offsetOfLine(text: string, start: number, line: number): number {
  let offset = start;
  for (let n = 1; n < line; n++) offset = text.indexOf('\n', offset) + 1;
  return offset;
}

const PIECE = 1 << 20;

function* piecesOf(text: string, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; ) {
    let to = Math.min(end, at + PIECE);
    // Not between the halves of a character.
    if (to < end && /[\uD800-\uDBFF]/.test(text[to - 1] ?? '')) to++;
    yield Buffer.from(text.slice(at, to));
    at = to;
  }
}

function hintOf(error: unknown): string {
  const where = error instanceof pg.DatabaseError && error.where ? `${error.where.split('\n')[0]}\n` : '';
  return `${where}It takes SQL, and what pg_dump writes in its plain format without --clean and --create.`;
}
