import { expect, it } from 'vitest';
import { createRandom, seedOf } from '../../../../src/base/random.ts';
import { levelOf } from '../../../../src/journal/load-level.ts';
import type { LevelSource } from '../../../../src/measure/run/round/round-context.ts';
import { runRound } from '../../../../src/measure/run/round/run-round.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';
import { fakeWorld } from '../fake-world.ts';

const scenario = parseScenario(
  `title: Drawn levels
target: { service: documents }
variants: { a: {}, b: {} }
control: a
load: { connections: 8, slice: 3s, workload: get-schools }
`,
  'drawn.yaml',
);

/** Levels that are drawn anew for each round: a third kind of source, without a line elsewhere. */
function drawnLevels(seed: number): LevelSource {
  const source = {
    levels: [levelOf('connections', 8)],
    warming: [levelOf('connections', 8)],
    next: { passes: 2, growth: 1 },
    async choose(_: unknown, { round }: { readonly round: number }) {
      const random = createRandom(seedOf(seed, round, 'levels'));
      source.levels = random
        .shuffle([1, 2, 4, 8, 16])
        .slice(0, 2)
        .map((size) => levelOf('connections', size));
      return source.levels;
    },
    learn() {},
    resume() {},
  };
  return source;
}

it('a round takes its levels from any source', async () => {
  const world = fakeWorld(scenario);
  const levels = drawnLevels(1);
  for (const round of [1, 2, 3]) {
    await runRound({ ...world.context, load: { ...world.context.load, levels } }, round);
    const passes = world.records.flatMap((record) =>
      record.type === 'pass' && record.round === round ? [record] : [],
    );
    const measured = passes.map(({ load }) => JSON.stringify(load));
    expect(measured.sort()).toEqual(levels.levels.map((load) => JSON.stringify(load)).sort());
  }
});
