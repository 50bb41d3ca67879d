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

/**
 * The error of a service, with the most frequent errors that Postgres logged in databases of the bench: a service seldom
 * says them. Other errors stay as they are, and so does this one where the log has none, or cannot be read. `database`:
 * whose errors alone count.
 */
export async function withLoggedErrors(
  error: unknown,
  servers: readonly LoggingServer[],
  database?: string,
): Promise<unknown> {
  if (!(error instanceof PgsweepError) || error.code !== 'target' || error.message.includes(SAID)) return error;
  const read = servers.map((server) => errorsIn(server, database).catch(() => []));
  const kinds = (await Promise.all(read)).flat().sort((a, b) => b.count - a.count);
  if (kinds.length === 0) return error;
  const { code, message, hint, setting, cause } = error;
  const words = maskKnownTexts(kinds.slice(0, MOST_NAMED).map(kindWords));
  return new PgsweepError(code, `${message}\n${SAID}${words.join('; ')}.`, { hint, setting, cause });
}

async function errorsIn({ own, adminUrl, logFile }: LoggingServer, only?: string): Promise<readonly LogKind[]> {
  if (!own) return [];
  const { prefix } = await withSqlSession(adminUrl(), readLogFormat);
  const counter = createLogCounter(prefix, {
    // What the bench itself does stands under the database of administrators.
    accepts: ({ database }) => database === null || (only === undefined ? database !== 'postgres' : database === only),
  });
  await readLogEnd(logFile, MOST_BYTES, counter.line);
  return counter.kinds().filter(({ severity, sqlState }) => severity !== 'WARNING' && !ENDED.test(sqlState ?? ''));
}

/** `257 x deadlock detected (40P01, in UPDATE items SET hits = hits + N WHERE id = $1)` */
function kindWords({ count, message, sqlState, statement }: LogKind): string {
  const known = [sqlState, statement && `in ${statement}`].filter((one) => one);
  return `${count} x ${message}${known.length === 0 ? '' : ` (${known.join(', ')})`}`;
}
