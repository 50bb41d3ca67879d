import { join } from 'node:path';
import { known } from './column-choices.ts';
import { createGuard, postgresProbe } from './guard.ts';
import type { ProbedArm, ProbeReading } from './probe.ts';
import { openSamplesCsv, type SamplesCsv } from './samples-csv.ts';
import { hiddenStatistics, keepSqlSession, PROBE_APPLICATION, type SqlSession } from './sql-session.ts';
import { countSessions, type SessionGroup, summariseWaits, type WaitSample, waitSampleColumns } from './wait-shares.ts';

const SAMPLE_MS = 100;

/** The function behind pg_stat_activity, since the view also looks up every session's user and database. */
const GROUPS_SQL = `
  SELECT state, wait_event_type AS type, wait_event AS event, count(*)::int AS sessions
  FROM pg_stat_get_activity(NULL)
  WHERE datid = $1::oid AND backend_type = 'client backend' AND application_name <> '${PROBE_APPLICATION}'
  GROUP BY 1, 2, 3`;

/** What the service's sessions wait for, ten times a second: shares of the busy ones, and how many were busy at once. */
export const openWaitEvents = postgresProbe('wait-events', ({ postgres, samplesFolder, onWarning }) =>
  keepSqlSession(postgres.adminUrl(), async (session) => {
    const hidden = await hiddenStatistics(session);
    if (hidden !== null) return hidden;
    const csv = openSamplesCsv(join(samplesFolder, 'wait-events.csv'), [
      'at',
      'round',
      'slice',
      'arm',
      ...waitSampleColumns,
    ]);
    const guard = createGuard('wait-events', onWarning);
    const running = new Set<{ stop(): Promise<void> }>();
    return {
      async begin(arm) {
        const { database } = arm;
        const oid = database === null ? null : await guard(() => oidOf(session, database));
        if (oid === null) return { end: async () => null };
        const sampling = startSampling(() => guard(() => session.rows<SessionGroup>(GROUPS_SQL, [oid])));
        running.add(sampling);
        return {
          async end(): Promise<ProbeReading | null> {
            await sampling.stop();
            running.delete(sampling);
            // Not before: the fewer things are done beside the load, the better.
            for (const { at, groups } of sampling.samples) writeSample(csv, arm, at, countSessions(groups));
            const summary = summariseWaits(sampling.samples.map(({ groups }) => groups));
            return summary && { values: known(summary.values), rows: summary.rows };
          },
        };
      },
      async close() {
        // A slice that was broken off has no end.
        for (const sampling of running) await sampling.stop();
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

interface Moment {
  readonly at: Date;
  readonly groups: readonly SessionGroup[];
}

interface Sampling {
  readonly samples: readonly Moment[];
  stop(): Promise<void>;
}

/** Samples until it is stopped, or fails once. A sample that takes longer than the interval delays the next. */
function startSampling(take: () => Promise<readonly SessionGroup[] | null>): Sampling {
  const samples: Moment[] = [];
  let taking: Promise<void> | null = null;
  const takeOne = async (): Promise<void> => {
    const at = new Date();
    const groups = await take();
    if (groups === null) clearInterval(timer);
    else samples.push({ at, groups });
    taking = null;
  };
  const timer = setInterval(() => {
    taking ??= takeOne();
  }, SAMPLE_MS).unref();
  return {
    samples,
    async stop() {
      clearInterval(timer);
      await taking;
    },
  };
}

function writeSample(csv: SamplesCsv, { round, slice, arm }: ProbedArm, at: Date, sample: WaitSample): void {
  const counts = waitSampleColumns.map((column) => sample[column]);
  csv.write([at.toISOString(), round, slice, arm, ...counts]);
}
