import { expect, it } from 'vitest';
import { libpqEnv } from '../../src/base/libpq-env.ts';

it.each([
  [
    'postgres://u:p%40@db.test:5433/my%20db',
    { PGHOST: 'db.test', PGPORT: '5433', PGPASSWORD: 'p@', PGDATABASE: 'my db' },
  ],
  ['postgres://u@[::1]:5432/x', { PGHOST: '::1', PGUSER: 'u', PGPASSWORD: '' }],
  ['postgres://u@%2Fvar%2Frun%2Fpostgresql/x', { PGHOST: '/var/run/postgresql', PGPORT: '' }],
])("%s is written as libpq's variables", (url, variables) => {
  expect(libpqEnv(url)).toMatchObject(variables);
});
