import { isUtf8 } from 'node:buffer';
import type { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { messageOf } from '../../base/errors.ts';
import { eachPart, ScriptError, type ScriptPart } from '../../base/files/sql-script.ts';
import type { LeftOut } from '../../journal/run/provenance-record.ts';
import { type ServerKnows, withoutMissing } from './left-out.ts';
import { type SqlFileKey, statementOfCommand } from './psql-commands.ts';
import { sendCopy, sendStatement } from './send-bytes.ts';
import { textToScan } from './sql-text.ts';

type Statement = Extract<ScriptPart, { kind: 'statement' }>;
type Copy = Extract<ScriptPart, { kind: 'copy' }>;
/** Where a statement begins in its file, and from where on it is sent. */
type Place = Pick<Statement, 'sent' | 'head'>;
type ToLeaveOut = Omit<LeftOut, 'file'>;

/** An error about a statement, with its place in the file. */
export class FailedAt extends Error {
  readonly offset: number;
  readonly statement: string;
  readonly hint: string | null;
  constructor(cause: unknown, offset: number, statement = '', hint: string | null = null) {
    super(messageOf(cause), { cause });
    this.offset = offset;
    this.statement = statement;
    this.hint = hint;
  }
}

/** How many statements are sent before the first of them has to be answered. */
const MOST_SENT = 500;
const MOST_SENT_BYTES = 1 << 20;

/** Statements after which the session may have another client_encoding. */
const mayChangeEncoding = /client_encoding|^\s*(?:set\s+names|reset\s+all|discard\s+all|rollback|abort|commit|end)\b/i;
const mayBeLeftOut = /^(?:set|alter|grant|revoke|create\s+schema)\s/i;
const opensTransaction = /^(?:begin|start\s+transaction)\b/i;

/**
 * An SQL file on its way into a database. Postgres itself says what counts: which client_encoding the session has, which
 * roles there are by now, whether a transaction is open.
 */
export class SqlSession {
  /** `15.18`, once it runs. */
  serverVersion = '';
  private readonly client: pg.Client;
  private readonly bytes: Buffer;
  private readonly leftOut: ToLeaveOut[] = [];
  private knows: ServerKnows = { settings: new Set(), roles: new Set() };
  private rolesAreOld = false;
  /** The encoding in which the file is read, and the last one that the server has reported. */
  private encoding = 'UTF8';
  private reported = 'UTF8';
  /** The file by its bytes, as characters. */
  private text = '';
  private parts = eachPart('');
  private sent: Promise<void>[] = [];
  private sentBytes = 0;
  /** Where the last statement begins that opens a transaction. */
  private opened = 0;

  private readonly key: SqlFileKey;

  /** The client is not connected yet. A data set is sent ahead, and without what this server lacks; a job as psql sends it. */
  constructor(client: pg.Client, bytes: Buffer, key: SqlFileKey = 'dataset') {
    this.client = client;
    this.bytes = bytes;
    this.key = key;
    const { connection } = client as unknown as { readonly connection: EventEmitter };
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      if (parameterName === 'client_encoding') this.reported = parameterValue ?? 'UTF8';
      if (parameterName === 'server_version') this.serverVersion = parameterValue ?? '';
    });
  }

  /** Runs the whole file, and returns what was left out of it. Throws FailedAt, and pg's own error of a lost connection. */
  async runAll(singleTransaction: boolean, signal: AbortSignal): Promise<readonly ToLeaveOut[]> {
    if (this.key === 'dataset') await this.prepareLoad();
    if (singleTransaction) await this.client.query('BEGIN');
    this.scanFrom(0);
    for (let part = await this.next(); part !== null; part = await this.next()) {
      signal.throwIfAborted();
      await this.run(part);
    }
    await this.allAnswered();
    if (singleTransaction) await this.client.query('COMMIT');
    else if (this.client.getTransactionStatus() !== 'I') {
      const error = new Error('the file ends inside the transaction that begins here, so all of it is rolled back');
      throw new FailedAt(error, this.opened, '', 'End it with COMMIT; psql rolls it back without a word.');
    }
    return this.leftOut;
  }

  private async prepareLoad(): Promise<void> {
    const settings = new Set(await this.namesOf('SELECT lower(name) AS name FROM pg_settings'));
    this.knows = { settings, roles: await this.roles() };
    // A wait for the disk after each INSERT would take minutes, and what a crash loses is loaded again.
    await this.client.query('SET synchronous_commit = off');
  }

  private scanFrom(offset: number): void {
    this.text = textToScan(this.bytes, this.encoding, offset);
    this.parts = eachPart(this.text, offset);
  }

  /** The next part; null at the end. A mistake in the file counts after what stands before it. */
  private async next(): Promise<ScriptPart | null> {
    try {
      return this.parts.next().value ?? null;
    } catch (error) {
      await this.allAnswered();
      throw error instanceof ScriptError ? new FailedAt(error, error.offset, '', error.hint) : error;
    }
  }

  private async run(part: ScriptPart): Promise<void> {
    if (part.kind === 'copy') return this.copy(part);
    if (part.kind === 'command') return this.command(part);
    const start = this.text.slice(part.head, Math.min(part.end, part.head + 100));
    const isAsked = this.key === 'dataset' && mayBeLeftOut.test(start);
    const statement = isAsked ? await this.runnable(part) : this.bytes.subarray(part.sent, part.end);
    if (statement === null) return;
    if (opensTransaction.test(start)) this.opened = part.head;
    await this.send(statement, part);
    if (mayChangeEncoding.test(this.text.slice(part.head, part.end))) await this.readEncoding(part.end);
  }

  private async command({ start, end }: ScriptPart): Promise<void> {
    let statement: string | null;
    try {
      statement = statementOfCommand(this.text.slice(start, end), start, this.key);
    } catch (error) {
      await this.allAnswered();
      throw error instanceof ScriptError ? new FailedAt(error, start, '', error.hint) : error;
    }
    if (statement === null) return;
    await this.send(Buffer.from(statement), { sent: start, head: start });
    await this.readEncoding(end);
  }

  private async send(statement: Buffer, place: Place): Promise<void> {
    const sending = sendStatement(this.client, statement).catch((cause: unknown) => {
      throw this.failed(cause, place, statement);
    });
    sending.catch(() => {});
    this.sent.push(sending);
    this.sentBytes += statement.length;
    this.rolesAreOld = true;
    if (this.key !== 'dataset' || this.sent.length >= MOST_SENT || this.sentBytes > MOST_SENT_BYTES)
      await this.allAnswered();
  }

  /** The first that fails is the error, as the rest would not have been run. */
  private async allAnswered(): Promise<void> {
    const { sent } = this;
    this.sent = [];
    this.sentBytes = 0;
    for (const done of sent) await done;
  }

  /** Takes the encoding in which Postgres reads the rest of the file, as it has reported it. */
  private async readEncoding(offset: number): Promise<void> {
    await this.allAnswered();
    if (this.reported === this.encoding) return;
    this.encoding = this.reported;
    this.scanFrom(offset);
  }

  /** A statement without what this Postgres lacks; null where nothing is left. A role may have been made since the roles were read. */
  private async runnable({ head, sent, end }: Statement): Promise<Buffer | null> {
    const encoding = this.encoding === 'UTF8' ? 'utf8' : 'latin1';
    const whole = this.bytes.toString(encoding, head, end);
    let { statement, leftOut } = withoutMissing(whole, this.knows);
    if (leftOut.some(({ kind }) => kind === 'role') && this.rolesAreOld) {
      await this.allAnswered();
      this.knows = { ...this.knows, roles: await this.roles() };
      this.rolesAreOld = false;
      ({ statement, leftOut } = withoutMissing(whole, this.knows));
    }
    this.leftOut.push(...leftOut);
    if (statement === whole) return this.bytes.subarray(sent, end);
    return statement === null ? null : Buffer.from(statement, encoding);
  }

  private async roles(): Promise<ReadonlySet<string>> {
    return new Set(await this.namesOf('SELECT rolname AS name FROM pg_roles'));
  }

  private async namesOf(sql: string): Promise<string[]> {
    return (await this.client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
  }

  private async copy(part: Copy): Promise<void> {
    const { rows } = part;
    await this.allAnswered();
    const statement = this.bytes.subarray(part.sent, part.end);
    // pg takes no streams while it sends ahead; nothing is under way here.
    Object.assign(this.client, { pipeline: false });
    try {
      const pieces = piecesOf(this.bytes.subarray(rows.start, rows.end));
      await pipeline(Readable.from(pieces), sendCopy(this.client, statement));
    } catch (cause) {
      const row = rowOf(cause);
      if (row === null) throw this.failed(cause, part, statement);
      throw new FailedAt(cause, offsetOfLine(this.text, rows.start, row), statement.toString());
    }
    Object.assign(this.client, { pipeline: true });
    this.rolesAreOld = true;
  }

  private failed(cause: unknown, { sent, head }: Place, statement: Buffer): FailedAt {
    const isBytes = cause instanceof pg.DatabaseError && cause.code === '22021' && this.encoding === 'UTF8';
    const offset = isBytes ? firstNotUtf8(statement) : offsetIn(statement, cause, this.encoding);
    const at = isBytes || offset > 0 ? sent + offset : head;
    return new FailedAt(cause, at, statement.subarray(head - sent).toString('latin1'));
  }
}

/** How far into a statement Postgres says that it stumbled, which counts characters; else 0. */
function offsetIn(statement: Buffer, error: unknown, encoding: string): number {
  const position = error instanceof pg.DatabaseError ? Number(error.position) : Number.NaN;
  if (!Number.isFinite(position)) return 0;
  if (encoding !== 'UTF8') return position - 1;
  let characters = 0;
  // All bytes of a character but the first are 10xxxxxx.
  return Math.max(
    0,
    statement.findIndex((byte) => (byte & 0xc0) !== 0x80 && ++characters === position),
  );
}

/** Where the first line begins that is not UTF-8; 0 where all are. */
function firstNotUtf8(statement: Buffer): number {
  for (let at = 0; at < statement.length; ) {
    const newline = statement.indexOf('\n', at);
    const end = newline < 0 ? statement.length : newline;
    if (!isUtf8(statement.subarray(at, end))) return at;
    at = end + 1;
  }
  return 0;
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

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}
