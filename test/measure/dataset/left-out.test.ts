import { describe, expect, it } from 'vitest';
import { reasonToLeaveOut } from '../../../src/measure/dataset/left-out.ts';

describe('a statement of a dump', () => {
  const knows = {
    settings: new Set(['statement_timeout', 'client_encoding']),
    roles: new Set(['postgres', 'My "Role']),
  };
  it.each<[string, ReturnType<typeof reasonToLeaveOut>]>([
    ['SET transaction_timeout = 0;', { kind: 'setting', name: 'transaction_timeout' }],
    ['SET statement_timeout = 0;', null],
    ['set session "Transaction_Timeout" to 0', { kind: 'setting', name: 'Transaction_Timeout' }],
    ['SET my.own = 1', null],
    ['SET TIME ZONE DEFAULT', null],
    ['SET ROLE app', null],
    ["SET client_encoding = 'UTF8';", null],
    ['ALTER TABLE public.items OWNER TO app;', { kind: 'role', name: 'app' }],
    ['ALTER TABLE public.items OWNER TO postgres;', null],
    ['ALTER FUNCTION f(integer) OWNER TO "My ""Role";', null],
    ['GRANT SELECT ON TABLE public.items TO reader WITH GRANT OPTION;', { kind: 'role', name: 'reader' }],
    ['REVOKE ALL ON SCHEMA public FROM PUBLIC;', null],
    [
      'ALTER DEFAULT PRIVILEGES FOR ROLE app IN SCHEMA public GRANT SELECT ON TABLES TO postgres;',
      { kind: 'role', name: 'app' },
    ],
    ['CREATE SCHEMA public;', 'is there'],
    ['CREATE SCHEMA app;', null],
    ['GRANT SELECT ON role TO postgres;', null],
    ['GRANT SELECT ON t TO postgres, reader;', { kind: 'role', name: 'reader' }],
    ['GRANT reader TO postgres;', { kind: 'role', name: 'reader' }],
    ['REVOKE ADMIN OPTION FOR reader FROM postgres;', { kind: 'role', name: 'reader' }],
    ["INSERT INTO t VALUES ('OWNER TO app')", null],
  ])('%s: %j', (statement, expected) => {
    expect(reasonToLeaveOut(statement, knows)).toEqual(expected);
  });
});
