import { describe, expect, it } from 'vitest';
import { ScriptError, scriptParts } from '../../../src/base/files/sql-script.ts';

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
    ['\\t \\a\\x off \\i a.sql\n\\t', ['\\t', '\\a', '\\x off', '\\i a.sql', '\\t']],
    ['\\echo loading \\\\ SELECT 1;\n\\t\\\\SELECT 2;', ['\\echo loading \\\\', 'SELECT 1;', '\\t\\\\', 'SELECT 2;']],
    ["\\echo 'it\\'s \\\\ this' \"\\\\\" ; `\\\\` ''\nSELECT 1;", 2],
    ["\\echo it's \\\\ this\r\nSELECT 1;", 2],
    ['COPY t (a) FROM stdin;\n1;\n\\.\n\nSELECT 1;', ['copy "1;\\n"', 'SELECT 1;']],
    ['COPY t FROM stdin WITH (FORMAT csv);\r\na\r\n\\.\r\nSELECT 1;', ['copy "a\\r\\n"', 'SELECT 1;']],
    ['COPY t FROM stdin;\n\\.\n', ['copy ""']],
    // Rows may end with the file, the last of them without a newline.
    ['COPY t FROM stdin;\n1\n2', ['copy "1\\n2"']],
    ['COPY t FROM stdin;', ['copy ""']],
    // Each of these is a character of a name, as every byte beyond ASCII is.
    ['SELECT $größe$ ; $größe$; SELECT \u0085\u00a0;', 2],
    ["COPY t FROM '/file'; SELECT 1;", 2],
    ['  -- nothing\n', []],
  ])('%j has its parts', (text, expected) => {
    const parts = partsOf(text);
    if (typeof expected === 'number') expect(parts).toHaveLength(expected);
    else expect(parts).toEqual(expected);
  });

  it.each([
    ['-- a\n/* b */ -- c\nSELECT 1; -- d\nCOPY t FROM stdin;\n', ['/* b */ -- c\nSELECT 1;', 'COPY t FROM stdin;']],
    ['/* a\n*/ /* b */ COPY t FROM stdin;\n', ['/* a\n*/ /* b */ COPY t FROM stdin;']],
  ])('%j is sent as psql sends it', (text, sent) => {
    const parts = scriptParts(text).map((part) => (part.kind === 'command' ? '' : text.slice(part.sent, part.end)));
    expect(parts).toEqual(sent);
  });

  it.each([
    ["SELECT 1; SELECT 'a", "this ' is never closed", 17],
    ['SELECT $x$ a', 'this $x$ is never closed', 7],
    ['/* a', 'this /* is never closed', 0],
    ['SELECT 1 \\gexec\n', '\\gexec is a command of psql in a statement', 9],
  ])('%j is not one', (text, message, offset) => {
    expect(() => scriptParts(text)).toThrow(new ScriptError(message, offset));
    try {
      scriptParts(text);
    } catch (error) {
      expect(error).toMatchObject({ offset });
    }
  });
});
