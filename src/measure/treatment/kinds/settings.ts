import { isDeepStrictEqual } from 'node:util';
import { PgsweepError } from '../../../base/errors.ts';
import { freedSettings } from '../../../base/free-session.ts';
import { didYouMean } from '../../../base/nearest.ts';
import { env } from '../../../base/schema-values.ts';
import { elementsOf } from '../../../journal/postgres/list-settings.ts';
import type { Treatment } from '../../../journal/scenario-record.ts';
import type { AppliedTreatment } from '../../../journal/treatment-records.ts';
import type { Step, TreatmentKind } from '../kind.ts';
import { placeOfSetting } from '../setting-names.ts';
import { quotedName, quotedText, type RunSql, runStatement, type TreatedDatabase } from '../sql.ts';

const LIBRARIES = 'shared_preload_libraries';

type Setting = readonly [name: string, value: string];

const schema = env
  .optional()
  .describe('Postgres settings of this variant; those that need a restart give each arm its own server');

export const settings: TreatmentKind<'settings', typeof schema> = {
  schema,
  notLive: 'they belong to an arm with its own database (expected live: { settings: ... })',
  read: (written = {}) => written,
  steps: (values) => [
    ...Object.entries(values)
      .filter(([name]) => placeOfSetting(name) !== 'server')
      .map(databaseStep),
    ...serverSettings({ settings: values }).map(stepOfServer),
  ],
};

/** Sets a setting for the next connections to a database. */
export function databaseStep(setting: Setting): Step {
  return {
    words: settingWords(...setting, 'database'),
    async apply(run, database) {
      await alterDatabase(run, database, setting);
      return async (look) => applied(setting, await verifyDatabaseSetting(look, setting), 'database');
    },
  };
}

/** The variant's own server was started with it. */
function stepOfServer(setting: Setting): Step {
  return {
    words: settingWords(...setting, 'server'),
    apply: async () => async (look) => applied(setting, await verifyServerSetting(look, setting), 'server'),
  };
}

function applied([name]: Setting, shown: string, place: 'database' | 'server'): AppliedTreatment {
  return { kind: 'setting', name, found: settingWords(name, shown, place) };
}

/** The settings of a treatment for which it needs its own server, by name; empty where it needs none. */
export function serverSettings(treatment: Pick<Treatment, 'settings'> | undefined): Setting[] {
  return Object.entries(treatment?.settings ?? {})
    .filter(([name]) => placeOfSetting(name) === 'server')
    .map(([name, value]): Setting => [name.toLowerCase(), value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** `synchronous_commit = off (database)`, `shared_buffers = 1GB (own server)` */
export function settingWords(name: string, value: string, place: 'database' | 'server'): string {
  return `${name} = ${value === '' ? "''" : value} (${place === 'server' ? 'own server' : place})`;
}

/**
 * A setting for all connections to a database, from the next one on: those of a role that has its own value, too. Throws
 * PgsweepError('scenario').
 */
async function alterDatabase(run: RunSql, database: TreatedDatabase, [name, value]: Setting): Promise<void> {
  const texts = elementsOf(name, value).map(quotedText);
  for (const sessions of await sessionsWithOwn(run, database, name, { everywhere: true }))
    await runStatement(run, `ALTER ${sessions} SET ${name} TO ${texts.join(', ')}`);
}

/**
 * Takes back a setting of a database: what it began with holds for its next connections. Returns true where that was set for it,
 * too. Throws PgsweepError('scenario').
 */
export async function resetDatabase(run: RunSql, database: TreatedDatabase, name: string): Promise<boolean> {
  for (const sessions of await sessionsWithOwn(run, database, name))
    await runStatement(run, `ALTER ${sessions} RESET ${name}`);
  return database.restore(run, name);
}

/**
 * The sessions of a database, as ALTER names them, and those of the service's role and ours where these have their own value of a
 * setting there, or in all databases (`everywhere`): it would be over the database's.
 */
async function sessionsWithOwn(
  run: RunSql,
  { name: database, role }: TreatedDatabase,
  setting: string,
  { everywhere = false } = {},
): Promise<string[]> {
  const rows = await run(
    `SELECT DISTINCT rolname AS role FROM pg_db_role_setting JOIN pg_roles r ON r.oid = setrole, unnest(setconfig) own
     WHERE rolname IN (current_user, $2) AND lower(split_part(own, '=', 1)) = lower($1)
       AND (setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()) OR $3 AND setdatabase = 0)`,
    [setting, role, everywhere],
  );
  const all = `DATABASE ${quotedName(database)}`;
  return [all, ...rows.map((row) => `ROLE ${quotedName(String(row.role))} IN ${all}`)];
}

/**
 * Makes sure that the server has settings of these names; those of extensions it may not know before they are loaded.
 * Throws PgsweepError('scenario') with the nearest name.
 */
export async function requireSettings(run: RunSql, wanted: readonly string[]): Promise<void> {
  if (wanted.length === 0) return;
  const rows = await run('SELECT lower(name) AS name FROM pg_settings');
  const names = rows.map(({ name }) => String(name));
  for (const name of wanted) {
    if (name.includes('.') || names.includes(name.toLowerCase())) continue;
    const [version] = await run(`SELECT current_setting('server_version') AS version`);
    throw new PgsweepError(
      'scenario',
      `Postgres ${version?.version} has no setting ${name}${didYouMean(name, names, '')}`,
      { hint: 'SELECT name FROM pg_settings lists the names.' },
    );
  }
}

/** The value, as SHOW prints it, of a setting of the database that this connection is to. Throws PgsweepError('scenario') where it is another. */
async function verifyDatabaseSetting(run: RunSql, [name, value]: Setting): Promise<string> {
  const { shown, source } = await settingOf(run, name);
  if (!isOfDatabase(source)) {
    throw new PgsweepError('scenario', `${name} cannot be set for a database: new connections have it from ${source}`, {
      hint: `They have ${name} = ${shown}.`,
    });
  }
  // The server's own reading of the value that was asked for: 1024MB is 1GB.
  const [asked] = await run('SELECT set_config($1, $2, true) AS value', [name, value]);
  return requireSame(name, shown, String(asked?.value));
}

/** True of the source of a setting, as pg_settings has it, where it is set for the database, or for a role in it. */
export function isOfDatabase(source: string): boolean {
  return source === 'database' || source === 'database user';
}

/** Verifies a setting of the whole server, and returns its value. */
export async function verifyServerSetting(run: RunSql, [name, value]: Setting): Promise<string> {
  const { shown, source } = await settingOf(run, name);
  const inForce =
    name === LIBRARIES
      ? areLoaded(shown, value)
      : source === 'command line'
        ? await isArgument(run, name, value)
        : await isInFile(run, name, value);
  if (!inForce) {
    throw new PgsweepError('scenario', `${name} = ${value} is not in force: the server has ${shown}, from ${source}`);
  }
  return shown;
}

/** The bench loads its own libraries beside them. */
function areLoaded(shown: string, wanted: string): boolean {
  const loaded = elementsOf(LIBRARIES, shown);
  return elementsOf(LIBRARIES, wanted).every((library) => library === '' || loaded.includes(library));
}

async function isInFile(run: RunSql, name: string, value: string): Promise<boolean> {
  const [inFile] = await run(
    'SELECT setting, applied FROM pg_file_settings WHERE lower(name) = lower($1) ORDER BY seqno DESC LIMIT 1',
    [name],
  );
  return inFile?.applied === true && inFile.setting === value;
}

/** A server in a container has its settings as arguments, which Postgres writes down in this file as it starts. */
async function isArgument(run: RunSql, name: string, value: string): Promise<boolean> {
  const [file] = await run(`SELECT pg_read_file('postmaster.opts') AS text`);
  return String(file?.text).toLowerCase().includes(`"${name}=${value}"`.toLowerCase());
}

/**
 * A setting as this connection has it, and where from: `$2` are those that it has other than a service would. Looked up as the
 * database and the role have them, since a statement under a limit of 1 ms would not end.
 */
const SETTING_SQL = `
  SELECT CASE WHEN name = ANY($2) THEN set_config(name, reset_val, true) ELSE current_setting(name) END AS shown,
    CASE WHEN name <> ALL($2) THEN source
      WHEN EXISTS (
        SELECT FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase, unnest(setconfig) own
        WHERE datname = current_database() AND lower(split_part(own, '=', 1)) = name
      ) THEN 'database'
      ELSE 'another place' END AS source
  FROM pg_settings WHERE lower(name) = lower($1)`;

/** A setting as new connections of a service have it, and where from. Throws PgsweepError('scenario') where there is none. */
export async function settingOf(run: RunSql, name: string): Promise<{ shown: string; source: string }> {
  const [row] = await run(SETTING_SQL, [name, freedSettings]);
  if (row === undefined) {
    throw new PgsweepError('scenario', `no loaded extension has a setting ${name}`, {
      hint: 'An extension is loaded by session_preload_libraries or shared_preload_libraries.',
    });
  }
  return { shown: String(row.shown), source: String(row.source) };
}

function requireSame(name: string, shown: string, asked: string): string {
  // Postgres quotes the elements of a list where they need it.
  if (isDeepStrictEqual(elementsOf(name, shown), elementsOf(name, asked))) return shown;
  throw new PgsweepError('scenario', `${name} = ${asked} is not in force: a new connection has ${shown}`);
}
