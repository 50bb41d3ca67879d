import { describe, expect, it } from 'vitest';
import { restoreErrors, restoreHint } from '../../../src/measure/dataset/restore-dump.ts';

describe('what pg_restore stumbled over', () => {
  it('can be left out where an older server has no use for it', () => {
    const lines = [
      'pg_restore: while INITIALIZING:',
      'pg_restore: error: could not execute query: ERROR:  unrecognized configuration parameter "transaction_timeout"',
      'Command was: SET transaction_timeout = 0;',
      'pg_restore: warning: errors ignored on restore: 1',
    ];
    expect(restoreErrors(lines)).toEqual({ left: ['setting transaction_timeout'], failed: [] });
  });

  it('is told once, with its statement', () => {
    const lines = [
      'pg_restore: error: could not execute query: ERROR:  type "public.vector" does not exist',
      'LINE 3:     embedding public.vector(3)',
      'Command was: CREATE TABLE public.items (',
      '    embedding public.vector(3)',
      ');',
      'pg_restore: error: could not execute query: ERROR:  relation "public.items" does not exist',
      'Command was: COPY public.items (embedding) FROM stdin;',
      'pg_restore: error: could not execute query: ERROR:  relation "public.items" does not exist',
      'Command was: COPY public.items (embedding) FROM stdin;',
      'pg_restore: warning: errors ignored on restore: 3',
    ];
    expect(restoreErrors(lines).failed).toEqual([
      'could not execute query: ERROR:  type "public.vector" does not exist (CREATE TABLE public.items ()',
      'could not execute query: ERROR:  relation "public.items" does not exist (COPY public.items (embedding) FROM stdin;)',
    ]);
  });

  it('without a statement where it did not get that far', () => {
    expect(restoreErrors(['pg_restore: error: unsupported version (1.16) in file header'])).toEqual({
      left: [],
      failed: ['unsupported version (1.16) in file header'],
    });
  });
});

describe('what to do about it', () => {
  it.each([
    'pg_restore: error: could not read from input file: end of file',
    'pg_restore: error: unexpected end of file',
    'pg_restore: error: could not uncompress data: (null)',
  ])('is to copy an archive that is cut off again: %s', (line) => {
    expect(restoreHint([line])).toMatch(/^The archive is cut off or damaged/);
  });

  it('is another Postgres where that is too old', () => {
    expect(restoreHint(['pg_restore: error: could not execute query: ERROR:  syntax error'])).toMatch(/a younger one/);
  });
});
