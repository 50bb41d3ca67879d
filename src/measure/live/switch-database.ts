import { setTimeout as sleep } from 'node:timers/promises';
import { PgsweepError } from '../../base/errors.ts';
import { exactJsonOf, isSameJson, withNumbers } from '../../base/exact-json.ts';
import { AS_SERVICE_SQL } from '../../base/free-session.ts';
import type { LiveSetting, LiveSwitch } from '../../journal/live-switch.ts';
import type { AppliedTreatment } from '../../journal/treatment-records.ts';
import { applySteps, type Step } from '../treatment/kind.ts';
import { visibilityStep } from '../treatment/kinds/hide-index.ts';
import {
  databaseStep,
  isOfDatabase,
  resetDatabase,
  settingOf,
  verifyServerSetting,
} from '../treatment/kinds/settings.ts';
import { sqlStep } from '../treatment/kinds/sql.ts';
import { oneLine, quotedText, type RunSql, requireSeen, runStatement, type TreatedDatabase } from '../treatment/sql.ts';

/** Longest wait for sessions to end, in ms: nothing is under load, so they have little left to do. */
const CLOSE_MS = 5000;
const LOOK_MS = 3;

/**
 * Switches a database that a service is using, and returns what new connections see. If the switch asks for it, all
 * sessions of the service are closed, since they keep old plans and settings. `ownServer`: true if the server is the
 * bench's, so its settings may change. Throws PgsweepError('scenario') for a change that fails, or that new connections
 * do not see.
 */
export async function switchDatabase(
  database: TreatedDatabase,
  live: LiveSwitch,
  ownServer: boolean,
): Promise<AppliedTreatment[]> {
  const { settings, reconnect, checks } = live;
  const foreign = ownServer ? undefined : settings.find(({ place }) => place === 'server');
  if (foreign !== undefined) {
    const message = `${foreign.name} cannot be switched live: it is a setting of the whole server, which is not the bench's`;
    throw new PgsweepError('scenario', message);
  }
  const queries = checks.flatMap((check) => (check.kind === 'sql' ? [queryStep(check)] : []));
  return applySteps(database, [...stepsOfSwitch(live), ...(reconnect ? [reconnectStep] : []), ...queries]);
}

function stepsOfSwitch({ settings, indexes, sql }: LiveSwitch): Step[] {
  return [
    ...settings.map(settingStep),
    ...indexes.map(({ name, hidden }) => visibilityStep(name, hidden)),
    ...sql.map((statement) => sqlStep({ apply: statement })),
  ];
}

function settingStep({ name, value, place }: LiveSetting): Step {
  if (place === 'database' && value !== null) return databaseStep([name, value]);
  const found = (shown: string) => ({ kind: 'setting', name, found: `${name} = ${shown} (${place})` });
  return {
    words: `${name} = ${value ?? 'as it was'} (${place})`,
    async apply(run, database) {
      if (place === 'database') {
        const isSet = await resetDatabase(run, database, name);
        return async (look) => {
          const { shown, source } = await settingOf(look, name);
          requireSeen(isSet || !isOfDatabase(source), `${name} was reset, but new connections still have ${shown}`);
          return found(shown);
        };
      }
      await runStatement(
        run,
        `ALTER SYSTEM ${value === null ? `RESET ${name}` : `SET ${name} TO ${quotedText(value)}`}`,
      );
      await reload(run);
      return async (look) =>
        found(value === null ? (await settingOf(look, name)).shown : await verifyServerSetting(look, [name, value]));
    },
  };
}

/** Reloads the configuration. The postmaster loads it before its sessions do, this one included. */
async function reload(run: RunSql): Promise<void> {
  const [before] = await run('SELECT now()::text AS now, pg_reload_conf()');
  const end = performance.now() + CLOSE_MS;
  for (;;) {
    const [row] = await run('SELECT pg_conf_load_time() >= $1::timestamptz AS loaded', [before?.now]);
    if (row?.loaded === true) return;
    if (performance.now() > end) throw new PgsweepError('stack', 'Postgres did not reload its configuration');
    await sleep(LOOK_MS);
  }
}

/** Condition for the service's sessions: not the bench's own (src/measure/stack/common/query.ts), nor its probes'. */
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
      throw new PgsweepError('stack', `${row?.old} sessions of the service were not closed by the switch`);
    }
    await sleep(LOOK_MS);
  }
}

const reconnectStep: Step = {
  words: 'closes the sessions of the service',
  async apply(run) {
    await closeSessions(run);
    return async () => null;
  },
};

function queryStep({ sql, expect }: { readonly sql: string; readonly expect: unknown }): Step {
  return {
    words: `runs ${oneLine(sql)}`,
    apply: async () => async (look) => {
      // What it finds is what a service would have.
      await look(AS_SERVICE_SQL);
      const [row] = await look(sql);
      const found = String(row === undefined ? undefined : Object.values(row)[0]);
      const expected = withNumbers(expect);
      const isSeen = found === String(expected) || isSameJson(exactJsonOf(found), expected);
      requireSeen(isSeen, `${oneLine(sql)} found ${found}: expected ${String(expected)}`);
      return null;
    },
  };
}
