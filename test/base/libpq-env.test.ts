import { expect, it } from 'vitest';
import { libpqEnv } from '../../src/base/libpq-env.ts';

it.each([
  [
    'postgres://u:p%40@db.test:5433/my%20db',
    { PGHOST: 'db.test', PGPORT: '5433', PGUSER: 'u', PGPASSWORD: 'p@', PGDATABASE: 'my db' },
  ],
  ['postgres://u@[::1]:5432/x', { PGHOST: '::1', PGPORT: '5432', PGUSER: 'u', PGDATABASE: 'x' }],
  ['postgres://u@%2Fvar%2Frun%2Fpostgresql/x', { PGHOST: '/var/run/postgresql', PGUSER: 'u', PGDATABASE: 'x' }],
  [
    'postgres:///x?host=/tmp&port=57432&user=boss&password=p%40&sslmode=verify-full&sslrootcert=ca.pem&options=-c%20jit%3Doff',
    {
      ...{ PGHOST: '/tmp', PGPORT: '57432', PGUSER: 'boss', PGPASSWORD: 'p@', PGDATABASE: 'x' },
      ...{ PGSSLMODE: 'verify-full', PGSSLROOTCERT: 'ca.pem', PGOPTIONS: '-c jit=off' },
    },
  ],
  ['postgres://db.test/x?sslmode=no-verify', { PGHOST: 'db.test', PGDATABASE: 'x', PGSSLMODE: 'require' }],
  ['postgres://db.test/x?sslmode=verify-full', { PGHOST: 'db.test', PGDATABASE: 'x', PGSSLMODE: 'require' }],
])("%s is written as libpq's variables", (url, variables) => {
  expect(libpqEnv(url)).toEqual(variables);
});
