import type { LoadTimes, ProbedArm, ProbeReading } from '../probe.ts';
import { warnOnce } from '../warn-once.ts';
import { known } from './column-choices.ts';
import {
  createLogCounter,
  type LogKind,
  type LogOrigin,
  namedCounts,
  namedValues,
  type Severity,
} from './log-kinds.ts';
import { type LogMark, markLog } from './log-reader.ts';
import { postgresProbe } from './postgres-probe.ts';
import { type SqlSession, withSqlSession } from './sql-session.ts';

const MOST_TOLD = 30;

/** The log's clock and the turns' may differ by the rounding to milliseconds. */
const ROUNDING_MS = 1;

/**
 * Errors and warnings that the server logged during a pass, by kind. What a service tries and fails on purpose (NOWAIT)
 * is one. A line is the arm's whose database it names, or in whose turn it was written; where its prefix tells neither
 * (no %d, %m or %n), every arm on the server gets all lines.
 */
export const postgresLog = postgresProbe(
  'postgres-log',
  async ({ postgres, onWarning }) => {
    const { logFile } = postgres;
    if (logFile === null) return "the server's log is not a file that pgsweep can read";
    const { prefix, zoneMs } = await withSqlSession(postgres.adminUrl(), readLogFormat);
    // Absent at once, and not a warning in every slice, where it cannot be read.
    await (await markLog(logFile)).drop();
    const attempt = warnOnce('postgres-log', onWarning);
    // Holds the marks of a pass that was broken off, which never gets to its end.
    const open = new Set<LogMark>();
    return {
      async begin(arm) {
        const mark = await attempt(() => markLog(logFile));
        if (mark !== null) open.add(mark);
        return {
          end: async (load) =>
            mark &&
            attempt(async () => {
              open.delete(mark);
              const counter = createLogCounter(prefix, { zoneMs, accepts: linesOf(arm, load) });
              await mark.read(counter.line);
              return readingOf(counter.kinds());
            }),
        };
      },
      async close() {
        await Promise.all([...open].map((mark) => mark.drop()));
      },
    };
  },
  { values: ['log_errors', 'log_warnings', ...namedValues] },
);

function linesOf({ database: own }: ProbedArm, { turns }: LoadTimes): (origin: LogOrigin) => boolean {
  return ({ database, atMs }) => {
    if (database !== null) return database === own;
    if (atMs === null) return true;
    return turns.some(({ fromMs, toMs }) => fromMs - ROUNDING_MS <= atMs && atMs <= toMs + ROUNDING_MS);
  };
}

/** How lines begin, and how far the zone of their times is ahead of UTC. */
export async function readLogFormat(
  session: SqlSession,
): Promise<{ readonly prefix: string; readonly zoneMs: number }> {
  const [row] = await session.rows<{ prefix: string; zone: number }>(
    `SELECT current_setting('log_line_prefix') AS prefix,
       extract(epoch FROM (now() AT TIME ZONE current_setting('log_timezone')) - (now() AT TIME ZONE 'UTC'))::float8 AS zone`,
  );
  return { prefix: row?.prefix ?? '', zoneMs: 1000 * (row?.zone ?? 0) };
}

function readingOf(kinds: readonly LogKind[]): ProbeReading {
  const count = (which: (kind: LogKind) => boolean): number =>
    kinds.filter(which).reduce((sum, kind) => sum + kind.count, 0);
  const errors: readonly Severity[] = ['ERROR', 'FATAL', 'PANIC'];
  return {
    values: known({
      log_errors: count(({ severity }) => errors.includes(severity)),
      log_warnings: count(({ severity }) => severity === 'WARNING'),
      ...namedCounts(kinds),
    }),
    rows: kinds.slice(0, MOST_TOLD).map(({ severity, sqlState, message, statement, count }) => ({
      severity,
      sqlstate: sqlState,
      message,
      ...(statement !== undefined && { statement }),
      count,
    })),
  };
}
