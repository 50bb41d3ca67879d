import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { lineOf, parseMemory } from '../../../../src/measure/probe/machine/process-files.ts';
import { growingCounts, processTreeTotal } from '../../../../src/measure/probe/machine/process-usage.ts';
import { cgroupUsage, processes } from '../../../../src/measure/probe/machine/processes.ts';
import { usageValues } from '../../../../src/measure/probe/machine/usage.ts';
import { present, type TestContext, testArm, testContext, wholeLoad } from '../probe-context.ts';

type Child = ChildProcessByStdio<Writable, Readable, null>;

const children: Child[] = [];
const contexts: TestContext[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
  }
  for (const context of contexts.splice(0)) context.remove();
});

function context(...args: Parameters<typeof testContext>): TestContext {
  const made = testContext(...args);
  contexts.push(made);
  return made;
}

/** A process that does as it is told, line by line, and answers each line with what it has used. */
function worker(script: string): Child {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

async function ask(child: Child, line: string): Promise<number> {
  child.stdin.write(`${line}\n`);
  const [answer] = await once(child.stdout, 'data');
  return Number(String(answer));
}

/** `burn`: uses 600 ms of CPU. `calls`: has the kernel use 300 ms. `idle`: sleeps as long. `child`: has a process burn 600 ms that has ended when it answers. */
const obedient = `
const { spawnSync } = require('node:child_process');
const burn = "const used = () => { const { user, system } = process.cpuUsage(); return user + system; };"
  + "for (const end = used() + 6e5; used() < end; ) for (let i = 0; i < 1e6; i++);";
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'burn') eval(burn);
  if (line === 'calls') for (const end = process.cpuUsage().system + 3e5; process.cpuUsage().system < end; ) require('node:fs').readdirSync('/proc');
  if (line === 'child') spawnSync(process.execPath, ['-e', burn]);
  setTimeout(() => {
    const { user, system } = process.cpuUsage();
    process.stdout.write(String((user + system) / 1e6));
  }, line === 'idle' ? 600 : 0);
});`;

interface Seen {
  /** What the probe said of a slice in which the worker was told one thing. */
  readonly values: Readonly<Record<string, number>>;
  /** CPU seconds, by the probe. */
  readonly used: number;
  /** CPU seconds by the worker's own account, its children's not among them: within the slice, and around it. */
  readonly within: number;
  readonly around: number;
  /** By the clock: the slice, and from before the probe's first reading until after its last. */
  readonly ms: number;
  readonly aroundMs: number;
}

/** The probe's seconds are counted in ticks of 10 ms, of two kinds. */
const TICKS = 0.02;

async function slice(line: string): Promise<Seen> {
  const service = worker(obedient);
  await ask(service, 'hello');
  const before = await ask(service, 'hello');
  const probe = present(await processes.open(context()));
  const beforeMs = performance.now();
  const mark = await probe.begin(testArm({ pid: service.pid ?? null }));
  const begun = await ask(service, 'hello');
  const start = performance.now();
  const ended = await ask(service, line);
  const ms = performance.now() - start;
  const reading = await mark.end(wholeLoad(ms));
  const aroundMs = performance.now() - beforeMs;
  const after = await ask(service, 'hello');
  await probe.close();
  const values = reading?.values ?? {};
  const used = ((values.service_cpu_cores ?? Number.NaN) * ms) / 1000;
  return { values, used, within: ended - begun, around: after - before, ms, aroundMs };
}

describe('the processes probe', () => {
  it('sees the CPU time that a busy process used', async () => {
    const { values, used, within, around } = await slice('burn');
    expect(within).toBeGreaterThan(0.59);
    expect(used).toBeGreaterThan(within - TICKS);
    expect(used).toBeLessThan(around + TICKS);
    const { service_cpu_user_cores: user = Number.NaN, service_cpu_system_cores: system = Number.NaN } = values;
    expect(user).toBeGreaterThan(system);
    expect(user + system).toBeCloseTo(values.service_cpu_cores ?? 0, 4);
    expect(values.service_busiest_thread_cores).toBeGreaterThan(0.75 * (values.service_cpu_cores ?? 0));
    expect(values.service_memory_max_bytes).toBeGreaterThan(20e6);
    expect(values.service_involuntary_switches_per_s).toBeGreaterThanOrEqual(0);
  });

  it('sees how long a thread waited for a CPU', async () => {
    const spin = "console.log('busy'); for (const end = Date.now() + 6e4; Date.now() < end; );";
    const rivals = Array.from({ length: 3 * availableParallelism() }, () => spawn(process.execPath, ['-e', spin]));
    await Promise.all(rivals.map(({ stdout }) => once(stdout, 'data')));
    const { values, ms, aroundMs } = await slice('burn');
    for (const rival of rivals) rival.kill('SIGKILL');
    // Three rivals a CPU leave a thread a quarter of one, and it waits three times as long as it is at work.
    const waited = (values.service_busiest_thread_waited_share ?? 0) / (values.service_busiest_thread_cores ?? 0);
    expect(waited).toBeGreaterThan(1);
    // No longer than there was time for.
    expect(values.service_busiest_thread_waited_share).toBeLessThan(1.05 * (aroundMs / ms));
  });

  it('sees none where the process was idle', async () => {
    const { values, used, around } = await slice('idle');
    expect(used).toBeLessThan(around + TICKS);
    expect(values.service_voluntary_switches_per_s).toBeGreaterThan(0);
  });

  it('counts a process that began and ended within the slice', async () => {
    const { used, within } = await slice('child');
    expect(used).toBeGreaterThan(within + 0.59 - TICKS);
  });

  it('tells the work of the kernel from that of the process', async () => {
    const { values } = await slice('calls');
    expect(values.service_cpu_system_cores).toBeGreaterThan(0.25 * (values.service_cpu_cores ?? Number.NaN));
  });

  it('tells a service of several processes as a whole, and each of them by its name', async () => {
    const [busy, idle] = [worker(obedient), worker(obedient)];
    await Promise.all([ask(busy, 'hello'), ask(idle, 'hello')]);
    const own = context();
    const probe = present(await processes.open(own));
    const named = { api: busy, 'next-door': idle };
    const pids = Object.entries(named).map(([name, { pid = 0 }]) => ({ name, pid }));
    const mark = await probe.begin(testArm({ pid: busy.pid ?? null, processes: pids }));
    await ask(busy, 'burn');
    const { values = {} } = (await mark.end(wholeLoad())) ?? {};
    await probe.close();
    const cores = (process: string): number => values[`service_cpu_cores{process="${process}"}`] ?? Number.NaN;
    expect(cores('api')).toBeGreaterThan(0.59 - TICKS);
    expect(cores('api')).toBeGreaterThan(10 * cores('next-door'));
    expect(values.service_cpu_cores).toBeCloseTo(cores('api') + cores('next-door'), 4);
    expect(values['service_memory_max_bytes{process="next-door"}']).toBeGreaterThan(20e6);
    const [, ...rows] = own.samples('processes');
    expect(new Set(rows.map((row) => row[4]))).toEqual(
      new Set(['service', 'service api', 'service next-door', 'generator']),
    );
  });

  it('writes its samples with what they belong to, and the generator beside the service', async () => {
    const own = context();
    const probe = present(await processes.open(own));
    await (await probe.begin(testArm())).end(wholeLoad());
    await probe.close();
    const [head, ...rows] = own.samples('processes');
    expect(head?.slice(0, 6)).toEqual(['at', 'round', 'slice', 'arm', 'role', 'cpu_s']);
    expect(rows.map((row) => row.slice(1, 5))).toEqual([
      ['2', '3', 'pool=10', 'service'],
      ['2', '3', 'pool=10', 'generator'],
      ['2', '3', 'pool=10', 'service'],
      ['2', '3', 'pool=10', 'generator'],
    ]);
  });

  it('warns once of a process that has gone, and still tells of the others', async () => {
    const gone = worker('');
    await once(gone, 'exit');
    const own = context();
    const probe = present(await processes.open(own));
    for (let i = 0; i < 2; i++) {
      const reading = await (await probe.begin(testArm({ pid: gone.pid ?? null }))).end(wholeLoad());
      expect(reading?.values).not.toHaveProperty('service_cpu_cores');
      expect(reading?.values).toHaveProperty('generator_cpu_cores');
    }
    await probe.close();
    const cause = `process ${gone.pid} is gone`;
    expect(own.warnings).toEqual([{ kind: 'probe-missed', probe: 'processes', role: 'service', cause }]);
  });

  it('has no values for what runs elsewhere', async () => {
    const probe = present(await processes.open(context()));
    const reading = await (await probe.begin(testArm({ pid: null }))).end(wholeLoad());
    await probe.close();
    expect(Object.keys(reading?.values ?? {}).every((name) => name.startsWith('generator_'))).toBe(true);
  });
});

describe('a sum over processes that come and go', () => {
  const part = (pid: number, parent: number, used: number) => ({ pid, parent, used });

  it('grows by what they use, from the first reading', () => {
    const sum = processTreeTotal();
    expect(sum([part(1, 0, 100)])).toBe(0);
    expect(sum([part(1, 0, 110), part(2, 1, 5)])).toBe(15);
  });

  it('counts once what a process that ended left to its parent, or to the parent of that', () => {
    const sum = processTreeTotal();
    sum([part(1, 0, 100), part(2, 1, 20), part(3, 2, 30)]);
    // 3 used 2 more, and both have ended: 1 has waited for 2, which had waited for 3.
    expect(sum([part(1, 0, 152)])).toBe(2);
  });

  it('does not fall where an orphan ends: what it used went to init', () => {
    const sum = processTreeTotal();
    sum([part(1, 0, 100), part(2, 77, 20)]);
    expect(sum([part(1, 0, 103)])).toBe(3);
  });

  it('keeps the counts of threads that have ended', () => {
    const counts = growingCounts();
    counts(new Map([['1/1', 50]]));
    counts(new Map([['1/1', 60], ['1/2', 7]])); // biome-ignore format: one line for each reading
    expect([...counts(new Map([['1/1', 61]]))]).toEqual([['1/1', 11], ['1/2', 7]]); // biome-ignore format: as above
  });
});

describe('what /proc says of a process', () => {
  it('of memory: its own, and what it shares', () => {
    const status = 'VmRSS:\t  300 kB\nRssAnon:\t     100 kB\nRssFile:\t      50 kB\nRssShmem:\t     150 kB\n';
    expect(parseMemory(status)).toEqual({ anonymous: 102_400, shared: 204_800 });
    expect(parseMemory('VmRSS:\t  300 kB\n')).toBeNull();
  });

  it('of switches and storage', () => {
    const status = 'voluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n';
    expect(lineOf(status, 'voluntary_ctxt_switches')).toBe(12);
    expect(lineOf(status, 'nonvoluntary_ctxt_switches')).toBe(3);
    const io = 'rchar: 1\nwchar: 2\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 5\n';
    expect([lineOf(io, 'read_bytes'), lineOf(io, 'write_bytes'), lineOf('', 'read_bytes')]).toEqual([4096, 8192, null]);
  });
});

describe('a container', () => {
  const recorded = (version: string): string =>
    fileURLToPath(new URL(`../../../fixtures/cgroup/${version}`, import.meta.url));
  const expected = {
    cpu_s: 12.5,
    cpu_user_s: 9.1,
    cpu_system_s: 3.4,
    throttled_s: 0.85,
    memory_bytes: 250_000_000,
    read_bytes: 1_052_672,
    written_bytes: 41_943_040,
    busiest_thread_s: null,
    busiest_thread_waited_s: null,
    voluntary_switches: null,
  };

  it('is read by its control group, version 2 and version 1 alike', () => {
    expect(cgroupUsage('/system.slice/docker-1.scope', recorded('v2'))()).toMatchObject(expected);
    expect(cgroupUsage('/docker/1', recorded('v1'))()).toMatchObject(expected);
  });

  it('that is not there is an error with its name', () => {
    expect(() => cgroupUsage('/docker/2', recorded('v1'))()).toThrow('there is no control group /docker/2');
  });

  it('has no values for what control groups do not count', () => {
    const read = cgroupUsage('/docker/1', recorded('v1'));
    const values = usageValues('postgres', [read(), { ...read(), cpu_s: 13.5 }], 5);
    expect(values).toEqual({
      postgres_cpu_cores: 0.2,
      postgres_cpu_user_cores: 0,
      postgres_cpu_system_cores: 0,
      postgres_throttled_share: 0,
      postgres_memory_max_bytes: 250_000_000,
      postgres_read_bytes_per_s: 0,
      postgres_written_bytes_per_s: 0,
    });
  });
});
