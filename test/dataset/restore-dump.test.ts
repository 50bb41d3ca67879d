import { describe, expect, it } from 'vitest';
import { restoreErrors } from '../../src/dataset/restore-dump.ts';

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

  it('is told with its place in the archive', () => {
    const lines = [
      'pg_restore: while PROCESSING TOC:',
      'pg_restore: from TOC entry 215; 1259 16385 TABLE items postgres',
      'pg_restore: error: could not execute query: ERROR:  type "public.vector" does not exist',
      'LINE 3:     embedding public.vector(3)',
      'pg_restore: from TOC entry 3312; 0 16385 TABLE DATA items postgres',
      'pg_restore: error: could not execute query: ERROR:  relation "public.items" does not exist',
      'pg_restore: warning: errors ignored on restore: 2',
    ];
    const place = 'TOC entry 215; 1259 16385 TABLE items postgres';
    expect(restoreErrors(lines).failed).toEqual([
      `${place}: could not execute query: ERROR:  type "public.vector" does not exist`,
      'TOC entry 3312; 0 16385 TABLE DATA items postgres: could not execute query: ERROR:  relation "public.items" does not exist',
    ]);
  });

  it('without a place where it did not get that far', () => {
    expect(restoreErrors(['pg_restore: error: unsupported version (1.16) in file header'])).toEqual({
      left: [],
      failed: ['unsupported version (1.16) in file header'],
    });
  });
});
