import { expect, it } from 'vitest';
import { bareStatements } from '../../../src/base/files/bare-statements.ts';

it.each([
  ['SELECT 1', ['SELECT 1']],
  [' ; SELECT\n  1 -- a; b\n; /* c; */ SELECT 2;', ['SELECT 1', 'SELECT 2']],
  [`SELECT 'a;b', E'it\\'s; c', $x$ d; $x$, 'word', $1`, ["SELECT '', '', '', 'word', $1"]],
  [`SELECT "o'clock; x" FROM "Items"`, ['SELECT "o_clock__x" FROM "Items"']],
  [
    'CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2); SELECT 3',
    ['CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)', 'SELECT 3'],
  ],
  ["SELECT 1; SELECT 'never closed; SELECT 2", ['SELECT 1', 'SELECT']],
])('%s', (sql, statements) => {
  expect(bareStatements(sql)).toEqual(statements);
});
