import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { VoidReason } from '../../src/journal/records.ts';
import { openHousekeeping } from '../../src/probe/postgres-housekeeping.ts';
import { validityLimits } from '../../src/run/validity-limits.ts';
import { checkpoint } from '../../src/stack/databases.ts';
import { withPostgres } from '../stack/postgres.ts';
import { withBench } from './live-bench.ts';

const bench = withBench();
const server = withPostgres();

/** What the tests beside this one may bring about; alone there is none of it (quiet-slices.alone.test.ts). */
const others: readonly VoidReason[] = ['foreign cpu', 'cpu steal', 'retransmits', 'littles law', 'generator busy'];

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
});
