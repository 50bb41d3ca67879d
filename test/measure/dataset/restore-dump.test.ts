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
    expect(restoreErrors(lines)).toEqual({
      left: [{ kind: 'setting', name: 'transaction_timeout' }],
      failed: [],
      isComplete: true,
    });
  });

  it('can be left out where a role is not here, for all but what is made of it', () => {
    const lines = [
      'pg_restore: error: could not execute query: ERROR:  role "app" does not exist',
      'Command was: ALTER TABLE public.items OWNER TO app;',
      '',
      'pg_restore: error: could not execute query: ERROR:  must be able to SET ROLE "other"',
      'Command was: ALTER TABLE public.others OWNER TO other;',
      '',
      'pg_restore: error: could not execute query: ERROR:  role "reader" does not exist',
      'Command was: CREATE POLICY own ON public.items TO reader;',
      '',
      'pg_restore: warning: errors ignored on restore: 3',
    ];
    expect(restoreErrors(lines)).toEqual({
      left: [
        { kind: 'role', name: 'app' },
        { kind: 'role', name: 'other' },
      ],
      failed: [
        'could not execute query: ERROR:  role "reader" does not exist (CREATE POLICY own ON public.items TO reader;)',
      ],
      isComplete: true,
    });
    expect(restoreErrors(lines.slice(3)).isComplete).toBe(false);
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
      isComplete: true,
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

  it.each([
    ['role "reader" does not exist', /dataset: \{ role: reader \} makes this one/],
    ['extension "postgis" is not available', /lacks the extension postgis/],
  ])('is not that where it would not help: %s', (error, hint) => {
    const said = restoreHint([`pg_restore: error: could not execute query: ERROR:  ${error}`]);
    expect(said).toMatch(hint);
    expect(said).not.toMatch(/younger/);
  });
});
