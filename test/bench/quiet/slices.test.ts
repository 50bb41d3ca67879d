import { describe, expect, it } from 'vitest';
import { openHousekeeping } from '../../../src/measure/probe/meter/postgres-housekeeping.ts';
import { validityLimits } from '../../../src/measure/run/validity/validity.ts';
import { withPostgres } from '../../measure/stack/postgres.ts';
import { type OneSlice, withBench } from '../../measure/validity/live-bench.ts';
import { measureAtQuiet } from './quiet-machine.ts';

const bench = withBench();
const server = withPostgres();
const ATTEMPTS = 4;

/** A slice at a quiet moment, again where it is void. */
function quietSlice(wanted: Parameters<typeof bench.slice>[0]) {
  const measure = (): Promise<OneSlice> => {
    bench.records.length = 0;
    return bench.slice(wanted);
  };
  return measureAtQuiet(measure, ({ slice }) => slice.voided?.length === 0, ATTEMPTS);
}

const busy = 'other programs keep this machine busy: void for';

describe('on a quiet machine', { timeout: 120_000 }, () => {
  it('a healthy slice is void for nothing', async ({ skip }) => {
    const housekeeping = await openHousekeeping(server.postgres.adminUrl());
    const { found, disturbed } = await quietSlice({ housekeeping });
    await housekeeping.close();
    if (disturbed) skip(`${busy} ${found.slice.voided}`);
    expect(found.slice.voided).toEqual([]);
    expect(found.slice.connections).toEqual({ opened: 5, reopened: 0, closingAnswers: 0 });
    expect(found.pass.conditions).toMatchObject({ checkpoints: 0, autovacuums: 0 });
    expect(found.slice.generator.eventLoopUtilisation).toBeLessThan(validityLimits.eventLoopUtilisation);
  });

  it('a slice of a service without keep-alive is void for nothing', async ({ skip }) => {
    const { found, disturbed } = await quietSlice({ env: { CLOSE_EVERY: '1' } });
    if (disturbed) skip(`${busy} ${found.slice.voided}`);
    expect(found.slice.voided).toEqual([]);
  });
});
