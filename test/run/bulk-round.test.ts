import { describe, expect, it } from 'vitest';
import type { BulkSpec } from '../../src/journal/scenario-record.ts';
import { runRound } from '../../src/run/run-round.ts';
import { testScenario } from '../fixtures/scenario.ts';
import { fakeWorld } from './fake-world.ts';

const bulk: BulkSpec = {
  dataset: { kind: 'template', template: 'partial-grand-bend', documents: 100, seed: 1 },
  connections: 25,
  inFlight: 25,
  retries: 0,
  backoffMs: 1,
  update: false,
};
const scenario = testScenario();
const bulkScenario = {
  ...scenario,
  load: {
    ...scenario.load,
    bulk,
    levels: [
      { connections: 25, bulk: true as const },
      { connections: 5, workload: 'get-documents' as const },
    ],
  },
};

describe('a round with a bulk load', () => {
  it('loads every arm cold, checks and tidies its database, and only then reads', async () => {
    const world = fakeWorld(bulkScenario);
    await runRound(world.context, 1);
    const verbs = world.log.map((line) => line.split(' ')[0]).filter((verb) => verb !== 'checkpoint');
    const steps = verbs.filter((verb, index) => verb !== verbs[index - 1]);
    const settled = Array.from({ length: 5 }, () => ['check', 'tidy']).flat();
    expect(steps).toEqual(['copy', 'start', 'bulk', ...settled, 'load', 'stop', 'drop']);
    expect(world.records.filter(({ type }) => type === 'warmup')).toEqual([]);
    expect(world.records.filter(({ type }) => type === 'bulk-check')).toHaveLength(5);
  });

  it('writes what the load before has left to disk before each load', async () => {
    const world = fakeWorld(bulkScenario);
    await runRound(world.context, 1);
    const loads = world.log.flatMap((line, index) => (line.startsWith('bulk') ? [index] : []));
    expect(loads.map((index) => world.log[index - 1])).toEqual(Array.from({ length: 5 }, () => 'checkpoint'));
  });

  it('takes the counters of a load before anything else touches the database', async () => {
    const world = fakeWorld(bulkScenario);
    await runRound(world.context, 1);
    const slices = world.records.flatMap((record) =>
      record.type === 'slice' && record.load.bulk ? [record.slice] : [],
    );
    const counted = world.records.flatMap((record) => (record.type === 'counters' ? [record.slice] : []));
    expect(counted).toEqual(expect.arrayContaining(slices));
    const check = world.records.findIndex(({ type }) => type === 'bulk-check');
    expect(world.records.slice(0, check).filter(({ type }) => type === 'counters').length).toBeGreaterThan(0);
  });
});
