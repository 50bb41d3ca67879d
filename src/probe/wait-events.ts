import { join } from 'node:path';
import { known } from './column-choices.ts';
import { createGuard, postgresProbe } from './guard.ts';
import type { ProbedArm, ProbeReading } from './probe.ts';
import { openSamplesCsv, type SamplesCsv } from './samples-csv.ts';
import { hiddenStatistics, keepSqlSession, PROBE_APPLICATION, type SqlSession } from './sql-session.ts';
import { openSqlStream, type RunningSql } from './sql-stream.ts';
import { countSessions, type SessionGroup, summariseWaits, type WaitSample, waitSampleColumns } from './wait-shares.ts';

/**
 * A row ten times a second for as long as nobody cancels it, made by the server itself: a query for each costs four
 * times as much CPU, most of it here. What is seen is cleared before each; `n` makes the function be called again. It
 * is the function behind pg_stat_activity, since the view also looks up every session's user and database.
 */
const SAMPLES_SQL = `
  SELECT clock_timestamp() AS at, (
    SELECT coalesce(json_agg(one), '[]') FROM (
      SELECT state, wait_event_type AS type, wait_event AS event, count(*)::int AS sessions
      FROM pg_stat_get_activity(nullif(tick.n, tick.n))
      WHERE datid = $1::oid AND backend_type = 'client backend' AND application_name <> '${PROBE_APPLICATION}'
      GROUP BY 1, 2, 3
    ) AS one
  ) AS groups
  FROM (
    SELECT n, pg_sleep(0.1), pg_stat_clear_snapshot()
    FROM (SELECT generate_series(1, 2147483647) AS n) AS forever
    OFFSET 0
  ) AS tick`;

interface Moment {
  readonly at: Date;
  readonly groups: readonly SessionGroup[];
}

/** What the service's sessions wait for, ten times a second: shares of the busy ones, and how many were busy at once. */
export const openWaitEvents = postgresProbe('wait-events', ({ postgres, samplesFolder, onWarning }) =>
  keepSqlSession(postgres.adminUrl(), async (session) => {
    const hidden = await hiddenStatistics(session);
    if (hidden !== null) return hidden;
    const stream = await openSqlStream<Moment>(postgres.adminUrl(), session, SAMPLES_SQL);
    const csv = openSamplesCsv(join(samplesFolder, 'wait-events.csv'), [
      'at',
      'round',
      'slice',
      'arm',
      ...waitSampleColumns,
    ]);
    const guard = createGuard('wait-events', onWarning);
    let running: RunningSql<Moment> | null = null;
    return {
      async begin(arm) {
        const { database } = arm;
        const oid = database === null ? null : await guard(() => oidOf(session, database));
        if (oid === null) return { end: async () => null };
        const started = stream.start([oid]);
        running = started;
        return {
          async end(): Promise<ProbeReading | null> {
            const moments = await guard(started.stop);
            running = null;
            if (moments === null) return null;
            for (const { at, groups } of moments) writeSample(csv, arm, at, countSessions(groups));
            const summary = summariseWaits(moments.map(({ groups }) => groups));
            return summary && { values: known(summary.values), rows: summary.rows };
          },
        };
      },
      async close() {
        // A slice that was broken off has no end.
        if (running !== null) await guard(running.stop);
        await stream.close();
        await session.close();
        await guard(csv.close);
      },
    };
  }),
);

async function oidOf(session: SqlSession, database: string): Promise<string> {
  const [row] = await session.rows<{ oid: string }>('SELECT oid::text FROM pg_database WHERE datname = $1', [database]);
  if (row === undefined) throw new Error(`there is no database ${database}`);
  return row.oid;
}

function writeSample(csv: SamplesCsv, { round, slice, arm }: ProbedArm, at: Date, sample: WaitSample): void {
  const counts = waitSampleColumns.map((column) => sample[column]);
  csv.write([at.toISOString(), round, slice, arm, ...counts]);
}
