import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Summary } from '../../../src/judge/summary.ts';
import type { Goal } from '../goal.ts';
import { agreement, changesOf, TIMES } from './alone.ts';
import { schema, withStand } from './stand.ts';

const ITEMS = 600_000;
const SIZES = ['1MB', '256MB'] as const;
const query = 'SELECT count(*) FROM (SELECT name, maker FROM items ORDER BY name DESC, maker OFFSET 1) AS sorted;\n';

/** A report query at two work_mem without a scenario file, against the wall clock around psql. */
export async function reportCase(folder: string): Promise<Goal[]> {
  writeFileSync(join(folder, 'report.sql'), query);
  writeFileSync(join(folder, 'schema.sql'), schema(ITEMS));
  const asked = ['--job', join(folder, 'report.sql'), '--dataset', join(folder, 'schema.sql')];
  const setting = ['--setting', `work_mem=${SIZES.join()}`, '--setting', 'max_parallel_workers_per_gather=0'];
  const args = ['src/cli/bin.mjs', 'sweep', ...asked, ...setting, '--size', '--budget', '10m', '--quiet', '--json'];
  const out = execFileSync(process.execPath, [...args, '--out', join(folder, 'run-report')], {
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  const { comparisons, findings } = JSON.parse(out) as Summary;
  const time = comparisons.find(({ metric }) => metric === 'duration_ms');
  const alone = await withStand(schema(ITEMS), async (stand) => {
    const times: Record<string, number[]> = {};
    for (let time = 0; time < TIMES; time++) {
      for (const size of SIZES) {
        const url = await stand.copy();
        psql(folder, url, size);
        const start = performance.now();
        psql(folder, url, size);
        times[size] = [...(times[size] ?? []), performance.now() - start];
      }
    }
    return times;
  });
  const named = findings.some(({ name }) => name === 'temp-files');
  return [
    agreement({
      name: `time of a report query with work_mem ${SIZES[1]} against ${SIZES[0]}`,
      unit: '%',
      estimate: time?.deltaPercent,
      interval: time?.interval,
      alone: changesOf(alone[SIZES[0]] ?? [], alone[SIZES[1]] ?? []),
    }),
    {
      name: 'temporary files that vanish, in Why',
      measured: findings.map(({ name }) => name).join(', ') || 'nothing',
      goal: 'temp-files',
      reached: named,
    },
  ];
}

function psql(folder: string, url: string, workMem: string): void {
  const env = { ...process.env, PGOPTIONS: `-c work_mem=${workMem} -c max_parallel_workers_per_gather=0` };
  execFileSync('psql', ['--quiet', '--output', '/dev/null', '--file', join(folder, 'report.sql'), url], { env });
}
