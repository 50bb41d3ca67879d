import { describe, expect, it } from 'vitest';
import { AS_SERVICE_SQL } from '../../../src/base/free-session.ts';
import { query, withConnection } from '../../../src/measure/stack/common/query.ts';
import { applyTreatment, requireVariantSettings } from '../../../src/measure/treatment/apply.ts';
import { majorOf, versionsInstead } from '../../../src/measure/treatment/setting-mistake.ts';
import { placeOfSetting, settableNames } from '../../../src/measure/treatment/setting-names.ts';
import { tunableSettings } from '../../../src/scenario/tune/postgres-space.ts';
import { needs } from '../../support/needs.ts';
import { startEmbeddedPostgres } from '../../support/started-postgres.ts';
import { postgresVersions } from '../../support/things.ts';
import { type TestPostgres, withPostgres } from '../stack/postgres.ts';
import { itemsDatabase, variantWith } from './treated-database.ts';

const having = await Promise.all(
  postgresVersions.map(async (version) => ({ version, needed: await needs(`postgres-${version}`) })),
);
const server = withPostgres();

/** Settings that the list says are of another place than this server says. */
async function misplaced({ postgres }: TestPostgres): Promise<string[]> {
  const rows = await query(postgres.adminUrl(), 'SELECT name, context FROM pg_settings');
  return rows.flatMap(({ name, context }) => {
    const expected = ['user', 'superuser'].includes(String(context)) ? 'database' : 'server';
    const place = placeOfSetting(String(name));
    if (place === 'nobody') return [];
    return context !== 'internal' && place === expected ? [] : [`${name}: ${context}, in the list ${place}`];
  });
}

describe('the list of settings', () => {
  for (const { version, needed } of having) {
    describe(`of Postgres ${version}`, needed.orSkip, () => {
      const its = withPostgres(needed.isHere ? { binaries: needed.has } : {});
      it('is that of the server', async () => {
        expect(await misplaced(its)).toEqual([]);
      });
      it('knows which of them this version has', async () => {
        const rows = await query(its.postgres.adminUrl(), 'SELECT lower(name) AS name FROM pg_settings');
        const names = new Set(rows.map(({ name }) => String(name)));
        // Debian's own.
        const listed = settableNames().filter((name) => name !== 'extension_destdir');
        const wrong = listed.filter((name) => (versionsInstead(name, Number(version)) === null) !== names.has(name));
        expect(wrong).toEqual([]);
      });
      // Older releases have none.
      const limited = Number(version) >= 17 ? it : null;
      limited?.('has a limit of transactions, which ends none of the bench', async () => {
        const database = await itemsDatabase(its, 'limited');
        await database.run(`ALTER DATABASE limited SET transaction_timeout = '50ms'`);
        await database.run('SELECT pg_sleep(0.2)');
        const [applied] = await database.apply({ settings: { transaction_timeout: '100ms' } });
        expect(applied?.found).toBe('transaction_timeout = 100ms (database)');
        await database.run(`ALTER DATABASE limited SET statement_timeout = '100ms'`);
        await database.connect(async (run) => {
          await run(AS_SERVICE_SQL);
          const rows = await run(`SELECT current_setting('transaction_timeout') AS its`);
          expect(rows).toEqual([{ its: '100ms' }]);
        });
      });
      it('takes the values of a search, and has the first level as its default', async () => {
        await withConnection(its.postgres.adminUrl(), async (run) => {
          for (const [name, { range = [], levels = [] }] of Object.entries(tunableSettings())) {
            const [row] = await run('SELECT context, boot_val FROM pg_settings WHERE name = $1', [name]);
            expect(`${name}: ${row?.context}`).toMatch(/: (user|superuser)$/);
            if (levels.length > 0) expect([name, String(levels[0])]).toEqual([name, row?.boot_val]);
            // Throws for a value that is out of bounds.
            for (const value of [...range, ...levels])
              await run('SELECT set_config($1, $2, false)', [name, String(value)]);
          }
        });
      });
    });
  }

  it('has Postgres on its side about what a database can have', async () => {
    const database = await itemsDatabase(server, 'all_settings');
    const rows = await query(server.postgres.adminUrl(), 'SELECT name, setting FROM pg_settings');
    const wrong: string[] = [];
    await database.connect(async (run) => {
      for (const { name, setting } of rows) {
        const value = String(setting).replaceAll("'", "''");
        const accepted = await run(`ALTER DATABASE all_settings SET "${name}" TO '${value}'`).then(
          () => true,
          () => false,
        );
        const place = placeOfSetting(String(name));
        if (place !== 'nobody' && accepted !== (place === 'database')) wrong.push(`${name}: ${accepted}, ${place}`);
      }
    });
    expect(wrong).toEqual([]);
  });

  it('takes a setting of an extension for one of the database', () => {
    expect(placeOfSetting('auto_explain.log_min_duration')).toBe('database');
    expect(placeOfSetting('Work_Mem')).toBe('database');
    expect(placeOfSetting('auto explain.x')).toBeNull();
  });
});

describe('libraries of a server of its own', () => {
  it.each(['auto_explain', 'pg_prewarm , auto_explain', 'auto_explain,pg_stat_statements', ''])(
    "'%s' are loaded beside those of the bench",
    async (value) => {
      const settings = { shared_preload_libraries: value };
      const preload = ['pg_stat_statements'];
      await using postgres = await startEmbeddedPostgres({ reaper: server.reaper, preload, settings });
      const database = await itemsDatabase({ postgres, reaper: server.reaper }, 'libraries');
      const [applied] = await database.apply({ settings });
      const others = value.split(/[ ,]+/).filter((name) => !['', 'pg_stat_statements'].includes(name));
      const loaded = ['pg_stat_statements', ...others].join(',');
      expect(applied?.found).toBe(`shared_preload_libraries = ${loaded} (own server)`);
      await query(postgres.adminUrl(), 'SELECT calls FROM pg_stat_statements');
    },
  );

  it('that are not loaded are an error', async () => {
    const database = await itemsDatabase(server, 'not_loaded');
    await expect(database.apply({ settings: { shared_preload_libraries: 'auto_explain' } })).rejects.toThrow(
      'shared_preload_libraries = auto_explain is not in force',
    );
  });
});

it.each([
  ['17', 17],
  ['17.2', 17],
  [null, null],
  ['latest', null],
])('%s is of major version %s', (version, major) => {
  expect(majorOf(version)).toBe(major);
});

describe('settings of a database', () => {
  it('that end or refuse statements of services end none of the bench', async () => {
    const database = await itemsDatabase(server, 'limited');
    await database.run('ALTER DATABASE limited SET default_transaction_read_only = on');
    const settings = { statement_timeout: '1ms', lock_timeout: '2s', default_transaction_read_only: 'on' };
    const createIndex = ['CREATE INDEX ix_new ON items (md5(name), size)'];
    const applied = await database.apply({ settings, createIndex });
    expect(applied.map(({ found }) => found).slice(0, 3)).toEqual([
      'statement_timeout = 1ms (database)',
      'lock_timeout = 2s (database)',
      'default_transaction_read_only = on (database)',
    ]);
    const [row] = await query(server.postgres.adminUrl('limited'), 'SHOW statement_timeout');
    expect(row).toEqual({ statement_timeout: '1ms' });
    await database.run('ALTER ROLE CURRENT_USER IN DATABASE limited SET lock_timeout = 0');
    expect((await database.apply({ settings: { lock_timeout: '3s' } }))[0]?.found).toBe('lock_timeout = 3s (database)');
  });

  it('hold for every new connection to it and for no other, and are told as SHOW does', async () => {
    const database = await itemsDatabase(server, 'set');
    const applied = await database.apply({
      settings: {
        synchronous_commit: 'off',
        work_mem: '2048kB',
        search_path: 'public, "$user"',
        DateStyle: 'ISO, DMY',
        session_preload_libraries: 'auto_explain',
        'auto_explain.log_min_duration': '250',
      },
    });
    expect(applied.map(({ found }) => found)).toEqual([
      'synchronous_commit = off (database)',
      'work_mem = 2MB (database)',
      'search_path = public, "$user" (database)',
      'DateStyle = ISO, DMY (database)',
      'session_preload_libraries = auto_explain (database)',
      'auto_explain.log_min_duration = 250ms (database)',
    ]);
    const [here] = await database.run('SHOW synchronous_commit');
    const [elsewhere] = await query(server.postgres.adminUrl(), 'SHOW synchronous_commit');
    expect([here?.synchronous_commit, elsewhere?.synchronous_commit]).toEqual(['off', 'on']);
  });

  it("are over a role's own, for the role of the service and that of the bench", async () => {
    const database = await itemsDatabase(server, 'over_roles');
    await database.run(`
      CREATE ROLE own_settings LOGIN PASSWORD 'own';
      ALTER ROLE own_settings SET work_mem = '7MB';
      ALTER ROLE own_settings SET statement_timeout = '7s';
      ALTER ROLE own_settings IN DATABASE over_roles SET lock_timeout = '7s';
      ALTER ROLE current_user IN DATABASE over_roles SET jit = off`);
    const url = new URL(server.postgres.adminUrl('over_roles'));
    Object.assign(url, { username: 'own_settings', password: 'own' });
    const variant = variantWith({ settings: { work_mem: '3MB', LOCK_TIMEOUT: '3s', jit: 'on' } });
    const applied = await applyTreatment({ ...database, role: 'own_settings' }, variant);
    expect(applied.map(({ found }) => found)).toEqual([
      'work_mem = 3MB (database)',
      'LOCK_TIMEOUT = 3s (database)',
      'jit = on (database)',
    ]);
    const names = ['work_mem', 'lock_timeout', 'statement_timeout', 'jit'];
    const shown = names.map((name) => `current_setting('${name}') AS ${name}`).join(', ');
    expect(await query(url.href, `SELECT ${shown}`)).toEqual([
      { work_mem: '3MB', lock_timeout: '3s', statement_timeout: '7s', jit: 'on' },
    ]);
    await query(server.postgres.adminUrl(), 'DROP DATABASE over_roles WITH (FORCE)');
    await query(server.postgres.adminUrl(), 'DROP ROLE own_settings');
  });

  it.each([
    ['list_1', 'search_path', 'app,public', 'app, public'],
    ['list_2', 'search_path', '"MySchema"', '"MySchema"'],
    ['list_3', 'search_path', 'MySchema', 'myschema'],
    ['list_4', 'search_path', '$user, public', '"$user", public'],
    ['list_5', 'session_preload_libraries', 'auto_explain,pg_prewarm', 'auto_explain, pg_prewarm'],
  ])('that are lists are read as in postgresql.conf: %s, %s = %s', async (to, name, value, shown) => {
    const database = await itemsDatabase(server, to);
    const applied = await database.apply({ settings: { [name]: value } });
    expect(applied.map(({ found }) => found)).toEqual([`${name} = ${shown} (database)`]);
    // What Postgres itself makes of the text.
    const schemas = 'SELECT current_schemas(true) AS schemas';
    await database.run('CREATE SCHEMA app; CREATE SCHEMA "MySchema"; CREATE SCHEMA myschema');
    const here = await database.run(schemas);
    const asked = await database.connect(async (run) => {
      await run('SELECT set_config($1, $2, false)', [name, value]);
      return run(schemas);
    });
    expect(here).toEqual(asked);
  });

  it('that Postgres refuses are an error with its own words', async () => {
    const database = await itemsDatabase(server, 'badly_set');
    await expect(database.apply({ settings: { work_mem: 'much' } })).rejects.toThrow(
      /^variant "Changed": Postgres refuses ALTER DATABASE "badly_set" SET work_mem TO E'much': invalid value for parameter "work_mem": "much"/,
    );
  });

  it('that nobody knows are an error', async () => {
    const database = await itemsDatabase(server, 'nowhere');
    await expect(database.apply({ settings: { 'nobody.knows': '1' } })).rejects.toThrow(
      'no loaded extension has a setting nobody.knows',
    );
  });

  it('that this server does not have are found before anything is changed, with the nearest name', async () => {
    const database = await itemsDatabase(server, 'unknown');
    const check = (name: string): Promise<void> =>
      database.connect((run) => requireVariantSettings(run, [variantWith({ settings: { [name]: '1' } })]));
    await check('work_mem');
    await expect(check('wrok_mem')).rejects.toThrow(
      /^variant "Changed": Postgres \S+ .*has no setting wrok_mem \(did you mean work_mem\?\)$/,
    );
  });
});
