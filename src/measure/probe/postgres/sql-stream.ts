import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectUntraced, type SqlSession } from './sql-session.ts';

/** A connection for a statement that never ends by itself, whose rows come when the server's buffer is full. */
export interface SqlStream<Row> {
  /** Starts the statement; one at a time. */
  start(values: readonly unknown[]): RunningSql<Row>;
  close(): Promise<void>;
}

export interface RunningSql<Row> {
  /** Ends the statement, and resolves to all its rows. Throws what pg throws, also where it ended before. */
  stop(): Promise<readonly Row[]>;
}

/** By SQLSTATE: what a statement ends with that somebody has cancelled. */
const QUERY_CANCELED = '57014';
const CANCEL_AGAIN_MS = 100;
const MOST_CANCELS = 30;

/** Connects for a statement. `session`, of the same user, is what ends it: a busy connection takes no commands. */
export async function openSqlStream<Row extends pg.QueryResultRow>(
  url: string,
  session: SqlSession,
  text: string,
): Promise<SqlStream<Row>> {
  const client = await connectUntraced(url, {});
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const cancel = () => session.rows('SELECT pg_cancel_backend($1)', [rows[0]?.pid]);
  return {
    start(values) {
      const seen: Row[] = [];
      let failure: unknown = null;
      const ended = new Promise<true>((resolve) => {
        const query = new pg.Query<Row>({ text, values: [...values] });
        query.on('row', (row) => seen.push(row));
        query.on('end', () => resolve(true));
        query.on('error', (error: Error & { code?: string }) => {
          if (error.code !== QUERY_CANCELED) failure = error;
          resolve(true);
        });
        client.query(query);
      });
      return {
        async stop() {
          // A statement that has only just been sent may begin after its cancellation.
          for (let sent = 0; sent < MOST_CANCELS; sent++) {
            if (failure === null) await cancel();
            const over = await Promise.race([ended, sleep(CANCEL_AGAIN_MS, false)]);
            if (failure !== null) throw failure;
            if (over) return seen;
          }
          throw new Error('a statement could not be cancelled');
        },
      };
    },
    close: () => client.end(),
  };
}
