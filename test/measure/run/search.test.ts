import { describe, expect, it } from 'vitest';
import type { RoundContext } from '../../../src/measure/run/round/round-context.ts';
import { runRound } from '../../../src/measure/run/round/run-round.ts';
import type { StartTarget } from '../../../src/measure/target/target.ts';
import { testScenario } from '../../fixtures/scenario.ts';
import { fakeWorld } from './fake-world.ts';

/** A world whose stack has OpenSearch; its indices are only written down. */
function searchingWorld() {
  const world = fakeWorld(testScenario());
  const given: Parameters<StartTarget>[0]['search'][] = [];
  const context: RoundContext = {
    ...world.context,
    stack: {
      ...world.context.stack,
      startTarget: (options) => {
        given.push(options.search);
        return world.context.stack.startTarget(options);
      },
      indices: {
        url: 'http://search',
        prefixOf: (database) => `${database}-`,
        async drop(database) {
          world.log.push(`unindex ${database}`);
        },
      },
    },
  };
  return { world, context, given };
}

const unindexed = (log: readonly string[]): string[] => log.filter((line) => line.startsWith('unindex')).sort();
const everyArm = [0, 1, 2, 3, 4].map((arm) => `unindex pgsweep_r1_a${arm}`);

describe('a round with search', () => {
  it('gives every arm indices of its own, and deletes them once all services have ended', async () => {
    const { world, context, given } = searchingWorld();
    await runRound(context, 1);
    expect(given).toHaveLength(5);
    expect(new Set(given.map((search) => search?.url))).toEqual(new Set(['http://search']));
    expect(new Set(given.map((search) => search?.indexPrefix)).size).toBe(5);
    expect(unindexed(world.log)).toEqual(everyArm);
    const lastStop = world.log.findLastIndex((line) => line.startsWith('stop'));
    expect(world.log.findIndex((line) => line.startsWith('unindex'))).toBeGreaterThan(lastStop);
  });

  it('deletes them also when it fails', async () => {
    const { world, context } = searchingWorld();
    world.onLoad = () => {
      throw new Error('planted');
    };
    await expect(runRound(context, 1)).rejects.toThrow('planted');
    expect(unindexed(world.log)).toEqual(everyArm);
  });
});
