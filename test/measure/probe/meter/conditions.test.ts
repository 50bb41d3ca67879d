import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { throttlings } from '../../../../src/base/process/control-group.ts';
import {
  type ProcessRow,
  parseProcess,
  readProcessTable,
  treesOf,
} from '../../../../src/base/process/process-table.ts';
import { readProc } from '../../../../src/base/process/read-proc.ts';
import { parseMachineCpu } from '../../../../src/measure/probe/machine/machine-cpu.ts';
import { foreignTicks, processTicks } from '../../../../src/measure/probe/machine/own-cpu.ts';
import { parsePressureUs, readPressureUs } from '../../../../src/measure/probe/machine/pressure.ts';
import { parseTcpCounters } from '../../../../src/measure/probe/machine/tcp-counters.ts';
import { createConditionsProbe, throttledShare } from '../../../../src/measure/probe/meter/conditions.ts';
import { openHousekeeping } from '../../../../src/measure/probe/meter/postgres-housekeeping.ts';
import { checkpoint } from '../../../../src/measure/stack/common/databases.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { needs } from '../../../support/needs.ts';
import { untilCheckpointerRests, withPostgres } from '../../stack/postgres.ts';

const proc = await needs('proc');

const row = (pid: number, parent: number, changes: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  name: 'node',
  state: 'S',
  parent,
  group: pid,
  session: 1,
  ticks: 10,
  childTicks: 0,
  systemTicks: 0,
  threads: 1,
  ...changes,
});

describe('what /proc says', () => {
  it('of the machine: total, busy and stolen ticks, guests not counted twice', () => {
    const text = 'cpu  100 5 50 800 20 3 7 15 40 1\ncpu0 50 2 25 400 10 1 3 7 20 0\n';
    expect(parseMachineCpu(text)).toEqual({ total: 1000, busy: 165, interrupts: 10, steal: 15 });
    expect(parseMachineCpu('nothing')).toBeNull();
  });

  it('of a process whose name holds brackets and spaces', () => {
    const text = '42 (a) b (c)) S 7 40 39 0 -1 4194560 1 2 3 4 100 20 30 4 20 0 1 0 555 1 1';
    expect(parseProcess(text)).toEqual({
      pid: 42,
      name: 'a) b (c)',
      state: 'S',
      parent: 7,
      group: 40,
      session: 39,
      ticks: 120,
      systemTicks: 24,
      childTicks: 34,
      threads: 1,
    });
  });

  it('of pressure and TCP', () => {
    expect(parsePressureUs('some avg10=1.00 avg60=0 avg300=0 total=1234\nfull avg10=0.00 total=5\n')).toBe(1234);
    expect(parsePressureUs('')).toBeNull();
    const snmp = 'Ip: A B\nIp: 1 2\nTcp: OutSegs RetransSegs\nTcp: 500 3\n';
    expect(parseTcpCounters(snmp, 'TcpExt: X ListenOverflows\nTcpExt: 9 2\nIpExt: Y\nIpExt: 1\n')).toEqual({
      tcpSegments: 500,
      tcpRetransmits: 3,
      listenOverflows: 2,
    });
    expect(parseTcpCounters('', '')).toEqual({ tcpSegments: null, tcpRetransmits: null, listenOverflows: null });
  });

  it('where there is none: null', () => {
    expect(readProc('/proc/no/such/file')).toBeNull();
  });
});

describe('a CPU limit', () => {
  it('is used up in the periods of a pass in which the group that was stopped most had nothing left', () => {
    const before = [
      { periods: 0, throttled: 0 },
      { periods: 100, throttled: 90 },
    ];
    const after = [
      { periods: 0, throttled: 0 },
      { periods: 140, throttled: 116 },
    ];
    expect(throttledShare(before, after)).toBe(0.65);
    expect(throttledShare(before, before)).toBe(0);
    expect(throttledShare([], [])).toBeNull();
  });

  it.runIf(proc)('that is not there is never used up', async () => {
    const probe = createConditionsProbe({ trees: () => [], knowsService: true, housekeeping: null });
    const { throttledShare: share } = await (await probe.begin([])).end();
    if (throttlings().every(({ periods }) => periods === 0)) expect(share ?? 0).toBe(0);
    else expect(share).toBeGreaterThanOrEqual(0);
  });
});

describe('own processes', () => {
  it('are the trees, also where a parent has ended and init has adopted its child', () => {
    const table = [row(1, 0), row(10, 1), row(11, 10), row(12, 11), row(13, 1, { group: 10 }), row(20, 1)];
    expect([...treesOf(table, [10])].sort()).toEqual([10, 11, 12, 13]);
  });

  it('count with their ended children, and kernel threads are nobody’s', () => {
    const kernel = { session: 0 };
    const table = [
      row(2, 0, kernel),
      row(3, 2, kernel),
      row(5, 1, { childTicks: 900 }),
      row(6, 5),
      row(10, 1, { childTicks: 7 }),
      row(20, 1, { childTicks: 3 }),
    ];
    expect(processTicks(table, [5, 10])).toEqual({ own: 20 + 910 + 10 + 17, all: 20 + 910 + 10 + 17 + 13 });
  });

  it('lose nothing when one ends: its time moves to the parent that waits for it', () => {
    const before = [row(10, 1, { ticks: 5 }), row(11, 10, { ticks: 100 })];
    const after = [row(10, 1, { ticks: 6, childTicks: 130 })];
    expect(processTicks(after, [10]).own - processTicks(before, [10]).own).toBe(31);
  });

  it('leave the rest to other programs, but for interrupts that no process was charged with', () => {
    const at = (busy: number, interrupts: number, own: number, all: number) => ({
      cpu: { busy, interrupts },
      processes: { own, all },
    });
    const start = at(1000, 100, 500, 800);
    // A kernel that charges them to whoever was interrupted, and one that does not.
    expect(foreignTicks(start, at(1200, 112, 670, 1000))).toBe(30);
    expect(foreignTicks(start, at(1200, 112, 660, 988))).toBe(28);
    // What cannot be seen (in a container) is another program all the same.
    expect(foreignTicks(start, at(1200, 112, 660, 960))).toBe(28);
    expect(foreignTicks(start, at(1200, 100, 400, 800))).toBe(200);
  });
});

// What follows needs the real thing; elsewhere every field is null.
describe('the conditions beside some work', proc.orSkip, () => {
  const busy = `const end = Date.now() + 1500; while (Date.now() < end);`;

  async function shareOf(ownIt: boolean): Promise<number> {
    const probe = createConditionsProbe({ trees: () => [], knowsService: true, housekeeping: null });
    // A child of init, in a session that is not this one's.
    const starter = spawn('sh', ['-c', `"$0" -e '${busy}' >/dev/null 2>&1 & echo $!`, process.execPath], {
      detached: true,
    });
    const [told] = await once(starter.stdout, 'data');
    const pid = Number(String(told));
    await once(starter, 'close');
    await sleep(100);
    const mark = await probe.begin(ownIt ? [pid] : []);
    await sleep(1000);
    const { foreignCpuShare } = await mark.end();
    process.kill(pid, 'SIGKILL');
    return foreignCpuShare ?? Number.NaN;
  }

  it('count as own what the bench starts and what ends before they do', async () => {
    const before = processTicks(readProcessTable() ?? [], [process.pid]);
    const burn = 'while (process.cpuUsage().user < 300_000);';
    await promisify(execFile)(process.execPath, ['-e', burn]);
    const after = processTicks(readProcessTable() ?? [], [process.pid]);
    expect(after.own - before.own).toBeGreaterThanOrEqual(25);
  });

  it('tell the CPU of a stranger, and leave out that of a service', async () => {
    // While the machine is taken away, the stranger has no CPU either.
    await expect.poll(() => shareOf(false)).toBeGreaterThan(0.1);
    const [foreign, own] = [await shareOf(false), await shareOf(true)];
    // Other tests may run beside this one: then both have their load in them.
    expect(foreign).toBeLessThanOrEqual(1);
    expect(own).toBeLessThanOrEqual(1);
  });

  it('have no foreign CPU where the service is not known, and a share for every pressure that the kernel tells', async () => {
    const probe = createConditionsProbe({ trees: () => [], knowsService: false, housekeeping: null });
    const mark = await probe.begin([]);
    await sleep(200);
    const conditions = await mark.end();
    expect(conditions).toMatchObject({ foreignCpuShare: null, checkpoints: null, autovacuums: null });
    expect(conditions.stealShare).toBeGreaterThanOrEqual(0);
    expect(conditions.stealMaxShare).toBeGreaterThanOrEqual(0);
    if (readPressureUs('io') !== null) expect(conditions.ioPressureShare).toBeGreaterThanOrEqual(0);
  });
});

describe('Postgres’s housekeeping', () => {
  const server = withPostgres({ settings: { autovacuum: true, autovacuum_naptime: '1s' } });

  it('is counted: a checkpoint that somebody asks for, and autovacuum at work', async () => {
    const url = server.postgres.adminUrl();
    const housekeeping = await openHousekeeping(url);
    const probe = createConditionsProbe({ trees: () => [], knowsService: true, housekeeping });
    const idle = await probe.begin([]);
    await sleep(300);
    expect(await idle.end()).toMatchObject({ checkpoints: 0 });

    const checked = await probe.begin([]);
    // So slow to vacuum that it is at work until somebody has looked, and not before it may.
    await query(
      url,
      `CREATE TABLE t WITH (autovacuum_enabled = off, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)
       AS SELECT n, repeat(n::text, 20) AS text FROM generate_series(1, 200000) AS n`,
    );
    await checkpoint(server.postgres);
    await untilCheckpointerRests(server.postgres);
    expect((await checked.end()).checkpoints).toBeGreaterThanOrEqual(1);

    await query(url, 'DELETE FROM t WHERE n % 2 = 0');
    const vacuumed = await probe.begin([]);
    await query(url, 'ALTER TABLE t RESET (autovacuum_enabled)');
    const atWork = (): Promise<readonly unknown[]> => query(url, 'SELECT FROM pg_stat_progress_vacuum');
    await vi.waitUntil(async () => (await atWork()).length > 0, { timeout: 100_000 });
    expect((await vacuumed.end()).autovacuums).toBeGreaterThanOrEqual(1);
    await housekeeping.close();
  });
});
