/**
 * What pg_stat_statements costs: one session of a server that has it loaded, in blocks of statements that are counted and
 * blocks that are not, in turn (ABBA), as the CPU time of the session's backend per statement. The scheduler tells it in
 * nanoseconds, and blocks are so short that neighbours on the machine disturb both alike: pairs of pgbench runs on a
 * shared machine (load 20 on two cores) left +-5 % and more after 30 pairs of some seconds.
 *
 *   node --import ./src/base/typescript.mjs test/bench/preload-cost.ts [pairs]
 */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { startReaper } from '../../src/base/process/reaper.ts';
import { startEmbeddedPostgres } from '../support/started-postgres.ts';

const pairs = Number(process.argv[2] ?? 400);
const STATEMENTS = 100;

const workloads: Readonly<Record<string, pg.QueryConfig>> = {
  'SELECT by key, prepared': { name: 'one', text: 'SELECT s FROM t WHERE n = $1', values: [] },
  'SELECT by key, parsed each time': { text: 'SELECT s FROM t WHERE n = $1', values: [] },
  'UPDATE by key, prepared': { name: 'two', text: 'UPDATE t SET s = s WHERE n = $1', values: [] },
};

const reaper = startReaper();
const server = await startEmbeddedPostgres({ reaper, preload: ['pg_stat_statements'] });
const client = new pg.Client({ connectionString: server.adminUrl() });

/** The backend sleeps between its statements, so its count is up to date. */
function cpuUs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
}

async function block(pid: number, workload: pg.QueryConfig, counted: boolean): Promise<number> {
  // What is computed for the extension alone is switched off with it.
  await client.query(`SET compute_query_id = ${counted ? 'on' : 'off'}`);
  await client.query(`SET pg_stat_statements.track = ${counted ? 'top' : 'none'}`);
  const before = cpuUs(pid);
  for (let n = 1; n <= STATEMENTS; n++) await client.query({ ...workload, values: [n] });
  return (cpuUs(pid) - before) / STATEMENTS;
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
const median = (values: readonly number[]): number => sorted(values)[Math.floor(values.length / 2)] ?? Number.NaN;

/** The median and its 95 % interval, by order statistics. */
function withInterval(values: readonly number[], unit: string): string {
  const half = 0.98 * Math.sqrt(values.length);
  const at = (rank: number): string => (sorted(values)[Math.round(rank)] ?? Number.NaN).toFixed(2);
  const middle = values.length / 2;
  return `${median(values).toFixed(2)} ${unit} [${at(middle - half)}, ${at(middle + half)}]`;
}

try {
  await client.connect();
  await client.query(`CREATE TABLE t AS SELECT n, repeat('x', 100) AS s FROM generate_series(1, 10000) n`);
  await client.query('ALTER TABLE t ADD PRIMARY KEY (n)');
  await client.query('VACUUM ANALYZE t');
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = rows[0]?.pid ?? 0;
  for (const [name, workload] of Object.entries(workloads)) {
    await block(pid, workload, true);
    const without: number[] = [];
    const extra: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const countedFirst = pair % 2 === 0;
      const [first, second] = [await block(pid, workload, countedFirst), await block(pid, workload, !countedFirst)];
      const [counted, plain] = countedFirst ? [first, second] : [second, first];
      without.push(plain);
      extra.push(counted - plain);
    }
    const base = median(without);
    console.log(
      `${name}: ${base.toFixed(1)} us; counted ${withInterval(extra, 'us')} more, ${((100 * median(extra)) / base).toFixed(1)} %`,
    );
  }
} finally {
  await client.end();
  await server.stop();
  await reaper.close();
}
