import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { VoidReason } from '../../src/journal/records.ts';
import { openHousekeeping } from '../../src/probe/postgres-housekeeping.ts';
import { readProcessTable } from '../../src/probe/process-table.ts';
import { validityLimits } from '../../src/run/validity-limits.ts';
import { checkpoint } from '../../src/stack/databases.ts';
import { withPostgres } from '../stack/postgres.ts';
import { withBench } from './live-bench.ts';

const bench = withBench();
const server = withPostgres();

/** What other tests on this machine may bring about. */
const others: readonly VoidReason[] = ['foreign cpu', 'cpu steal', 'retransmits', 'littles law', 'generator busy'];

const hogs: ChildProcess[] = [];
afterEach(() => {
  for (const hog of hogs.splice(0)) hog.kill('SIGKILL');
});

function startHog(): void {
  hogs.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
}

describe('a healthy slice', () => {
  it('is void for none of what is planted below', async () => {
    const housekeeping = await openHousekeeping(server.postgres.adminUrl());
    const { voided, conditions } = await bench.slice({ housekeeping });
    await housekeeping.close();
    expect((voided ?? []).filter((reason) => !others.includes(reason))).toEqual([]);
    expect(conditions).toMatchObject({ checkpoints: 0, autovacuums: 0, connectionsOpened: 5 });
  });

  it('has a generator that is far from busy, and connections that are', async () => {
    const { voided, generator } = await bench.slice({});
    expect(generator.eventLoopUtilisation).toBeLessThan(validityLimits.eventLoopUtilisation);
    expect(voided).not.toContain('littles law');
  });
});

describe('a service without keep-alive', () => {
  it('counts: each request has a connection of its own, and connecting is a part of its latency', async () => {
    const { voided, conditions, whole } = await bench.slice({ env: { CLOSE_EVERY: '1' } });
    expect(voided).not.toContain('connections');
    expect(voided).not.toContain('littles law');
    expect(conditions?.connectionsOpened).toBe(whole.statuses['200']);
    expect(conditions?.closingAnswers).toBe(whole.statuses['200']);
  });
});

describe('a slice is void, by the right name', () => {
  it('for a generator that cannot keep up', async () => {
    const module = resolve('test/fixtures/slow-workload.mjs');
    const { voided } = await bench.slice({ workload: { kind: 'module', module } });
    expect(voided).toContain('generator busy');
  });

  it('for answers of 500', async () => {
    const { voided, outcomes } = await bench.slice({ env: { FAIL_EVERY: '10' } });
    expect(voided).toContain('failed requests');
    expect(outcomes.statuses['500']).toBeGreaterThan(0);
  });

  it('for requests that hang until they time out', async () => {
    const { voided, outcomes } = await bench.slice({ env: { HANG_EVERY: '40' }, timeoutMs: 1000 });
    expect(voided).toContain('failed requests');
    expect(outcomes.timeouts).toBeGreaterThan(0);
  });

  it('for requests that hang longer than the slice', async () => {
    const { voided, outcomes } = await bench.slice({ env: { HANG_EVERY: '100' } });
    expect(voided).toEqual(expect.arrayContaining(['littles law']));
    expect(outcomes.timeouts).toBe(0);
  });

  it('for a service that closes some of its connections', async () => {
    const { voided } = await bench.slice({ env: { CLOSE_EVERY: '3' } });
    expect(voided).toContain('connections');
  });

  it('for a checkpoint that nobody planned', async () => {
    const housekeeping = await openHousekeeping(server.postgres.adminUrl());
    let forced: Promise<void> | undefined;
    const beside = (): void => {
      forced = checkpoint(server.postgres);
    };
    const { voided } = await bench.slice({ housekeeping, beside });
    await forced;
    await housekeeping.close();
    expect(voided).toContain('checkpoint');
  });

  it.skipIf(readProcessTable() === null)('for a CPU hog beside it', { timeout: 90_000 }, async ({ skip }) => {
    const hogged = await bench.slice({ beside: startHog });
    expect(hogged.voided).toContain('foreign cpu');
    expect(hogged.conditions?.foreignCpuShare).toBeGreaterThan(validityLimits.foreignCpuShare);
    for (const hog of hogs.splice(0)) hog.kill('SIGKILL');
    for (let attempt = 0; attempt < 5; attempt++) {
      bench.records.length = 0;
      if (!(await bench.slice({})).voided?.includes('foreign cpu')) return;
    }
    skip('this machine is never quiet: a slice without the hog has foreign CPU too');
  });
});
