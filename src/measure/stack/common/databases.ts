import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { elementsOf } from '../../../journal/postgres/list-settings.ts';
import { hintOfFullServer } from './full-server.ts';
import { type RunSql, withOwnConnection } from './query.ts';

/** Any server that gives out a superuser's URL: embedded, docker or external. */
export interface DatabaseServer {
  adminUrl(database?: string): string;
}

export interface CopyOptions {
  template: string;
  name: string;
  /** True: from Postgres 15 on the copy makes no checkpoint, whatever its size. */
  withoutCheckpoint?: boolean;
  /** The role that owns it; by default the server's user. */
  owner?: string;
}

export type CopyStrategy = 'wal_log' | 'file_copy';

/**
 * From this size on a template is copied as files. Measured on 2 cores, in ms (WAL_LOG into new WAL files / recycled
 * ones / FILE_COPY after a checkpoint): 38 MB 222 / 115 / 120, 104 MB 578 / 237 / 150, 202 MB 1109 / 355 / 150, 495 MB
 * 2388 / 890 / 600. FILE_COPY makes two checkpoints, so dirty pages of others slow it: 150 MB of them by 450 ms, which
 * loses to recycled WAL by 250 ms at 153 MB. What settles it: WAL_LOG writes the template to the WAL once per arm, and
 * 20 arms of 200 MB are most of the way to an unwanted checkpoint, inside some slice.
 */
export const fileCopyFromBytes = 64 * 1024 * 1024;

const versionWithStrategy = 150_000;
const versionWithForce = 130_000;
const insufficientPrivilege = '42501';
const disconnectLimitMs = 5000;
const disconnectPollMs = 10;

/** Makes an empty database. Throws PgsweepError('stack') naming it. */
export function createDatabase(server: DatabaseServer, name: string): Promise<void> {
  return asAdmin(server, `cannot make the database ${name}`, async (run) => {
    // template0: template1 may hold what somebody has put there on a server that is not ours.
    await run(`CREATE DATABASE ${quoted(name)} TEMPLATE template0`);
  });
}

/**
 * Closes a loaded database for good: nobody can connect to it, so nothing changes it, and no copy of it has to wait for
 * a forgotten connection. A superuser can still copy it.
 */
export function sealTemplate(server: DatabaseServer, name: string): Promise<void> {
  return asAdmin(server, `cannot seal the template ${name}`, async (run) => {
    await run(`ALTER DATABASE ${quoted(name)} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`);
    await disconnectAll(run, name);
  });
}

/**
 * Copies a database whole: tables, indexes, statistics, its own settings and privileges. Ends connections that are left on the template
 * first, since Postgres copies only what nobody uses. Returns the strategy. Throws PgsweepError('stack').
 */
export function copyDatabase(
  server: DatabaseServer,
  { template, name, withoutCheckpoint = false, owner }: CopyOptions,
): Promise<CopyStrategy> {
  return asAdmin(server, `cannot copy the database ${template} to ${name}`, async (run) => {
    const facts = await databaseFacts(run, template);
    if (!facts) throw new Error(`there is no database ${template}`);
    await disconnectAll(run, template);
    const hasStrategy = facts.version >= versionWithStrategy;
    const asFiles = !hasStrategy || (facts.bytes >= fileCopyFromBytes && !withoutCheckpoint);
    const strategy = asFiles ? 'file_copy' : 'wal_log';
    const clause = hasStrategy ? ` STRATEGY ${strategy}` : '';
    const ofOwner = owner === undefined ? '' : ` OWNER ${quoted(owner)}`;
    await run(`CREATE DATABASE ${quoted(name)}${ofOwner} TEMPLATE ${quoted(template)}${clause}`);
    await copySettings(run, template, name);
    await copyPrivileges(run, template, name);
    return strategy;
  });
}

/**
 * Copies the settings of ALTER DATABASE and ALTER ROLE ... IN DATABASE, which CREATE DATABASE leaves behind, or one of them alone.
 * Returns true where there are any.
 */
export async function copySettings(
  run: RunSql,
  from: string,
  to: string,
  only: string | null = null,
): Promise<boolean> {
  const rows = await run(
    `SELECT rolname AS role, setting FROM pg_db_role_setting
     JOIN pg_database d ON d.oid = setdatabase LEFT JOIN pg_roles r ON r.oid = setrole, unnest(setconfig) setting
     WHERE datname = $1 AND ($2::text IS NULL OR lower(split_part(setting, '=', 1)) = lower($2))`,
    [from, only],
  );
  for (const { role, setting } of rows) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(String(setting)) ?? [];
    const inDatabase = `DATABASE ${quoted(to)}`;
    const whose = role === null ? inDatabase : `ROLE ${quoted(String(role))} IN ${inDatabase}`;
    const texts = elementsOf(name, value).map(pg.escapeLiteral);
    await run(`ALTER ${whose} SET ${quoted(name)} TO ${texts.join(', ')}`);
  }
  return rows.length > 0;
}

/** One row without a role where the owner alone has privileges; none where they are the usual ones. */
const PRIVILEGES_SQL = `
  SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(rolname) END AS role, privilege_type AS privilege,
    is_grantable AS grantable
  FROM pg_database LEFT JOIN LATERAL aclexplode(datacl) ON grantee <> datdba LEFT JOIN pg_roles r ON r.oid = grantee
  WHERE datname = $1 AND datacl IS NOT NULL`;

/** Copies what GRANT and REVOKE ... ON DATABASE gave and took, which CREATE DATABASE leaves behind. */
async function copyPrivileges(run: RunSql, from: string, to: string): Promise<void> {
  const rows = await run(PRIVILEGES_SQL, [from]);
  // PUBLIC may connect to a new database, and make temporary tables.
  if (rows.length > 0) await run(`REVOKE ALL ON DATABASE ${quoted(to)} FROM PUBLIC`);
  for (const { role, privilege, grantable } of rows) {
    if (role === null) continue;
    const option = grantable === true ? ' WITH GRANT OPTION' : '';
    await run(`GRANT ${privilege} ON DATABASE ${quoted(to)} TO ${role}${option}`);
  }
}

/** Drops a database if it is there, sealed or not, and ends the connections to it. Throws PgsweepError('stack'). */
export function dropDatabase(server: DatabaseServer, name: string): Promise<void> {
  return asAdmin(server, `cannot drop the database ${name}`, async (run) => {
    const facts = await databaseFacts(run, name);
    if (!facts) return;
    if (facts.sealed) await run(`ALTER DATABASE ${quoted(name)} WITH IS_TEMPLATE false`);
    const hasForce = facts.version >= versionWithForce;
    if (!hasForce) await disconnectAll(run, name);
    await run(`DROP DATABASE IF EXISTS ${quoted(name)}${hasForce ? ' WITH (FORCE)' : ''}`);
  });
}

/**
 * Writes all dirty pages to disk, so that what follows starts at the same distance from a checkpoint. False where the user may not:
 * on somebody else's server; the run says so at its start.
 */
export function checkpoint(server: DatabaseServer): Promise<boolean> {
  return asAdmin(server, 'cannot make a checkpoint', (run) =>
    run('CHECKPOINT').then(
      () => true,
      (error: Error & { code?: string }) => {
        if (error.code !== insufficientPrivilege) throw error;
        return false;
      },
    ),
  );
}

interface DatabaseFacts {
  /** The server's version: 150018 for 15.18. */
  version: number;
  bytes: number;
  sealed: boolean;
}

async function databaseFacts(run: RunSql, name: string): Promise<DatabaseFacts | undefined> {
  const [row] = await run(
    `SELECT current_setting('server_version_num')::int AS version,
       pg_database_size(oid)::float8 AS bytes, datistemplate AS sealed
     FROM pg_database WHERE datname = $1`,
    [name],
  );
  return row && { version: Number(row.version), bytes: Number(row.bytes), sealed: row.sealed === true };
}

async function disconnectAll(run: RunSql, name: string): Promise<void> {
  const end = performance.now() + disconnectLimitMs;
  // CREATE DATABASE itself looks again only every 100 ms, and gives up after 5 s without naming who is in the way.
  for (;;) {
    const rows = await run(
      `SELECT pid, coalesce(nullif(application_name, ''), backend_type) AS client, pg_terminate_backend(pid) AS told
       FROM pg_stat_activity
       WHERE datname = $1 AND pid <> pg_backend_pid()
         -- Who is no superuser can end its own connections only; autovacuum gives way to CREATE and DROP by itself.
         AND (usename = current_user OR current_setting('is_superuser') = 'on')`,
      [name],
    );
    if (rows.length === 0) return;
    if (performance.now() >= end) {
      const clients = rows.map(({ pid, client }) => `${client} (pid ${pid})`).join(', ');
      throw new Error(`connections to ${name} do not end: ${clients}`);
    }
    await sleep(disconnectPollMs);
  }
}

async function asAdmin<T>(server: DatabaseServer, what: string, use: (run: RunSql) => Promise<T>): Promise<T> {
  try {
    return await withOwnConnection(server.adminUrl(), use);
  } catch (cause) {
    throw new PgsweepError('stack', `${what}: ${messageOf(cause)}`, { hint: hintOfFullServer(cause), cause });
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
