import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import type { SliceRecord } from '../../src/journal/records.ts';
import { openHousekeeping } from '../../src/probe/postgres-housekeeping.ts';
import { readProcessTable } from '../../src/probe/process-table.ts';
import { validityLimits } from '../../src/run/validity-limits.ts';
import { measureAtQuiet } from '../fixtures/quiet-machine.ts';
import { withPostgres } from '../stack/postgres.ts';
import { withBench } from './live-bench.ts';

const bench = withBench();
const server = withPostgres();
const ATTEMPTS = 4;

const hogs: ChildProcess[] = [];
const endHogs = (): void => {
  for (const hog of hogs.splice(0)) hog.kill('SIGKILL');
};
afterEach(endHogs);

function startHog(): void {
  hogs.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
}

/** A slice at a quiet moment, again where it is void. */
function quietSlice(wanted: Parameters<typeof bench.slice>[0]) {
  const measure = (): Promise<SliceRecord> => {
    bench.records.length = 0;
    return bench.slice(wanted);
  };
  return measureAtQuiet(measure, ({ voided }) => voided?.length === 0, ATTEMPTS);
}

const busy = 'other programs keep this machine busy: void for';

describe('on a quiet machine', { timeout: 120_000 }, () => {
  it('a healthy slice is void for nothing', async ({ skip }) => {
    const housekeeping = await openHousekeeping(server.postgres.adminUrl());
    const { found, disturbed } = await quietSlice({ housekeeping });
    await housekeeping.close();
    if (disturbed) skip(`${busy} ${found.voided}`);
    expect(found.voided).toEqual([]);
    expect(found.conditions).toMatchObject({ checkpoints: 0, autovacuums: 0, connectionsOpened: 5 });
  });

  it('a slice of a service without keep-alive is void for nothing', async ({ skip }) => {
    const { found, disturbed } = await quietSlice({ env: { CLOSE_EVERY: '1' } });
    if (disturbed) skip(`${busy} ${found.voided}`);
    expect(found.voided).toEqual([]);
  });

  it.skipIf(readProcessTable() === null)('a CPU hog voids the slice beside it, and no other', async ({ skip }) => {
    const hogged = await bench.slice({ beside: startHog });
    expect(hogged.voided).toContain('foreign cpu');
    expect(hogged.conditions?.foreignCpuShare).toBeGreaterThan(validityLimits.foreignCpuShare);
    endHogs();
    const { found, disturbed } = await quietSlice({});
    if (disturbed) skip(`${busy} ${found.voided}`);
    expect(found.voided).toEqual([]);
  });
});
