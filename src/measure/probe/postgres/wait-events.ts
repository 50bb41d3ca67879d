import { once } from '../../../base/async/once.ts';
import { inOrder } from '../counters.ts';
import type { LoadTimes, ProbeReading } from '../probe.ts';
import { openSamplesFile } from '../samples-file.ts';
import { warnOnce } from '../warn-once.ts';
import { known } from './column-choices.ts';
import { postgresProbe } from './postgres-probe.ts';
import { hiddenStatistics, keepSqlSession, PROBE_APPLICATION, type SqlSession } from './sql-session.ts';
import { openSqlStream } from './sql-stream.ts';
import { countSessions, type SessionGroup, sessionCounters, summariseWaits, waitValues } from './wait-shares.ts';

/**
 * A row ten times a second for as long as nobody cancels it, made by the server itself: a query for each costs four
 * times as much CPU, most of it here. What is seen is cleared before each; `n` makes the function be called again. It
 * is the function behind pg_stat_activity, since the view also looks up every session's user and database.
 */
const SAMPLES_SQL = `
  SELECT clock_timestamp() AS at, (
    SELECT coalesce(json_agg(one), '[]') FROM (
      SELECT datid::text AS database, state, wait_event_type AS type, wait_event AS event, count(*)::int AS sessions
      FROM pg_stat_get_activity(nullif(tick.n, tick.n))
      WHERE datid IS NOT NULL AND backend_type = 'client backend' AND application_name <> '${PROBE_APPLICATION}'
      GROUP BY 1, 2, 3, 4
    ) AS one
  ) AS groups
  FROM (
    SELECT n, pg_sleep(0.1), pg_stat_clear_snapshot()
    FROM (SELECT generate_series(1, 2147483647) AS n) AS forever
    OFFSET 0
  ) AS tick`;

interface Moment {
  readonly at: Date;
  /** The sessions of all databases; `database` is the oid. */
  readonly groups: readonly (SessionGroup & { readonly database: string })[];
}

/** The arms that are observed at once: one statement samples for all of them. */
interface SampledPass {
  /** All its samples; ends the statement. */
  readonly moments: () => Promise<readonly Moment[] | null>;
  /** Once an arm has asked for its samples, no arm is under load any more. */
  over: boolean;
}

/**
 * Waits of the service's sessions, ten times a second: shares of the busy ones, and how many were busy at once. A sample
 * belongs to the arm in whose turn it was taken, by the server's clock, which must be this machine's.
 */
export const waitEvents = postgresProbe(
  'wait-events',
  ({ postgres, samplesFolder, onWarning }) =>
    keepSqlSession(postgres.adminUrl(), async (session) => {
      const hidden = await hiddenStatistics(session);
      if (hidden !== null) return hidden;
      const stream = await openSqlStream<Moment>(postgres.adminUrl(), session, SAMPLES_SQL);
      const samples = openSamplesFile(samplesFolder, 'wait-events', Object.keys(sessionCounters));
      const attempt = warnOnce('wait-events', onWarning);
      let pass: SampledPass | null = null;
      const joinPass = (): SampledPass => {
        if (pass !== null && !pass.over) return pass;
        const running = stream.start([]);
        pass = { moments: once(() => attempt(running.stop)), over: false };
        return pass;
      };
      return {
        async begin(arm) {
          const { database } = arm;
          const oid = database === null ? null : await attempt(() => oidOf(session, database));
          if (oid === null) return { end: async () => null };
          const own = joinPass();
          return {
            async end({ turns }): Promise<ProbeReading | null> {
              own.over = true;
              const all = await own.moments();
              if (all === null) return null;
              const moments = momentsOf(all, oid, turns);
              for (const { at, groups } of moments)
                samples.add(arm, at, inOrder(sessionCounters, countSessions(groups)));
              const summary = summariseWaits(moments.map(({ groups }) => groups));
              return summary && { values: known(summary.values), rows: summary.rows };
            },
          };
        },
        async close() {
          // A pass that was broken off has no end.
          await pass?.moments();
          await stream.close();
          await session.close();
          await samples.close();
        },
      };
    }),
  { byTurns: true, values: waitValues },
);

/** The samples of one database that were taken in an arm's turns. */
function momentsOf(all: readonly Moment[], oid: string, turns: LoadTimes['turns']): readonly Moment[] {
  const within = (at: Date): boolean =>
    turns.some(({ fromMs, toMs }) => fromMs <= at.getTime() && at.getTime() <= toMs);
  return all
    .filter(({ at }) => within(at))
    .map(({ at, groups }) => ({ at, groups: groups.filter(({ database }) => database === oid) }));
}

async function oidOf(session: SqlSession, database: string): Promise<string> {
  const [row] = await session.rows<{ oid: string }>('SELECT oid::text FROM pg_database WHERE datname = $1', [database]);
  if (row === undefined) throw new Error(`there is no database ${database}`);
  return row.oid;
}
