import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { readProcessTable } from '../../../src/probe/machine/process-table.ts';
import { createTurnMeter, type MeteredArm, type TurnMeter } from '../../../src/probe/meter/turn-meter.ts';
import { createDatabase } from '../../../src/stack/common/databases.ts';
import { withPostgres } from '../../stack/postgres.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function meter(): TurnMeter {
  const made = createTurnMeter();
  cleanups.push(() => made.release());
  return made;
}

/** A process that uses so much CPU time when it is asked to, and answers. */
function burner(): { readonly pid: number; burn(ms: number): Promise<void> } {
  const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', (ms) => {
    const used = () => { const { user, system } = process.cpuUsage(); return user + system; };
    for (const end = used() + 1000 * ms; used() < end; );
    process.stdout.write('done');
  });
  process.stdout.write('ready');`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  cleanups.push(() => child.kill('SIGKILL'));
  const ready = once(child.stdout, 'data');
  return {
    pid: child.pid ?? 0,
    async burn(ms) {
      await ready;
      child.stdin.write(`${ms}\n`);
      await once(child.stdout, 'data');
    },
  };
}

const nothing: MeteredArm = { servicePid: null, database: null, server: null };

describe('what cannot be read', () => {
  it('is null, and hinders nothing', async () => {
    const turns = meter();
    const elsewhere = { adminUrl: () => 'postgres://nobody@127.0.0.1:9/none', pid: null };
    await turns.begin([nothing, { servicePid: null, database: 'd', server: elsewhere }]);
    await turns.edge(null, 0);
    await turns.edge(0, 1);
    await turns.edge(1, null);
    for (const work of await turns.end()) {
      expect(work).toMatchObject({ serviceCpuMs: null, postgresCpuMs: null, idleCpuMs: null, walBytes: null });
      expect(work.idleMs).toBeGreaterThan(0);
    }
  });
});

// What follows needs Linux's /proc; elsewhere every field is null.
describe.skipIf(readProcessTable() === null)('the work of turns', () => {
  const server = withPostgres();

  it('is told apart from what a service does between them', async () => {
    const turns = meter();
    const [one, other] = [burner(), burner()];
    await Promise.all([one.burn(1), other.burn(1)]);
    await turns.begin([one, other].map(({ pid }) => ({ ...nothing, servicePid: pid })));
    await turns.edge(null, 0);
    await one.burn(100);
    await turns.edge(0, 1);
    await Promise.all([one.burn(60), other.burn(30)]);
    await turns.edge(1, 0);
    await one.burn(100);
    await turns.edge(0, null);
    const [first, second] = await turns.end();
    expect(first?.serviceCpuMs).toBeGreaterThanOrEqual(200);
    expect(first?.serviceCpuMs).toBeLessThan(230);
    expect(first?.idleCpuMs).toBeGreaterThanOrEqual(60);
    expect(first?.idleCpuMs).toBeLessThan(90);
    expect(second?.serviceCpuMs).toBeGreaterThanOrEqual(30);
    expect(second?.idleCpuMs).toBeLessThan(20);
    expect(first?.postgresCpuMs).toBeNull();
    expect(first?.tcpSegments).toBeGreaterThanOrEqual(0);
  });

  it('counts the log and the sessions of the arm whose turn it is, sessions that come and go included', async () => {
    const turns = meter();
    const clients = await Promise.all(
      ['busy', 'idle'].map(async (database) => {
        await createDatabase(server.postgres, database);
        return connected(server.postgres.adminUrl(database));
      }),
    );
    await turns.begin(['busy', 'idle'].map((database) => ({ servicePid: null, database, server: server.postgres })));
    await turns.edge(null, 0);
    await clients[0]?.query(
      'CREATE TABLE t AS SELECT n, repeat(n::text, 20) AS text FROM generate_series(1, 100000) AS n',
    );
    await turns.edge(0, 1);
    await clients[1]?.query('SELECT 1');
    await turns.edge(1, 0);
    // One that nobody has seen: it began and ended within a turn.
    const short = await connected(server.postgres.adminUrl('busy'));
    await short.query('SELECT sum(sqrt(n)) FROM generate_series(1, 2000000) AS n');
    await short.end();
    await sleep(100);
    await turns.edge(0, null);
    const [busy, idle] = await turns.end();
    expect(busy?.walBytes).toBeGreaterThan(10e6);
    expect(idle?.walBytes).toBeLessThan(100e3);
    expect(busy?.postgresCpuMs).toBeGreaterThan(200);
    expect(idle?.postgresCpuMs).toBeLessThan(30);
    expect(idle?.idleCpuMs).toBeLessThan(5);
  });

  it('charges nobody with an idle session that ends in the turn of another', async () => {
    const turns = meter();
    await createDatabase(server.postgres, 'leaving');
    const leaving = await connected(server.postgres.adminUrl('leaving'));
    await leaving.query('SELECT sum(sqrt(n)) FROM generate_series(1, 2000000) AS n');
    const arms = ['leaving', 'postgres'].map((database) => ({ servicePid: null, database, server: server.postgres }));
    await turns.begin(arms);
    await turns.edge(null, 1);
    await leaving.end();
    await sleep(100);
    await turns.edge(1, null);
    const [, other] = await turns.end();
    expect(other?.postgresCpuMs).toBeLessThan(30);
  });

  it('takes about a millisecond an edge beside 100 sessions', async () => {
    const turns = meter();
    const databases = ['many_a', 'many_b'];
    for (const database of databases) {
      await createDatabase(server.postgres, database);
      await Promise.all(Array.from({ length: 48 }, () => connected(server.postgres.adminUrl(database))));
    }
    const { pid } = burner();
    await turns.begin(databases.map((database) => ({ servicePid: pid, database, server: server.postgres })));
    const took: number[] = [];
    for (let edge = 0; edge < 300; edge++) {
      const start = performance.now();
      await turns.edge(edge === 0 ? null : (edge + 1) % 2, edge % 2);
      took.push(performance.now() - start);
    }
    await turns.end();
    took.sort((a, b) => a - b);
    const at = (share: number): number => took[Math.floor(share * took.length)] ?? 0;
    console.log(
      `an edge: median ${at(0.5).toFixed(2)} ms, 90 % ${at(0.9).toFixed(2)} ms, 99 % ${at(0.99).toFixed(2)} ms`,
    );
    // Far above what it takes: another test may run beside this one.
    expect(at(0.5)).toBeLessThan(20);
  });
});

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'service' });
  client.on('error', () => {});
  await client.connect();
  cleanups.push(() => client.end());
  return client;
}
