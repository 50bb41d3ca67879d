import pg from 'pg';
import { afterEach, vi } from 'vitest';
import { loadConfig } from '../../../scenarios/services/documents/service/config.ts';
import { type StartedService, startService } from '../../../scenarios/services/documents/service/service.ts';
import type { PostgresOptions } from '../../../src/measure/stack/common/postgres.ts';
import { withPostgres } from '../../measure/stack/postgres.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers.
  readonly body: any;
}

/** A service in this process on an empty database of its own, and the test's own connections to that database. */
export interface TestService {
  readonly url: string;
  readonly databaseUrl: string;
  readonly db: pg.Pool;
  request(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Runs statements in a transaction of the test's own, which holds its locks until it is ended. */
  hold(...statements: string[]): Promise<(how?: 'ROLLBACK' | 'COMMIT') => Promise<void>>;
  /** Stops the service, not the test's own connections. */
  stop(): Promise<void>;
}

/** This long that no request on a busy machine takes it, unless it did wait for a deadlock to be seen. */
export const deadlockTimeoutMs = 20_000;

/** One server for a test file. The function starts a service, which ends with the test. */
export function withServices({ preload = [] }: Pick<PostgresOptions, 'preload'> = {}) {
  const server = withPostgres({
    settings: { synchronous_commit: false, fsync: false, deadlock_timeout: `${deadlockTimeoutMs}ms` },
    preload,
  });
  const cleanups: (() => Promise<void>)[] = [];
  let databases = 0;
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function createDatabase(): Promise<{ url: string; db: pg.Pool }> {
    const name = `test_${++databases}`;
    await askServer(server.postgres.adminUrl(), `CREATE DATABASE ${name}`);
    const url = server.postgres.adminUrl(name);
    const db = new pg.Pool({ connectionString: url, max: 5 });
    db.on('error', () => {});
    cleanups.push(async () => {
      if (!db.ended) await db.end();
    });
    return { url, db };
  }

  async function start(env: Record<string, string> = {}, database?: string): Promise<TestService> {
    const { url, db } = await createDatabase();
    const databaseUrl = database ?? url;
    const service: StartedService = await startService(loadConfig({ DATABASE_URL: databaseUrl, PORT: '0', ...env }));
    let stopping: Promise<void> | undefined;
    const stop = () => {
      stopping ??= service.stop();
      return stopping;
    };
    cleanups.push(stop);
    const request = (method: string, path: string, body?: unknown) => send(service.url, method, path, body);
    const hold = async (...statements: string[]) => {
      const client = await db.connect();
      let held = true;
      const end = async (how = 'ROLLBACK') => {
        if (held) await client.query(how).finally(() => client.release());
        held = false;
      };
      cleanups.push(end);
      await client.query('BEGIN');
      for (const statement of statements) await client.query(statement);
      return end;
    };
    return { url: service.url, databaseUrl, db, request, hold, stop };
  }

  return { start, createDatabase, cleanups };
}

/** Runs a statement on the server of a database, not in that database. */
export async function askServer(databaseUrl: string, sql: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const url = new URL(databaseUrl);
  url.pathname = '/postgres';
  const client = new pg.Client(url.href);
  await client.connect();
  try {
    return await client.query(sql, values);
  } finally {
    await client.end();
  }
}

/** Sends a request; a text is sent as it is. */
export async function send(url: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    ...(body === undefined
      ? {}
      : {
          headers: { 'content-type': 'application/json' },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const school = (schoolId: number, more: object = {}) => ({
  schoolId,
  nameOfInstitution: `School ${schoolId}`,
  ...more,
});

export const calendar = (calendarCode: string, schoolId: number, schoolYear = 2026) => ({
  calendarCode,
  schoolReference: { schoolId },
  schoolYearTypeReference: { schoolYear },
});

/** What must hold whenever no write is in flight. */
export async function inconsistencies(db: pg.Pool): Promise<unknown[]> {
  const { rows } = await db.query(`
    SELECT 'document without its alias' AS problem, d.document_id FROM documents d
      WHERE NOT EXISTS (SELECT FROM aliases a WHERE a.alias_id = d.document_id AND a.document_uuid = d.document_uuid)
    UNION ALL SELECT 'alias of no document', a.alias_id FROM aliases a
      WHERE NOT EXISTS (SELECT FROM documents d WHERE d.document_id = a.document_id AND a.document_uuid = d.document_uuid)
    UNION ALL SELECT 'alias twice', alias_id FROM aliases GROUP BY alias_id HAVING count(*) > 1
    UNION ALL SELECT 'document twice', document_id FROM documents GROUP BY document_id HAVING count(*) > 1
    UNION ALL SELECT 'reference of no document', r.parent_document_id FROM "references" r
      WHERE NOT EXISTS (SELECT FROM documents d WHERE d.document_id = r.parent_document_id)
    UNION ALL SELECT 'reference to nothing', r.referenced_document_id FROM "references" r
      WHERE NOT EXISTS (SELECT FROM aliases a WHERE a.alias_id = r.referenced_document_id)
    UNION ALL SELECT 'reference twice', parent_document_id FROM "references"
      GROUP BY parent_document_id, referenced_document_id HAVING count(*) > 1`);
  return rows;
}

/** Resolves when a request of the service waits for a lock. */
export async function untilWaiting(db: pg.Pool): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND application_name = 'pgsweep-service' AND datname = current_database()`;
  await vi.waitUntil(async () => (await db.query(waiting)).rowCount !== 0, { timeout: 60_000, interval: 10 });
}

/** The value of one line of /metrics. */
export const metric = async (service: TestService, line: string) =>
  Number(
    (await service.request('GET', '/metrics')).body
      .split('\n')
      .find((each: string) => each.startsWith(`${line} `))
      ?.split(' ')[1],
  );
