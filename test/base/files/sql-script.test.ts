import { describe, expect, it } from 'vitest';
import { ScriptError, scriptParts } from '../../../src/base/files/sql-script.ts';
import { unknownName } from '../../../src/measure/dataset/run-sql-file.ts';

const partsOf = (text: string): string[] =>
  scriptParts(text).map((part) =>
    part.kind === 'copy'
      ? `copy ${JSON.stringify(text.slice(part.rows.start, part.rows.end))}`
      : text.slice(part.kind === 'statement' ? part.head : part.start, part.end).trim(),
  );

describe('an SQL file', () => {
  it.each([
    ['SELECT 1; SELECT 2', ['SELECT 1;', 'SELECT 2']],
    ['-- a; b\nSELECT 1; /* ; /* ; */ ; */ ;', ['SELECT 1;']],
    [`SELECT 'a;''b;', ";", E'it\\'s;'; SELECT $$;$$, $x$ $$ ; $x$;`, 2],
    ['CREATE RULE r AS ON UPDATE TO t DO (DELETE FROM a; DELETE FROM b); SELECT 1;', 2],
    [
      "CREATE OR REPLACE FUNCTION f(a int DEFAULT 1) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END; SELECT 'after';",
      2,
    ],
    ['CREATE TABLE begin_end (a int); BEGIN; INSERT INTO t SELECT CASE WHEN true THEN 1 END; COMMIT;', 4],
    ['SELECT 1 AS a$b$c; SELECT 2;', 2],
    ['\\restrict abc\nSELECT 1;\n\\unrestrict abc\n', ['\\restrict abc', 'SELECT 1;', '\\unrestrict abc']],
    ['COPY t (a) FROM stdin;\n1;\n\\.\n\nSELECT 1;', ['copy "1;\\n"', 'SELECT 1;']],
    ['COPY t FROM stdin WITH (FORMAT csv);\r\na\r\n\\.\r\nSELECT 1;', ['copy "a\\r\\n"', 'SELECT 1;']],
    ['COPY t FROM stdin;\n\\.\n', ['copy ""']],
    ["COPY t FROM '/file'; SELECT 1;", 2],
    ['  -- nothing\n', []],
  ])('%j has its parts', (text, expected) => {
    const parts = partsOf(text);
    if (typeof expected === 'number') expect(parts).toHaveLength(expected);
    else expect(parts).toEqual(expected);
  });

  it.each([
    ["SELECT 1; SELECT 'a", "this ' is never closed", 17],
    ['SELECT $x$ a', 'this $x$ is never closed', 7],
    ['/* a', 'this /* is never closed', 0],
    ['COPY t FROM stdin;\n1\n', 'the rows of COPY ... FROM stdin have no end: expected a line \\.', 0],
  ])('%j is not one', (text, message, offset) => {
    expect(() => scriptParts(text)).toThrow(new ScriptError(message, offset));
    try {
      scriptParts(text);
    } catch (error) {
      expect(error).toMatchObject({ offset });
    }
  });
});

describe('what a dump names that the server does not know', () => {
  const knows = { settings: new Set(['statement_timeout', 'search_path']), roles: new Set(['postgres', 'My "Role']) };
  it.each([
    ['SET transaction_timeout = 0;', 'setting transaction_timeout'],
    ['SET statement_timeout = 0;', null],
    ['set session "Transaction_Timeout" to 0', 'setting Transaction_Timeout'],
    ['SET my.own = 1', null],
    ['SET TIME ZONE DEFAULT', null],
    ['SET ROLE app', null],
    ["SET client_encoding = 'UTF8';", ''],
    ["SET NAMES 'LATIN1';", ''],
    ['ALTER TABLE public.items OWNER TO app;', 'role app'],
    ['ALTER TABLE public.items OWNER TO postgres;', null],
    ['ALTER FUNCTION f(integer) OWNER TO "My ""Role";', null],
    ['GRANT SELECT ON TABLE public.items TO reader WITH GRANT OPTION;', 'role reader'],
    ['REVOKE ALL ON SCHEMA public FROM PUBLIC;', null],
    ['ALTER DEFAULT PRIVILEGES FOR ROLE app IN SCHEMA public GRANT SELECT ON TABLES TO postgres;', 'role app'],
    ['CREATE SCHEMA public;', ''],
    ['CREATE SCHEMA app;', null],
    ["INSERT INTO t VALUES ('OWNER TO app')", null],
  ])('%s: %s', (statement, expected) => {
    expect(unknownName(statement, knows)).toBe(expected);
  });
});
