import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { VoidReason } from '../../../src/journal/records.ts';
import { openHousekeeping } from '../../../src/measure/probe/meter/postgres-housekeeping.ts';
import { checkpoint } from '../../../src/measure/stack/common/databases.ts';
import { withPostgres } from '../stack/postgres.ts';
import { startHogs } from './hogs.ts';
import { type OneSlice, type WantedSlice, withBench } from './live-bench.ts';

const bench = withBench();
const server = withPostgres();

/** What is counted: load beside the slice cannot bring it about. Of the rest test/bench/quiet/slices.test.ts says that there is none. */
const counted: readonly VoidReason[] = ['failed requests', 'connections'];

/** Of a service that waits in place of work: its load leaves the machine to other tests. */
const sliceOf = (wanted: WantedSlice = {}): Promise<OneSlice> =>
  bench.slice({ length: '1s', ...wanted, env: { BUSY_MS: '0', WAIT_MS: '10', ...wanted.env } });

describe('a healthy slice', () => {
  let healthy: OneSlice;
  beforeAll(async () => {
    const housekeeping = await openHousekeeping(server.postgres.adminUrl());
    healthy = await sliceOf({ length: '3s', housekeeping });
    await housekeeping.close();
  });

  it('is void for nothing that is counted', () => {
    const { slice, pass } = healthy;
    expect(counted.filter((reason) => slice.voided?.includes(reason))).toEqual([]);
    expect(pass.conditions).toMatchObject({ checkpoints: 0, autovacuums: 0 });
    expect(slice.connections).toEqual({ opened: 5, reopened: 0, closingAnswers: 0 });
    expect(slice.outcomes).toMatchObject({ errors: 0, timeouts: 0 });
    expect(Object.keys(slice.outcomes.statuses)).toEqual(['200']);
  });

  it('is the sum of its turns', () => {
    const { slice, pass } = healthy;
    expect(pass).toMatchObject({ turnMs: 500, turnsPerArm: 6, order: [0, 0, 0, 0, 0, 0] });
    expect(slice.turns).toMatchObject({ turnMs: 500, ok: { length: 6 } });
    expect(slice.turns?.ok.reduce((sum, ok) => sum + ok, 0)).toBe(slice.latency.count);
    // A tenth of each turn is dropped, or one latency up to a fifth.
    expect(slice.windowMs).toBeGreaterThanOrEqual(6 * 0.8 * 500 - 1);
    expect(slice.windowMs).toBeLessThanOrEqual(6 * 0.9 * 500 + 1);
    expect(slice.loadMs).toBeGreaterThanOrEqual(6 * 500);
  });
});

describe('a service without keep-alive', () => {
  it('counts: each request has a connection of its own, and connecting is a part of its latency', async () => {
    const { slice } = await sliceOf({ env: { CLOSE_EVERY: '1' } });
    const { voided, connections, whole } = slice;
    expect(voided).not.toContain('connections');
    expect(connections).toEqual({
      opened: whole.statuses['200'],
      reopened: 0,
      closingAnswers: whole.statuses['200'],
    });
  });
});

describe('a service that closes some of its connections, and says so', () => {
  it('counts, and connecting anew is in the latencies', async () => {
    const { slice } = await sliceOf({ env: { CLOSE_EVERY: '3' } });
    expect(slice.voided).not.toContain('connections');
    expect(slice.connections?.closingAnswers).toBeGreaterThan(0);
    expect(slice.parts?.connect?.maxUs).toBeGreaterThan(0);
  });
});

describe('a slice is void, by the right name', () => {
  it('for a generator that cannot keep up', async () => {
    const module = resolve('test/fixtures/slow-workload.mjs');
    const { slice } = await sliceOf({ workload: { kind: 'module', module } });
    expect(slice.voided).toContain('generator busy');
  });

  it('for answers of 500', async () => {
    const { slice } = await sliceOf({ env: { FAIL_EVERY: '10' } });
    expect(slice.voided).toContain('failed requests');
    expect(slice.outcomes.statuses['500']).toBeGreaterThan(0);
  });

  it('for requests that hang until they time out', async () => {
    const { slice } = await sliceOf({ env: { HANG_EVERY: '40' }, length: '3s', timeoutMs: 1000, turn: 'off' });
    expect(slice.voided).toContain('failed requests');
    expect(slice.outcomes.timeouts).toBeGreaterThan(0);
  });

  it('for requests that hang longer than a turn', async () => {
    const { slice } = await sliceOf({ env: { HANG_EVERY: '20' }, length: '3s', turn: '1s', timeoutMs: 3000 });
    expect(slice.voided).toContain('failed requests');
    expect(slice.outcomes.timeouts).toBeGreaterThan(0);
  });

  it('for requests that hang longer than a whole slice', async () => {
    const { slice } = await sliceOf({ env: { HANG_EVERY: '20' }, turn: 'off', timeoutMs: 3000 });
    expect(slice.voided).toContain('failed requests');
    expect(slice.outcomes.timeouts).toBeGreaterThan(0);
  });
});

describe('what comes from outside voids nothing, and is in the record of the pass that it hit:', () => {
  it('a checkpoint that nobody planned', async () => {
    const housekeeping = await openHousekeeping(server.postgres.adminUrl());
    const withCheckpoint = async (): Promise<OneSlice> => {
      let forced: Promise<unknown> | undefined;
      const beside = (): void => {
        forced = checkpoint(server.postgres);
      };
      const hit = await sliceOf({ length: '3s', housekeeping, beside });
      await forced;
      return hit;
    };
    let hit = await withCheckpoint();
    // On a machine whose disk is busy one may take longer than a slice: then it hits the next.
    while (hit.pass.conditions.checkpoints === 0) hit = await withCheckpoint();
    await housekeeping.close();
    expect(hit.pass.conditions.checkpoints).toBeGreaterThanOrEqual(1);
    expect(counted.filter((reason) => hit.slice.voided?.includes(reason))).toEqual([]);
  });

  it('programs that want every core', async ({ skip }) => {
    const hogs = await startHogs(availableParallelism());
    try {
      const { slice, pass } = await sliceOf();
      const { foreignCpuShare } = pass.conditions;
      if (foreignCpuShare === null) skip('this machine does not tell whose CPU time it is');
      // Other programs of this machine only add to it.
      expect(foreignCpuShare).toBeGreaterThan(0.05);
      expect(counted.filter((reason) => slice.voided?.includes(reason))).toEqual([]);
    } finally {
      await hogs.stop();
    }
  });
});
