import { setTimeout as sleep } from 'node:timers/promises';
import { PgsweepError } from '../base/errors.ts';
import type { LiveIndex, LiveSetting, LiveSwitch } from '../journal/live-switch.ts';
import type { AppliedTreatment } from '../journal/treatment-records.ts';
import { oneLine } from './changes.ts';
import { findIndex, listIndexes } from './indexes.ts';
import { alterDatabase, settingOf, verifyDatabaseSetting, verifyServerSetting } from './settings.ts';
import { quotedName, quotedText, type RunSql, runStatement, type TreatedDatabase } from './sql.ts';

/** Sessions that were told to end end with what they do; nothing is under load. */
const CLOSE_MS = 5000;
const LOOK_MS = 3;

/**
 * Switches a database that a service is using, and returns what new connections find. Where the switch asks for it, no
 * session of the service is then from before it: their plans and settings went with them. `ownServer`: whether the
 * server is the bench's, so that its settings may change. Throws PgsweepError('scenario') for what cannot be done, or
 * was done and is not seen.
 */
export async function switchDatabase(
  database: TreatedDatabase,
  { settings, indexes, sql, reconnect, checks }: LiveSwitch,
  ownServer: boolean,
): Promise<AppliedTreatment[]> {
  const queries = checks.flatMap((check) => (check.kind === 'sql' ? [check] : []));
  if (!reconnect && sql.length + queries.length === 0) return [];
  await database.connect(async (run) => {
    for (const setting of settings) await change(run, database.name, setting, ownServer);
    for (const index of indexes) await showOrHide(run, index);
    for (const statement of sql) await runStatement(run, statement);
    if (reconnect) await closeSessions(run);
  });
  return database.connect(async (run) => {
    const applied: AppliedTreatment[] = [];
    for (const setting of settings) applied.push(await verifySetting(run, setting));
    for (const index of indexes) applied.push(await verifyIndex(run, index));
    for (const { sql: statement, expect } of queries) await verifyQuery(run, statement, expect);
    const ran = sql.map((one) => ({ kind: 'sql', name: one, found: `ran ${oneLine(one)}` }) as const);
    return [...applied, ...ran];
  });
}

async function change(run: RunSql, database: string, setting: LiveSetting, ownServer: boolean): Promise<void> {
  const { name, value, place } = setting;
  if (place === 'database') {
    if (value === null) await runStatement(run, `ALTER DATABASE ${quotedName(database)} RESET ${name}`);
    else await alterDatabase(run, database, [name, value]);
    return;
  }
  if (!ownServer) {
    throw new PgsweepError(
      'scenario',
      `${name} cannot be switched live: it is of a whole server that is not the bench's`,
    );
  }
  await runStatement(
    run,
    value === null ? `ALTER SYSTEM RESET ${name}` : `ALTER SYSTEM SET ${name} TO ${quotedText(value)}`,
  );
  await reload(run);
}

/** The postmaster loads its configuration before it tells its sessions to, this one among them. */
async function reload(run: RunSql): Promise<void> {
  const [before] = await run('SELECT now()::text AS now, pg_reload_conf()');
  const end = performance.now() + CLOSE_MS;
  for (;;) {
    const [row] = await run('SELECT pg_conf_load_time() >= $1::timestamptz AS loaded', [before?.now]);
    if (row?.loaded === true) return;
    if (performance.now() > end) throw new PgsweepError('stack', 'Postgres has not loaded its configuration again');
    await sleep(LOOK_MS);
  }
}

/** Writes keep up an index that is not valid, as they must for one that is being built; the planner passes it over. */
async function showOrHide(run: RunSql, { name, hidden }: LiveIndex): Promise<void> {
  const index = findIndex(await listIndexes(run), name);
  if (index.partitioned) {
    throw new PgsweepError('scenario', `${name} cannot be hidden: it is an index of a partitioned table`, {
      hint: 'Hide the indexes of its partitions.',
    });
  }
  if (!index.valid && !index.kept) throw new PgsweepError('scenario', `${name} is not kept up, so it cannot be shown`);
  await run('UPDATE pg_index SET indisvalid = $2 WHERE indexrelid = $1 AND indisvalid <> $2', [index.oid, !hidden]);
}

/** Not those of the bench itself (src/stack/common/query.ts) and its probes. */
const OWN_SESSIONS = `datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
  AND application_name NOT IN ('pgsweep', 'pgsweep probe')`;

/** Closes all sessions of the service that are older than this moment, and waits until they are gone. */
async function closeSessions(run: RunSql): Promise<void> {
  const [now] = await run('SELECT clock_timestamp()::text AS now');
  const end = performance.now() + CLOSE_MS;
  for (let first = true; ; first = false) {
    const [row] = await run(
      `SELECT count(*)::int AS old, count(*) FILTER (WHERE ${first ? 'pg_terminate_backend(pid)' : 'false'})::int AS told
       FROM pg_stat_activity WHERE ${OWN_SESSIONS} AND backend_start < $1::timestamptz`,
      [now?.now],
    );
    if (row?.old === 0) return;
    if (performance.now() > end) {
      throw new PgsweepError('stack', `${row?.old} sessions of the service are still from before the switch`);
    }
    await sleep(LOOK_MS);
  }
}

async function verifySetting(run: RunSql, { name, value, place }: LiveSetting): Promise<AppliedTreatment> {
  const found = (shown: string): AppliedTreatment => ({
    kind: 'setting',
    name,
    found: `${name} = ${shown} (${place})`,
  });
  if (value === null) {
    const { shown, source } = await settingOf(run, name);
    if (source !== 'database') return found(shown);
    throw new PgsweepError('scenario', `${name} was set back, and new connections still have ${shown}`);
  }
  const verify = place === 'database' ? verifyDatabaseSetting : verifyServerSetting;
  return found(await verify(run, [name, value]));
}

async function verifyIndex(run: RunSql, { name, hidden }: LiveIndex): Promise<AppliedTreatment> {
  const index = findIndex(await listIndexes(run), name);
  if (index.valid !== hidden && index.kept) {
    return { kind: 'hideIndex', name, found: `${name} ${hidden ? 'hidden' : 'shown'} (${index.size})` };
  }
  throw new PgsweepError('scenario', `${name} was ${hidden ? 'hidden and can still' : 'shown and cannot'} be used`);
}

async function verifyQuery(run: RunSql, sql: string, expect: unknown): Promise<void> {
  const [row] = await run(sql);
  const found = row === undefined ? undefined : Object.values(row)[0];
  if (String(found) === String(expect)) return;
  throw new PgsweepError('scenario', `${oneLine(sql)} found ${String(found)}: expected ${String(expect)}`);
}
