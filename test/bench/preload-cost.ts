/**
 * What pg_stat_statements costs: pgbench on one server that has it loaded, with sessions that count and sessions that do
 * not, in turn (ABBA), as Postgres's CPU time per transaction, in many short pairs. The median and its interval by order
 * statistics bear neighbours on the machine, which means do not.
 *
 *   node --import tsx test/bench/preload-cost.ts [pairs] [transactions] [pgbench arguments ...]
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startReaper } from '../../src/base/reaper.ts';
import { readProcessTable } from '../../src/probe/process-table.ts';
import { startEmbeddedPostgres } from '../../src/stack/embedded-postgres.ts';
import type { StartedPostgres } from '../../src/stack/postgres.ts';

const run = promisify(execFile);
const [pairs = '40', transactions = '10000', ...args] = process.argv.slice(2);

const options = {
  counting: '-c pg_stat_statements.track=top',
  // What is computed for the extension alone is switched off with it.
  without: '-c pg_stat_statements.track=none -c compute_query_id=off',
};

/** CPU ticks of the server's ended backends: pgbench's connections are all closed when it returns. */
function ticksOf(server: StartedPostgres): number {
  return readProcessTable()?.find(({ pid }) => pid === server.pid)?.childTicks ?? Number.NaN;
}

async function bench(server: StartedPostgres, sessions: keyof typeof options): Promise<number> {
  const before = ticksOf(server);
  const env = { ...process.env, PGOPTIONS: options[sessions] };
  await run('pgbench', ['-n', '-t', transactions, ...args, server.adminUrl()], { env });
  // Backends end a moment after their clients.
  await sleep(100);
  return ticksOf(server) - before;
}

const percent = (logRatio: number | undefined): string => `${(100 * Math.expm1(logRatio ?? Number.NaN)).toFixed(2)} %`;

const reaper = startReaper();
const server = await startEmbeddedPostgres({ reaper, preload: ['pg_stat_statements'] });
try {
  await run('pgbench', ['-i', '-q', '-s', '10', server.adminUrl()]);
  await bench(server, 'counting');
  const ratios: number[] = [];
  for (let pair = 0; pair < Number(pairs); pair++) {
    const order = pair % 2 === 0 ? (['without', 'counting'] as const) : (['counting', 'without'] as const);
    const ticks = { without: 0, counting: 0 };
    for (const sessions of order) ticks[sessions] = await bench(server, sessions);
    ratios.push(Math.log(ticks.counting / ticks.without));
    console.log(pair, ticks.without, ticks.counting);
  }
  ratios.sort((a, b) => a - b);
  const n = ratios.length;
  // Ranks of the 95 % interval of a median (normal approximation of the sign test).
  const half = 0.98 * Math.sqrt(n);
  const interval = [ratios[Math.floor(n / 2 - half)], ratios[Math.ceil(n / 2 + half)]];
  console.log(
    `Postgres CPU per transaction: ${percent(ratios[Math.floor(n / 2)])} [${interval.map(percent).join(', ')}], ${n} pairs, ${args.join(' ')}`,
  );
} finally {
  await server.stop();
  await reaper.close();
}
