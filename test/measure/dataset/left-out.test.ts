import { describe, expect, it } from 'vitest';
import { withoutMissing } from '../../../src/measure/dataset/left-out.ts';

describe('a statement of a dump', () => {
  const knows = {
    settings: new Set(['statement_timeout', 'client_encoding']),
    roles: new Set(['postgres', 'My "Role']),
  };
  it.each<[string, ReturnType<typeof withoutMissing>['leftOut'][number]]>([
    ['SET transaction_timeout = 0;', { kind: 'setting', name: 'transaction_timeout' }],
    ['set session "Transaction_Timeout" to 0', { kind: 'setting', name: 'Transaction_Timeout' }],
    ['ALTER TABLE public.items OWNER TO app;', { kind: 'role', name: 'app' }],
    ['GRANT SELECT ON TABLE public.items TO reader WITH GRANT OPTION;', { kind: 'role', name: 'reader' }],
    [
      'ALTER DEFAULT PRIVILEGES FOR ROLE app IN SCHEMA public GRANT SELECT ON TABLES TO postgres;',
      { kind: 'role', name: 'app' },
    ],
    ['GRANT reader TO postgres;', { kind: 'role', name: 'reader' }],
    ['REVOKE ADMIN OPTION FOR reader FROM postgres;', { kind: 'role', name: 'reader' }],
  ])('is left out: %s', (statement, what) => {
    expect(withoutMissing(statement, knows)).toEqual({ statement: null, leftOut: [what] });
  });

  it('is not run where what it makes is there', () => {
    expect(withoutMissing('CREATE SCHEMA public;', knows)).toEqual({ statement: null, leftOut: [] });
  });

  it.each([
    'SET statement_timeout = 0;',
    'SET my.own = 1',
    'SET TIME ZONE DEFAULT',
    'SET ROLE app',
    "SET client_encoding = 'UTF8';",
    'ALTER TABLE public.items OWNER TO postgres;',
    'ALTER FUNCTION f(integer) OWNER TO "My ""Role";',
    'REVOKE ALL ON SCHEMA public FROM PUBLIC;',
    'CREATE SCHEMA app;',
    'GRANT SELECT ON role TO postgres;',
    'GRANT SELECT ON "given to app" TO GROUP postgres;',
    "INSERT INTO t VALUES ('OWNER TO app')",
  ])('is run as it is: %s', (statement) => {
    expect(withoutMissing(statement, knows)).toEqual({ statement, leftOut: [] });
  });

  it.each([
    ['GRANT SELECT ON t TO postgres, reader;', 'GRANT SELECT ON t TO postgres;', ['reader']],
    [
      'GRANT SELECT, INSERT ON t TO GROUP reader, "My ""Role", GROUP postgres, writer WITH GRANT OPTION;',
      'GRANT SELECT, INSERT ON t TO "My ""Role", GROUP postgres WITH GRANT OPTION;',
      ['reader', 'writer'],
    ],
    ['REVOKE reader, postgres FROM app, PUBLIC CASCADE', 'REVOKE postgres FROM PUBLIC CASCADE', ['reader', 'app']],
    [
      'ALTER DEFAULT PRIVILEGES FOR ROLE app, postgres REVOKE ALL ON TABLES FROM reader, PUBLIC;',
      'ALTER DEFAULT PRIVILEGES FOR ROLE postgres REVOKE ALL ON TABLES FROM PUBLIC;',
      ['app', 'reader'],
    ],
  ])('is run for the roles that are there: %s', (statement, rest, names) => {
    const leftOut = names.map((name) => ({ kind: 'role', name }));
    expect(withoutMissing(statement, knows)).toEqual({ statement: rest, leftOut });
  });
});
