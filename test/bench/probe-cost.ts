/**
 * What the probes cost: while pgbench loads a server, the CPU that each takes in this process, in its backend and in a
 * document service whose metrics it reads, and how long it takes before and after the load; then transactions per second
 * with all of them and with none, in turn (ABBA).
 *
 *   node --import ./src/base/typescript.mjs test/bench/probe-cost.ts [pairs] [connections]
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { markdownTable } from 'markdown-table';
import { startReaper } from '../../src/base/process/reaper.ts';
import { median } from '../../src/judge/stats/moments.ts';
import type { Probe } from '../../src/measure/probe/probe.ts';
import { probes as kinds } from '../../src/measure/probe/registry.ts';
import { query } from '../../src/measure/stack/common/query.ts';
import { startTarget } from '../../src/measure/target/start-target.ts';
import { testArm, wholeLoad } from '../measure/probe/probe-context.ts';
import { startEmbeddedPostgres } from '../support/started-postgres.ts';

const run = promisify(execFile);
const [pairs = '20', connections = '25'] = process.argv.slice(2);
const SLICE_MS = 5000;
const SLICES = 3;
const TPS_MS = 3000;

const reaper = startReaper();
const server = await startEmbeddedPostgres({ reaper, preload: ['pg_stat_statements'] });
const samplesFolder = mkdtempSync(join(tmpdir(), 'pgsweep-cost-'));
const context = { postgres: server, generatorPid: process.pid, samplesFolder, onWarning: console.error };
await query(server.adminUrl(), 'CREATE DATABASE service');
const service = await startTarget({
  target: { kind: 'service', service: 'documents', env: {} },
  variant: { name: 'a', factors: {}, env: {} },
  databaseUrl: server.adminUrl('service'),
  search: null,
  reaper,
  logFile: join(samplesFolder, 'service.log'),
});
const arm = testArm({ database: 'bench', url: service.url, pid: service.pid });

/** CPU of a process's first thread, in ms: the scheduler's own count, since ticks are too coarse. */
function schedulerMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** CPU of the backends that probes keep, in ms. */
async function backendMs(): Promise<number> {
  const rows = await query(
    server.adminUrl(),
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'pgsweep probe'`,
  );
  return rows.reduce((sum, { pid }) => sum + schedulerMs(Number(pid)), 0);
}

/** What some probes cost in one slice: the columns of the table. */
async function costOf(probes: readonly Probe[]): Promise<readonly number[]> {
  const startMs = performance.now();
  const marks = [];
  for (const probe of probes) marks.push(await probe.begin(arm));
  const begunMs = performance.now();
  const [own, backend] = [process.cpuUsage(), await backendMs()];
  const serviceBefore = schedulerMs(service.pid ?? 0);
  await sleep(SLICE_MS);
  const spent = process.cpuUsage(own);
  const serviceSpent = schedulerMs(service.pid ?? 0) - serviceBefore;
  const backendSpent = (await backendMs()) - backend;
  const endMs = performance.now();
  for (const mark of marks) await mark.end(wholeLoad(SLICE_MS));
  const perSecond = (ms: number): number => ms / (SLICE_MS / 1000);
  return [
    perSecond((spent.user + spent.system) / 1000),
    perSecond(backendSpent),
    perSecond(serviceSpent),
    begunMs - startMs,
    performance.now() - endMs,
  ];
}

/** The medians of some slices: code that is compiled meanwhile counts in one of them. */
async function usualCost(name: string, probes: readonly Probe[]): Promise<string[]> {
  const slices: (readonly number[])[] = [];
  for (let slice = 0; slice < SLICES; slice++) slices.push(await costOf(probes));
  const columns = slices[0]?.map((_, column) => slices.map((costs) => costs[column] ?? Number.NaN)) ?? [];
  return [name, ...columns.map((values) => median(values).toFixed(1))];
}

function load(): ChildProcess {
  const args = ['-n', '-M', 'prepared', '-c', connections, '-T', '600', server.adminUrl('bench')];
  return spawn('pgbench', args, { stdio: 'ignore' });
}

async function tps(probes: readonly Probe[]): Promise<number> {
  const marks = [];
  for (const probe of probes) marks.push(await probe.begin(arm));
  const { stdout } = await run('pgbench', [
    '-n',
    '-M',
    'prepared',
    '-c',
    connections,
    '-T',
    String(TPS_MS / 1000),
    server.adminUrl('bench'),
  ]);
  for (const mark of marks) await mark.end(wholeLoad(TPS_MS));
  return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
}

try {
  await query(server.adminUrl(), 'CREATE DATABASE bench');
  await run('pgbench', ['-i', '-q', '-s', '10', server.adminUrl('bench')]);
  const opened = await Promise.all(kinds.map((kind) => kind.open(context)));
  const probes = opened.filter((probe): probe is Probe => !('absent' in probe));
  const loading = load();
  await sleep(2000);
  const rows = [await usualCost('(nothing)', [])];
  for (const probe of probes) rows.push(await usualCost(probe.name, [probe]));
  rows.push(await usualCost('all', probes));
  loading.kill();
  await new Promise((resolve) => loading.once('exit', resolve));
  console.log(
    markdownTable([
      ['probe', 'CPU here, ms/s', 'CPU of its backend, ms/s', 'CPU of the service, ms/s', 'before, ms', 'after, ms'],
      ...rows,
    ]),
  );
  const ratios: number[] = [];
  for (let pair = 0; pair < Number(pairs); pair++) {
    const [first, second] = pair % 2 === 0 ? [probes, []] : [[], probes];
    const [a, b] = [await tps(first), await tps(second)];
    console.log(pair, pair % 2 === 0 ? 'with, without' : 'without, with', a.toFixed(0), b.toFixed(0));
    ratios.push(100 * (pair % 2 === 0 ? a / b - 1 : b / a - 1));
  }
  ratios.sort((a, b) => a - b);
  const half = 0.98 * Math.sqrt(ratios.length);
  const at = (rank: number): string => `${(ratios[rank] ?? Number.NaN).toFixed(2)} %`;
  const middle = ratios.length / 2;
  console.log(
    `transactions/s with all probes: ${at(Math.floor(middle))} [${at(Math.floor(middle - half))}, ${at(Math.ceil(middle + half))}], ${ratios.length} pairs`,
  );
  for (const probe of probes) await probe.close();
} finally {
  await service.stop();
  await server.stop();
  await reaper.close();
  rmSync(samplesFolder, { recursive: true });
}
