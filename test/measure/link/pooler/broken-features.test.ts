import { describe, expect, it } from 'vitest';
import type { PoolerMode } from '../../../../src/journal/link/pooler.ts';
import { brokenUses } from '../../../../src/measure/link/pooler/broken-features.ts';

const of = (statements: readonly string[], mode: PoolerMode = 'transaction'): string[] =>
  brokenUses({ statements, named: [] }, { mode, keepsPrepared: false }).map(({ feature }) => feature);

describe('what a mode of PgBouncer breaks', () => {
  it.each([
    ['SET', 'SET statement_timeout = 500'],
    ['SET', "set session search_path to 'a', public"],
    ['SET', 'SET ROLE reader'],
    ['SET', "SELECT set_config('app.user', $1, false)"],
    ['SET', 'BEGIN; /* once; for all */ SET lock_timeout = 1; COMMIT'],
    ['SET', 'SET "app.tenant" = 7'],
    ['SET', "SELECT E'it\\'s'; SET work_mem = '1MB'"],
    ['SET', `SELECT "o'clock" FROM t; SET work_mem = '1MB'; SELECT 'x'`],
    ['SET', "SELECT 1 /* a /* nested */ comment */; SET work_mem = '1MB'"],
    ['SET', "SELECT set_config('app.tenant', format('%s,%s', $1, $2), false)"],
    ['SET', "SELECT pg_catalog.set_config('app.tenant', (array[$1, $2])[1], is_local => 'f')"],
    ['LISTEN', 'LISTEN "jobs"'],
    ['PREPARE', 'PREPARE get (int) AS SELECT $1'],
    ['currval, lastval', "INSERT INTO lines (item) VALUES (currval('items_id_seq'))"],
    ['currval, lastval', 'SELECT lastval()'],
    ['advisory locks', 'SELECT pg_advisory_lock(1)'],
    ['advisory locks', 'SELECT pg_try_advisory_lock_shared(1, 2)'],
    ['temporary tables', 'CREATE TEMP TABLE t (i int)'],
    ['temporary tables', 'create temporary table if not exists t as select 1'],
    ['temporary tables', 'SELECT 1 AS i INTO TEMP t'],
    ['temporary tables', 'CREATE OR REPLACE TEMP VIEW v AS SELECT 1'],
    ['temporary tables', 'CREATE TABLE IF NOT EXISTS pg_temp.x (i int)'],
    ['temporary tables', 'CREATE TABLE "pg_temp"."x" (i int)'],
    ['temporary tables', 'WITH a AS (SELECT 1) SELECT * INTO TEMP x FROM a'],
    ['cursors WITH HOLD', 'DECLARE c CURSOR WITH HOLD FOR SELECT 1'],
    ['LOAD', "LOAD 'auto_explain'"],
  ])('%s by %s', (feature, statement) => {
    expect(of([statement])).toEqual([feature]);
    expect(of([statement], 'statement')).toContain(feature);
    expect(of([statement], 'session')).toEqual([]);
  });

  it.each([
    'SET LOCAL statement_timeout = 500',
    "SELECT set_config('app.user', 'me', true)",
    "SELECT set_config('app.user', format('%s,%s', $1, $2), true)",
    "SELECT set_config('app.user', 'false', 'true'), f('a', 'b', false)",
    "SELECT set_config('app.user', $1, $2)",
    "SELECT 'temp; SET a = 1' AS \"; SET b = 1\", 'CREATE TEMP TABLE x' FROM t",
    "SELECT E'\\'; SET a = 1; --'",
    "SELECT 'never closed; SET a = 1",
    'SELECT 1 AS i INTO temp FROM t',
    'SELECT 1 AS i INTO "temp" FROM t',
    'WITH a AS (SELECT 1) INSERT INTO temp SELECT * FROM a',
    'CREATE UNLOGGED TABLE temp (i int)',
    'CREATE TABLE t (pg_temp text)',
    'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE',
    'SET CONSTRAINTS ALL DEFERRED',
    "SET client_encoding = 'UTF8'",
    "SET TIME ZONE 'UTC'",
    "SET application_name = 'x'",
    "SET NAMES 'UTF8'",
    'SELECT pg_advisory_xact_lock(1)',
    "SELECT nextval('a'), currval('a')",
    'CREATE TEMP TABLE t (i int) ON COMMIT DROP',
    'DECLARE c CURSOR FOR SELECT 1',
    "PREPARE TRANSACTION 'x'",
    'UPDATE items SET name = $1',
    "INSERT INTO log VALUES ('LISTEN jobs; SET a = 1')",
    'SELECT 1 -- ; LISTEN jobs',
    'DO $x$ BEGIN PERFORM 1; LISTEN jobs; END $x$',
    'NOTIFY jobs',
    'BEGIN',
  ])('not by %s', (statement) => {
    expect(of([statement])).toEqual([]);
  });

  it('transactions in statement mode alone, each feature with its first statement, and whether requests fail', () => {
    expect(
      brokenUses(
        { statements: ['SET a = 1', 'BEGIN', 'SET b = 2'], named: [] },
        { mode: 'statement', keepsPrepared: false },
      ),
    ).toEqual([
      { feature: 'SET', fails: false, statement: 'SET a = 1' },
      { feature: 'transactions', fails: true, statement: 'BEGIN' },
    ]);
  });

  it('prepared statements that have a name, unless PgBouncer keeps them', () => {
    const seen = { statements: ['SELECT 1'], named: [{ name: 'one', sql: 'SELECT 1' }] };
    expect(brokenUses(seen, { mode: 'transaction', keepsPrepared: false })).toEqual([
      { feature: 'named prepared statements', fails: true, statement: 'one: SELECT 1' },
    ]);
    expect(brokenUses(seen, { mode: 'transaction', keepsPrepared: true })).toEqual([]);
    expect(brokenUses(seen, { mode: 'session', keepsPrepared: false })).toEqual([]);
  });
});
