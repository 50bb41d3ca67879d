import pg from 'pg';
import { createDatabase } from '../../../src/measure/stack/common/databases.ts';
import type { StartedPostgres } from '../../../src/measure/stack/common/postgres.ts';

/** A service's database and its pool, loaded in bursts by this many clients at once. */
export interface BurstingArm {
  readonly database: string;
  /** Load for this long, by fewer clients if wanted; resolves, once the last answer has come, to how many transactions were committed. */
  turn(durationMs: number, clients?: number): Promise<number>;
  close(): Promise<void>;
}

export interface BurstOptions {
  readonly database: string;
  readonly poolSize: number;
  readonly concurrency: number;
}

/** The session is at work for 10 ms and uses next to no CPU, which other tests want, too. */
const INSERT = 'INSERT INTO t SELECT 1 FROM pg_sleep(0.01)';

/** Each transaction inserts a row: half of them by a statement alone, half between BEGIN and COMMIT. */
export async function burstingArm(
  server: StartedPostgres,
  { database, poolSize, concurrency }: BurstOptions,
): Promise<BurstingArm> {
  await createDatabase(server, database);
  const pool = new pg.Pool({ connectionString: server.adminUrl(database), max: poolSize, idleTimeoutMillis: 0 });
  pool.on('error', () => {});
  await pool.query('CREATE TABLE t (n int)');
  const inTransaction = async (): Promise<void> => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query(INSERT);
    await client.query('COMMIT');
    client.release();
  };
  return {
    database,
    async turn(durationMs, clients = concurrency) {
      const end = performance.now() + durationMs;
      let committed = 0;
      const client = async (number: number): Promise<void> => {
        while (performance.now() < end) {
          if (number % 2 === 0) await pool.query(INSERT);
          else await inTransaction();
          committed++;
        }
      };
      await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
      return committed;
    },
    close: () => pool.end(),
  };
}
