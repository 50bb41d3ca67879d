import { constants } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { messageOf, PgsweepError } from '../base/errors.ts';
import { archiveMinor, isGzip } from './dump-kind.ts';
import { ScriptError, type ScriptPart, scriptParts } from './sql-script.ts';

/** What the server knows of what a dump may name. */
export interface ServerKnows {
  readonly settings: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
}

/**
 * Runs an SQL file, gzipped or not, or what pg_dump of 13 to 18 writes in its plain format: rows after COPY ... FROM stdin, \restrict,
 * settings of a younger Postgres, owners and privileges of roles that are not here. Throws PgsweepError `dataset` with the
 * file's line.
 */
export async function runSqlFile(
  file: string,
  databaseUrl: string,
  { onProgress, signal }: { readonly onProgress: (message: string) => void; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  const text = await textOf(file);
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'pgsweep load' });
  // A lost connection also rejects the query that is under way; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  let current: Step | null = null;
  try {
    const parts = scriptParts(text);
    const knows = await whatServerKnows(client);
    const skipped = new Set<string>();
    for (const step of stepsOf(text, parts, knows, skipped)) {
      signal.throwIfAborted();
      current = step;
      await runStep(client, text, step);
    }
    if (skipped.size > 0)
      onProgress(`${basename(file)}: left out, since this Postgres has no ${[...skipped].join(', ')}`);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof PgsweepError) throw cause;
    const offset = cause instanceof ScriptError ? cause.offset : offsetOf(cause, current);
    const line = offset === null ? '' : `:${text.slice(0, offset).split('\n').length}`;
    throw new PgsweepError('dataset', `${file}${line}: ${messageOf(cause)}`, {
      hint: hintOf(cause),
      cause,
    });
  } finally {
    await client.end();
  }
}

async function textOf(file: string): Promise<string> {
  const hint = `Use dataset: { command: ... } with psql for what is larger than ${Math.floor(constants.MAX_STRING_LENGTH / 1e6)} MB.`;
  try {
    const bytes = await bytesOf(file);
    if (archiveMinor(bytes) !== null) {
      throw new PgsweepError('dataset', `${file} is a dump in the custom format, and no SQL`, {
        hint: 'Use dataset: { dump: FILE }, which takes all formats of pg_dump; decompress one that is gzipped as well.',
      });
    }
    if (bytes.includes(0)) {
      throw new PgsweepError('dataset', `${file} is not text`, {
        hint: 'dataset.sql takes SQL, gzipped or not, and what pg_dump writes in its plain format.',
      });
    }
    return bytes.toString('utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    if (cause instanceof PgsweepError) throw cause;
    throw new PgsweepError('dataset', `${file} cannot be read: ${messageOf(cause)}`, { hint, cause });
  }
}

/** The bytes of a file, of a gzipped one those that were gzipped. */
async function bytesOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0).finally(() => handle.close());
  const pieces: Buffer[] = [];
  let size = 0;
  const collect = async (stream: AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of stream) {
      size += piece.length;
      // A small file may hold more than there is memory.
      if (size > constants.MAX_STRING_LENGTH) throw new Error('it is too long to be held as one text');
      pieces.push(piece);
    }
  };
  if (isGzip(buffer)) await pipeline(createReadStream(file), createGunzip(), collect);
  else await pipeline(createReadStream(file), collect);
  return Buffer.concat(pieces, size);
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

type Step =
  | { readonly kind: 'statements'; readonly start: number; readonly end: number }
  | Extract<ScriptPart, { kind: 'copy' }>;

/** Statements in a row are sent together, as they stand in the file: a round trip each would take minutes for INSERTs. */
function stepsOf(text: string, parts: readonly ScriptPart[], knows: ServerKnows, skipped: Set<string>): Step[] {
  const steps: Step[] = [];
  let open: { start: number; end: number } | null = null;
  const close = (): void => {
    if (open !== null) steps.push({ kind: 'statements', ...open });
    open = null;
  };
  for (const part of parts) {
    const reason =
      part.kind === 'command' ? commandReason(text, part) : unknownName(text.slice(part.head, part.end), knows);
    if (part.kind !== 'statement' || reason !== null) close();
    if (reason !== null) {
      if (reason !== '') skipped.add(reason);
    } else if (part.kind === 'copy') steps.push(part);
    else open = { start: open === null ? part.start : open.start, end: part.end };
  }
  close();
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
  const set = setting.exec(statement)?.[1];
  if (set !== undefined) {
    const name = unquoted(set);
    if (name === 'client_encoding') requireUtf8(statement);
    return settings.has(name) || hiddenSettings.includes(name) ? null : `setting ${name}`;
  }
  if (/^create\s+schema\s+"?public"?\s*;?\s*$/i.test(statement)) return '';
  const owned = owner.exec(statement)?.[1];
  const named = owned !== undefined ? [owned] : privileges.test(statement) ? granteesOf(statement) : [];
  const unknown = named.map(unquoted).find((name) => !roles.has(name) && !specialRoles.includes(name));
  return unknown === undefined ? null : `role ${unknown}`;
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

function requireUtf8(statement: string): void {
  const encoding = /'([^']*)'|=\s*(\w+)/.exec(statement);
  const name = encoding?.[1] ?? encoding?.[2] ?? '';
  if (/^(utf-?8|unicode|sql_ascii)$/i.test(name)) return;
  throw new PgsweepError('dataset', `the dump is in the encoding ${name}`, {
    hint: 'Make it by pg_dump --encoding=UTF8.',
  });
}

async function runStep(client: pg.Client, text: string, step: Step): Promise<void> {
  if (step.kind === 'statements') {
    await client.query(text.slice(step.start, step.end));
    return;
  }
  const { start, end, rows } = step;
  await pipeline(Readable.from(piecesOf(text, rows.start, rows.end)), client.query(copyFrom(text.slice(start, end))));
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

/** Where Postgres stumbled; null where it does not say in which of several statements. */
function offsetOf(error: unknown, step: Step | null): number | null {
  if (step === null) return null;
  const position = error instanceof pg.DatabaseError ? Number(error.position) : Number.NaN;
  if (Number.isFinite(position)) return step.start + position - 1;
  return step.kind === 'copy' ? step.head : null;
}

function hintOf(error: unknown): string {
  const where = error instanceof pg.DatabaseError && error.where ? `${error.where.split('\n')[0]}\n` : '';
  return `${where}It takes SQL, and what pg_dump writes in its plain format without --clean and --create.`;
}
