import { mkdirSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { query } from '../../../../src/measure/stack/common/query.ts';

export const recordings = new URL('../../../fixtures/pg-stat-monitor/', import.meta.url);

/** The view's lines at one moment, as SQL literals. */
export type Lines = readonly string[];

/** What the view shows of the databases now. */
export async function readLines(url: string, databases: readonly string[]): Promise<Lines> {
  const columns = await columnsOf(url);
  const dbid = columns.some(({ name }) => name === 'dbid')
    ? ' OR dbid IN (SELECT oid FROM pg_database WHERE datname = ANY($1))'
    : '';
  const texts = columns.map(({ name }) => `${name}::text AS ${name}`);
  const rows = await query(
    url,
    `SELECT ${texts.join(', ')} FROM pg_stat_monitor WHERE datname = ANY($1)${dbid} ORDER BY bucket_start_time, query, calls`,
    [databases],
  );
  return rows.map((row) => `(${columns.map(({ name }) => literal(row[name])).join(', ')})`);
}

function literal(value: unknown): string {
  return value === null ? 'NULL' : pg.escapeLiteral(String(value));
}

async function columnsOf(url: string): Promise<{ name: string; type: string }[]> {
  const rows = await query(
    url,
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = 'pg_stat_monitor'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
  );
  return rows.map(({ name, type }) => ({ name: String(name), type: String(type) }));
}

/** Writes what a real server showed before and after the load of monitor-load.ts, to be shown again by any server. */
export async function writeRecording(url: string, database: string, before: Lines, after: Lines): Promise<void> {
  const [facts] = await query(
    url,
    `SELECT pg_stat_monitor_version() AS release, version() AS server, get_histogram_timings() AS timings,
       (SELECT oid FROM pg_database WHERE datname = $1) AS oid,
       (SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings WHERE source <> 'default'
          AND (name LIKE 'pg_stat_monitor.%' OR name = 'shared_preload_libraries')) AS settings`,
    [database],
  );
  const release = String(facts?.release);
  const schema = `monitor_${release.replaceAll(/\W/g, '_')}`;
  const columns = (await columnsOf(url)).map(({ name, type }) => `${name} ${type === 'regrole' ? 'text' : type}`);
  const text = `-- pg_stat_monitor ${release} (pg_stat_monitor_version()) on ${facts?.server}.
-- Settings: ${facts?.settings}
-- Recorded by: PGSWEEP_TEST_MONITOR_BIN=<bin> PGSWEEP_RECORD_MONITOR=1 npx vitest run test/measure/probe/statements/pg-stat-monitor-live.test.ts
-- Every column and every line is what the view showed, in the load's two databases before and after monitor-load.ts.
CREATE SCHEMA ${schema};
CREATE TABLE ${schema}.pg_stat_monitor (
  ${columns.join(',\n  ')}
);
CREATE FUNCTION ${schema}.get_histogram_timings() RETURNS text LANGUAGE sql AS
  $$ SELECT ${literal(facts?.timings)} $$;
CREATE VIEW ${schema}.arm AS SELECT '${database}' AS name, ${facts?.oid} AS oid;
CREATE TABLE ${schema}.before (LIKE ${schema}.pg_stat_monitor);
INSERT INTO ${schema}.before VALUES
${before.join(',\n')};
CREATE TABLE ${schema}.after (LIKE ${schema}.pg_stat_monitor);
INSERT INTO ${schema}.after VALUES
${after.join(',\n')};
`;
  mkdirSync(recordings, { recursive: true });
  writeFileSync(new URL(`${release}.sql`, recordings), text);
}
