import { describe, expect, it } from 'vitest';
import type { PoolerSpec } from '../../../../src/journal/link/pooler.ts';
import { partsOf, pgbouncerIni, userlist } from '../../../../src/measure/link/pooler/config.ts';

const spec: PoolerSpec = { kind: 'pgbouncer', mode: 'transaction', size: 20, settings: {} };
const place = {
  databaseUrl: "postgres://me:it's%20a%22secret@127.0.0.1:5433/pgsweep_r1_a0",
  port: 6000,
  userlist: '/x/userlist.txt',
  user: null,
};

describe('pgbouncer.ini', () => {
  it('has one database, one user and 127.0.0.1 alone', () => {
    const lines = pgbouncerIni(spec, place).split('\n');
    expect(lines.slice(0, 4)).toEqual([
      '[databases]',
      `pgsweep_r1_a0 = host='127.0.0.1' port='5433' dbname='pgsweep_r1_a0' user='me' password='it''s a"secret'`,
      '',
      '[pgbouncer]',
    ]);
    for (const line of [
      'pool_mode = transaction',
      'default_pool_size = 20',
      'listen_addr = 127.0.0.1',
      'listen_port = 6000',
      'unix_socket_dir = ',
      'auth_type = scram-sha-256',
      'auth_file = /x/userlist.txt',
    ])
      expect(lines).toContain(line);
    expect(lines.filter((line) => line.startsWith('user ='))).toEqual([]);
    expect(pgbouncerIni(spec, { ...place, user: 'postgres' })).toContain('\nuser = postgres\n');
  });

  it('has what is asked for, by its own names, and the bench has the last word', () => {
    const asked: PoolerSpec = {
      ...spec,
      minSize: 2,
      reserveSize: 3,
      maxClientConn: 500,
      maxPreparedStatements: 100,
      queryWaitTimeoutMs: 1500,
      ignoreStartupParameters: ['options', 'extra_float_digits'],
      connectQuery: "SET search_path = 'a'; SET jit = off",
      settings: { server_idle_timeout: '60', listen_addr: '*' },
    };
    const ini = pgbouncerIni(asked, place);
    for (const line of [
      'min_pool_size = 2',
      'reserve_pool_size = 3',
      'max_client_conn = 500',
      'max_prepared_statements = 100',
      'query_wait_timeout = 1.5',
      'ignore_startup_parameters = options, extra_float_digits',
      'server_idle_timeout = 60',
      'listen_addr = 127.0.0.1',
    ])
      expect(ini.split('\n')).toContain(line);
    expect(ini).not.toContain('*');
    expect(ini).toContain(`connect_query='SET search_path = ''a''; SET jit = off'`);
  });

  it('reaches a database elsewhere as its address says', () => {
    const url = 'postgres://me@[::1]/a-b?sslmode=verify-ca&sslrootcert=/ca.pem';
    expect(partsOf(url)).toEqual({ host: '::1', port: '5432', name: 'a-b', user: 'me', password: '' });
    const ini = pgbouncerIni(spec, { ...place, databaseUrl: url });
    expect(ini).toContain(`"a-b" = host='::1' port='5432' dbname='a-b' user='me'\n`);
    expect(ini).toContain('\nserver_tls_sslmode = verify-ca\nserver_tls_ca_file = /ca.pem\n');
  });
});

it('userlist.txt quotes names and passwords', () => {
  expect(userlist({ me: 'x', 'a"b': 'y' })).toBe('"me" "x"\n"a""b" "y"\n');
});
