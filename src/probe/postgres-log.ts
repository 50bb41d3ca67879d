import { known } from './column-choices.ts';
import { createGuard, postgresProbe } from './guard.ts';
import { createLogCounter, type LogKind, namedCounts, type Severity } from './log-kinds.ts';
import { type LogMark, markLog } from './log-reader.ts';
import type { ProbeReading } from './probe.ts';
import { withSqlSession } from './sql-session.ts';

const MOST_TOLD = 30;

/** Errors and warnings that the server logged during a slice, by kind. What a service tries and fails on purpose (NOWAIT) is one. */
export const openPostgresLog = postgresProbe('postgres-log', async ({ postgres, onWarning }) => {
  const { logFile } = postgres;
  if (logFile === null) return "the server's log is not a file that pgsweep can read";
  const prefix = await withSqlSession(postgres.adminUrl(), async (session) => {
    const [row] = await session.rows<{ prefix: string }>(`SELECT current_setting('log_line_prefix') AS prefix`);
    return row?.prefix ?? '';
  });
  // Absent at once, and not a warning in every slice, where it cannot be read.
  await (await markLog(logFile)).drop();
  const guard = createGuard('postgres-log', onWarning);
  // Of a slice that was broken off, which never gets to its end.
  let open: LogMark | null = null;
  return {
    async begin() {
      const mark = await guard(() => markLog(logFile));
      open = mark;
      return {
        end: async () =>
          mark &&
          guard(async () => {
            open = null;
            const counter = createLogCounter(prefix);
            await mark.read(counter.line);
            return readingOf(counter.kinds());
          }),
      };
    },
    close: async () => open?.drop(),
  };
});

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
    rows: kinds.slice(0, MOST_TOLD).map(({ severity, sqlState, message, count }) => ({
      severity,
      sqlstate: sqlState,
      message,
      count,
    })),
  };
}
