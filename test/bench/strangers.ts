import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Goal } from './goal.ts';
import { importCase } from './strangers/import-load.ts';
import { migrationCase } from './strangers/migration.ts';
import { reportCase } from './strangers/report-query.ts';

/** What services, jobs and migrations of users cost, each against a program of its own that measures it alone. */
export async function benchStrangers(): Promise<Goal[]> {
  const goals: Goal[] = [];
  for (const measure of [importCase, reportCase, migrationCase]) {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-strangers-'));
    try {
      symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
      goals.push(...(await measure(folder)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return goals;
}
