import pg from 'pg';
import { applications } from '../../../base/application-names.ts';
import { createInTurn } from '../../../base/async/in-turn.ts';
import { freeSession } from '../../../base/free-session.ts';

/** Postgres's own work beside the load: checkpoints and autovacuum. */
export interface Housekeeping {
  /** Checkpoints since the server's statistics began. */
  checkpoints(): Promise<number>;
  /** Autovacuum workers that are at work now, in any database: pid and start, so that each is counted once. */
  autovacuumWorkers(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const CHECKPOINTS_SQL = 'SELECT checkpoints_timed + checkpoints_req AS checkpoints FROM pg_stat_bgwriter';
/** From Postgres 17. Timed ones that had nothing to do and were skipped are counted too, until 18 separates them. */
const CHECKPOINTS_17_SQL = 'SELECT num_timed + num_requested AS checkpoints FROM pg_stat_checkpointer';
const CHECKPOINTS_18_SQL = 'SELECT num_done AS checkpoints FROM pg_stat_checkpointer';
// In all databases: what autovacuum has done is counted per database, but its workers are seen from anywhere.
const WORKERS_SQL = `SELECT pid || ' ' || backend_start AS worker FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'`;

/** Watches a server on its own connection to the maintenance database. */
export async function openHousekeeping(adminUrl: string): Promise<Housekeeping> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: applications.conditions });
  // A server that dies is noticed by whoever waits for it; the event alone would end the bench.
  client.on('error', () => {});
  await client.connect();
  await freeSession(client);
  // It is asked every second, and at the edges of passes besides; that pg would queue its queries is deprecated.
  const inTurn = createInTurn();
  const rowsOf = <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> =>
    inTurn(async () => (await client.query<Row>(sql)).rows);
  const [row] = await rowsOf<{ version: number }>(`SELECT current_setting('server_version_num')::int AS version`);
  const version = row?.version ?? 0;
  const checkpointsSql =
    version >= 180_000 ? CHECKPOINTS_18_SQL : version >= 170_000 ? CHECKPOINTS_17_SQL : CHECKPOINTS_SQL;
  return {
    async checkpoints() {
      const [row] = await rowsOf<{ checkpoints: string }>(checkpointsSql);
      return Number(row?.checkpoints);
    },
    async autovacuumWorkers() {
      const workers = await rowsOf<{ worker: string }>(WORKERS_SQL);
      return workers.map(({ worker }) => worker);
    },
    close: () => client.end(),
  };
}
