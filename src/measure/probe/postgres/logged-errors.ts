import { stat } from 'node:fs/promises';
import { PgsweepError } from '../../../base/errors.ts';
import { maskKnownTexts } from '../../../base/secrets.ts';
import { createLogCounter, type LogKind } from './log-kinds.ts';
import { readLogEnd } from './log-reader.ts';
import { readLogFormat } from './postgres-log.ts';
import { withSqlSession } from './sql-session.ts';

/** A server whose log may say why a service failed. */
export interface LoggingServer {
  /** True if pgsweep started it: its log may be read. */
  readonly own: boolean;
  readonly logFile: string;
  adminUrl(): string;
}

/** The end of a log is enough: one with each statement that failed may have gigabytes. */
const MOST_BYTES = 4 * 2 ** 20;
const MOST_NAMED = 3;
/** Sessions that the bench or an administrator ends, and a server that starts or stops. */
const ENDED = /^(?:57P0[123])$/;
const SAID = 'Postgres logged: ';
const SAID_AT_START = 'While the service started, Postgres logged: ';

/** Where the log of each server ended, in bytes, by file: what it says of a service's start and of what came after it. */
export type LogEnds = ReadonlyMap<string, number>;

/** Ends of the logs of servers that pgsweep started, as far as they can be read. */
export async function logEnds(servers: readonly LoggingServer[]): Promise<LogEnds> {
  const own = servers.filter((server) => server.own);
  const sizes = own.map(async ({ logFile }) => [logFile, (await stat(logFile)).size] as const);
  const read = await Promise.allSettled(sizes);
  return new Map(read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
}

interface WhichErrors {
  /** The database whose errors alone count. */
  readonly database?: string;
  /** Taken once the service was ready: errors of its start, which it survived, are named as such, and only where none came after them. */
  readonly readyAt?: LogEnds | undefined;
}

/**
 * The error of a service, with the most frequent errors that Postgres logged in databases of the bench: a service seldom
 * says them. Other errors stay as they are, and so does this one where the log has none, or cannot be read.
 */
export async function withLoggedErrors(
  error: unknown,
  servers: readonly LoggingServer[],
  { database, readyAt }: WhichErrors = {},
): Promise<unknown> {
  if (!(error instanceof PgsweepError) || error.code !== 'target' || error.message.includes(SAID)) return error;
  const errors = async (from?: LogEnds): Promise<LogKind[]> => {
    const read = servers.map((server) => errorsIn(server, database, from?.get(server.logFile)).catch(() => []));
    return (await Promise.all(read)).flat().sort((a, b) => b.count - a.count);
  };
  const after = readyAt === undefined ? [] : await errors(readyAt);
  const kinds = after.length > 0 ? after : await errors();
  if (kinds.length === 0) return error;
  const said = after.length > 0 || readyAt === undefined ? SAID : SAID_AT_START;
  const { code, message, hint, setting, cause } = error;
  const words = maskKnownTexts(kinds.slice(0, MOST_NAMED).map(kindWords));
  return new PgsweepError(code, `${message}\n${said}${words.join('; ')}.`, { hint, setting, cause });
}

async function errorsIn(
  { own, adminUrl, logFile }: LoggingServer,
  only: string | undefined,
  fromByte: number | undefined,
): Promise<readonly LogKind[]> {
  if (!own) return [];
  const { prefix } = await withSqlSession(adminUrl(), readLogFormat);
  const counter = createLogCounter(prefix, {
    // What the bench itself does stands under the database of administrators.
    accepts: ({ database }) => database === null || (only === undefined ? database !== 'postgres' : database === only),
  });
  await readLogEnd(logFile, { mostBytes: MOST_BYTES, fromByte }, counter.line);
  return counter.kinds().filter(({ severity, sqlState }) => severity !== 'WARNING' && !ENDED.test(sqlState ?? ''));
}

/** `257 x deadlock detected (40P01, in UPDATE items SET hits = hits + N WHERE id = $1)` */
function kindWords({ count, message, sqlState, statement }: LogKind): string {
  const known = [sqlState, statement && `in ${statement}`].filter((one) => one);
  return `${count} x ${message}${known.length === 0 ? '' : ` (${known.join(', ')})`}`;
}
