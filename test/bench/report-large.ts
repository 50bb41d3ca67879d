import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aggregateRun } from '../../src/judge/read/aggregate-run.ts';
import { summarize } from '../../src/judge/summary.ts';
import { reportContent, writeReport } from '../../src/report/write-report.ts';
import { largeRun } from '../report/large-run.ts';
import type { Goal } from './goal.ts';

/**
 * Writes all reports of a run of 50 variants, 5 load levels and 20 rounds. The time is the smaller of the wall clock's and
 * of the CPU's: the one counts whatever else the machine does, the other the threads of the garbage collector too.
 */
export async function benchReport(): Promise<Goal[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-report-'));
  try {
    const journal = largeRun(true);
    const data = aggregateRun(journal);
    const summary = summarize(journal, data);
    const [startMs, before] = [performance.now(), process.cpuUsage()];
    await writeReport(folder, reportContent(folder, data, summary));
    const { user, system } = process.cpuUsage(before);
    const seconds = Math.min(performance.now() - startMs, (user + system) / 1000) / 1000;
    const megabytes = statSync(join(folder, 'report.html')).size / 1e6;
    const name = '50 variants x 5 load levels x 20 rounds';
    return [
      { name: `all reports of ${name}`, measured: `${seconds.toFixed(1)} s`, goal: '< 3 s', reached: seconds < 3 },
      {
        name: `report.html of ${name}`,
        measured: `${megabytes.toFixed(1)} MB`,
        goal: '< 5 MB',
        reached: megabytes < 5,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
