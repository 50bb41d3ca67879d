/**
 * What pg_stat_statements costs: two servers that differ in the preloaded library alone, pgbench on both at the same time,
 * so that neighbours on the machine disturb them alike; transactions per second and Postgres's CPU per transaction as
 * ratios over such pairs. (In turn, as pairs of slices, the same on a shared machine had intervals of +-6 % CPU, n = 30.)
 *
 *   node --import tsx test/bench/preload-cost.ts [pairs] [seconds] [pgbench arguments ...]
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startReaper } from '../../src/base/reaper.ts';
import { readProcessTable } from '../../src/probe/process-table.ts';
import { startEmbeddedPostgres } from '../../src/stack/embedded-postgres.ts';
import type { StartedPostgres } from '../../src/stack/postgres.ts';

const run = promisify(execFile);
const [pairs = '10', seconds = '5', ...args] = process.argv.slice(2);

/** CPU ticks of the server's ended backends: pgbench's connections are all closed when it returns. */
function ticksOf(server: StartedPostgres): number {
  return readProcessTable()?.find(({ pid }) => pid === server.pid)?.childTicks ?? Number.NaN;
}

async function bench(server: StartedPostgres): Promise<{ tps: number; ticksPerTransaction: number }> {
  const before = ticksOf(server);
  const { stdout } = await run('pgbench', ['-n', '-M', 'prepared', '-T', seconds, ...args, server.adminUrl()]);
  // Backends end a moment after their clients.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const transactions = Number(/actually processed: (\d+)/.exec(stdout)?.[1]);
  const tps = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  return { tps, ticksPerTransaction: (ticksOf(server) - before) / transactions };
}

function summary(values: readonly number[]): string {
  const percent = values.map((value) => 100 * Math.expm1(value)).sort((a, b) => a - b);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
  const half = (2.1 * sd) / Math.sqrt(values.length);
  const median = percent[Math.floor(percent.length / 2)] ?? Number.NaN;
  const shown = [mean, mean - half, mean + half].map((value) => `${(100 * Math.expm1(value)).toFixed(2)} %`);
  return `mean ${shown[0]} [${shown[1]}, ${shown[2]}], median ${median.toFixed(2)} %, n ${values.length}`;
}

const reaper = startReaper();
const without = await startEmbeddedPostgres({ reaper });
const loaded = await startEmbeddedPostgres({
  reaper,
  settings: { shared_preload_libraries: 'pg_stat_statements' },
});
try {
  for (const server of [without, loaded]) await run('pgbench', ['-i', '-q', '-s', '10', server.adminUrl()]);
  await Promise.all([bench(without), bench(loaded)]);
  const tps: number[] = [];
  const ticks: number[] = [];
  for (let pair = 0; pair < Number(pairs); pair++) {
    const [a, b] = await Promise.all([bench(without), bench(loaded)]);
    tps.push(Math.log(b.tps / a.tps));
    ticks.push(Math.log(b.ticksPerTransaction / a.ticksPerTransaction));
    console.log(pair, a.tps.toFixed(0), b.tps.toFixed(0), a.ticksPerTransaction * 1e4, b.ticksPerTransaction * 1e4);
  }
  console.log(`transactions/s: ${summary(tps)}`);
  console.log(`Postgres CPU per transaction: ${summary(ticks)}`);
} finally {
  await without.stop();
  await loaded.stop();
  await reaper.close();
}
