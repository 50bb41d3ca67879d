import { describe, expect, it } from 'vitest';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import { estimate } from '../../../src/measure/plan/estimate.ts';
import { shardedScenario } from '../../../src/measure/plan/shards.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { testScenario } from '../../fixtures/scenario.ts';

const withLoad = (load: string, more = ''): ResolvedScenario =>
  parseScenario(
    `title: shared
target: { command: node server.mjs }
sweep: { pool: { env: POOL_MAX, levels: [10, 25] } }
control: { pool: 10 }
load: { ${load}, requests: [{ path: / }] }
${more}`,
    'test.yaml',
  );

describe('shards of a plan', () => {
  it('have as many rounds together as are asked for, and no budget', () => {
    const scenario = testScenario({ rounds: { min: 24, max: 24, budgetMs: Number.MAX_SAFE_INTEGER } });
    expect(shardedScenario(scenario, 8).rounds).toEqual(scenario.rounds);
  });

  it('have as many as fit into the budget on so many machines, where none are asked for', () => {
    const scenario = testScenario({ rounds: { min: 4, max: 40, budgetMs: 600_000 } });
    const each = estimate(scenario).rounds;
    expect(each).toBeGreaterThan(1);
    expect(shardedScenario(scenario, 3).rounds).toEqual({
      min: 3 * each,
      max: 3 * each,
      budgetMs: Number.MAX_SAFE_INTEGER,
    });
    expect(shardedScenario(scenario, 30).rounds.max).toBe(40);
  });

  it('have at least the fewest rounds of the scenario', () => {
    expect(shardedScenario(testScenario({ rounds: { min: 4, max: 40, budgetMs: 1 } }), 2).rounds.max).toBe(4);
  });

  it('have slices whose length nothing changes, and all the same plan', () => {
    const scenario = withLoad('connections: [1, 25]');
    expect(scenario.load.autoSlice).toBe(true);
    const shared = shardedScenario(scenario, 2);
    expect(shared.load).not.toHaveProperty('autoSlice');
    expect(shared.load.sliceMs).toBe(scenario.load.sliceMs);
    expect(shardedScenario(scenario, 2)).toEqual(shared);
  });

  it('have whole slices as long as the slowest rate needs', () => {
    const shared = shardedScenario(withLoad('rate: [200, 400]'), 2);
    expect(shared.load.sliceMs).toBeGreaterThanOrEqual((1000 * 1100) / 200);
  });

  it('cannot be more than there are rounds, nor of a search for capacities or settings', () => {
    const few = testScenario({ rounds: { min: 3, max: 3, budgetMs: Number.MAX_SAFE_INTEGER } });
    expect(() => shardedScenario(few, 4)).toThrow('4 shards cannot share 3 rounds');
    const search = withLoad('capacity: { connections: 10..100, until: { p95_ms: 50 } }');
    expect(() => shardedScenario(search, 2)).toThrow('a search for capacities cannot be divided');
    expect(() => shardedScenario(testScenario({ slots: 3 }), 2)).toThrow('a run that proposes its variants cannot be');
  });
});
