import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { waitEvents } from '../../../../src/measure/probe/postgres/wait-events.ts';
import { countSessions, summariseWaits } from '../../../../src/measure/probe/postgres/wait-shares.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { wholeLoad } from '../probe-context.ts';
import { describeProbed } from '../probed.ts';

describe('the sessions of a moment', () => {
  const group = (state: string | null, type: string | null, event: string | null, sessions = 1) => ({
    state,
    type,
    event,
    sessions,
  });

  it('are counted by what they wait for; between statements of a transaction it is the client', () => {
    const groups = [
      group('idle', 'Client', 'ClientRead', 7),
      group('idle in transaction', 'Client', 'ClientRead', 2),
      group('active', null, null, 3),
      group('active', 'Lock', 'transactionid', 4),
      group('active', 'LWLock', 'WALWrite'),
      group('active', 'IO', 'DataFileRead'),
      group('active', 'Timeout', 'PgSleep'),
      group(null, null, null),
    ];
    expect(countSessions(groups)).toEqual({
      connections: 20,
      busy: 12,
      idle_in_transaction: 2,
      cpu: 3,
      lock: 4,
      lwlock: 1,
      io: 1,
      client: 2,
      other: 1,
    });
  });

  it('make shares of the busy ones, and how many were busy at once', () => {
    const moments = [1, 2, 3, 10].map((busy) => [
      group('active', null, null, busy),
      group('idle', 'Client', 'ClientRead', 5),
    ]);
    const summary = summariseWaits([...moments, [group('active', 'Lock', 'tuple', 4)]]);
    expect(summary?.values).toMatchObject({
      wait_samples: 5,
      connections_mean: 8,
      busy_connections_mean: 4,
      busy_connections_p95: 10,
      busy_connections_max: 10,
      on_cpu_share: 0.8,
      lock_wait_share: 0.2,
      io_wait_share: 0,
    });
    expect(summary?.rows).toEqual([
      { event: 'CPU', share: 0.8 },
      { event: 'Lock:tuple', share: 0.2 },
    ]);
  });

  it('make no share where nobody was busy, and nothing of no sample', () => {
    const { values } = summariseWaits([[group('idle', 'Client', 'ClientRead')]]) ?? {};
    expect(values).toMatchObject({ busy_connections_mean: 0 });
    expect(values).not.toHaveProperty('on_cpu_share');
    expect(summariseWaits([])).toBeNull();
  });
});

/** The sessions of probes. */
const left = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'pgsweep probe'`;

describeProbed('wait events', {}, (probed) => {
  it('tell a lock that three sessions wait for, and its holder idle in its transaction', async () => {
    const database = await probed.database('CREATE TABLE t AS SELECT 1 AS n');
    const probe = await probed.open(waitEvents.open);
    const [holder, ...waiters] = await Promise.all([1, 2, 3, 4].map(database.client));
    const idle = await database.client();
    await idle.query('SELECT 1');
    await holder?.query('BEGIN');
    await holder?.query('UPDATE t SET n = 2');
    const waiting = waiters.map((client) => client.query('UPDATE t SET n = 3'));
    const lockWaits = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '${database.arm.database}'`;
    await expect.poll(() => query(database.url, lockWaits)).toEqual([{ n: 3 }]);
    // It is so in the whole slice: then every sample shows it, however few a busy machine lets be taken.
    const { values, rows } = await database.during(probe, () => sleep(1500));
    await holder?.query('COMMIT');
    await Promise.all(waiting);
    expect(values).toMatchObject({
      lock_wait_share: 0.75,
      client_wait_share: 0.25,
      busy_connections_max: 4,
      busy_connections_mean: 4,
      connections_mean: 5,
      idle_in_transaction_mean: 1,
    });
    expect(rows?.map(({ event }) => String(event))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Lock:/), 'Client:idle in transaction']),
    );
    await probe.close();
    const lines = readFileSync(join(probed.context().samplesFolder, 'wait-events.csv'), 'utf8').trim().split('\n');
    expect(lines[0]).toBe('at,round,slice,arm,connections,busy,idle_in_transaction,cpu,lock,lwlock,io,client,other');
    expect(lines.length - 1).toBe(values.wait_samples);
    expect(lines.at(3)).toMatch(/^20\d\d-.*Z,1,2,pool=10,5,\d/);
    expect(probed.warnings).toEqual([]);
  });

  it('are silent about sessions that only work, those of other databases, and its own', async () => {
    const [database, other] = [await probed.database(), await probed.database('CREATE TABLE t AS SELECT 1 AS n')];
    const probe = await probed.open(waitEvents.open);
    const [holder, waiter] = [await other.client(), await other.client()];
    await holder.query('BEGIN; UPDATE t SET n = 2');
    const waiting = waiter.query('UPDATE t SET n = 3');
    const worker = await database.client();
    // By the clock, and nothing but CPU: no file, no lock, no client in between.
    const work = (seconds: number): string =>
      `DO $$ DECLARE until timestamptz := clock_timestamp() + interval '${seconds} s'; BEGIN WHILE clock_timestamp() < until LOOP END LOOP; END $$`;
    await worker.query(work(0.01));
    const { values } = await database.during(probe, async () => {
      await worker.query(work(1.5));
    });
    await holder.query('COMMIT');
    await waiting;
    expect(values).toMatchObject({
      on_cpu_share: 1,
      lock_wait_share: 0,
      busy_connections_max: 1,
      idle_in_transaction_mean: 0,
    });
  });

  it('end at once, and with the run, where a slice never got to its end', async () => {
    const database = await probed.database();
    const probe = await probed.open(waitEvents.open);
    const ended = await (await probe.begin(database.arm)).end(wholeLoad());
    await probe.begin(database.arm);
    await probe.close();
    // None was taken in no time, unless the machine took its time; nobody was busy anyway.
    expect(ended?.values.busy_connections_max ?? 0).toBe(0);
    expect(ended?.rows ?? []).toEqual([]);
    await expect.poll(() => query(probed.server.postgres.adminUrl(), left)).toEqual([{ n: 0 }]);
    expect(probed.warnings).toEqual([]);
  });

  it('where the connection is lost: one warning, no reading, no exception', async () => {
    const database = await probed.database();
    const probe = await probed.open(waitEvents.open);
    const mark = await probe.begin(database.arm);
    await query(
      probed.server.postgres.adminUrl(),
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pgsweep probe'`,
    );
    await expect.poll(() => query(probed.server.postgres.adminUrl(), left)).toEqual([{ n: 0 }]);
    await mark.end(wholeLoad());
    expect(await (await probe.begin(database.arm)).end(wholeLoad())).toBeNull();
    expect(probed.warnings).toHaveLength(1);
  });

  it('are absent where the user may not see others, with what would help', async () => {
    const { postgres } = probed.server;
    await query(postgres.adminUrl(), `CREATE ROLE blind LOGIN PASSWORD 'blind'`);
    const url = (database?: string): string => {
      const blind = new URL(postgres.adminUrl(database));
      [blind.username, blind.password] = ['blind', 'blind'];
      return blind.href;
    };
    expect(await waitEvents.open(probed.context({ postgres: { ...postgres, adminUrl: url } }))).toEqual({
      name: 'wait-events',
      absent: `the user blind may not read other users' statistics (GRANT pg_monitor TO "blind")`,
    });
    expect(await waitEvents.open(probed.context({ postgres: null }))).toMatchObject({
      absent: expect.stringMatching(/not one that pgsweep/),
    });
  });
});
