import { expect, it } from 'vitest';
import type { LoadTimes, ProbedArm } from '../../../../src/measure/probe/probe.ts';
import { runRound } from '../../../../src/measure/run/round/run-round.ts';
import { testScenario } from '../../../fixtures/scenario.ts';
import { fakeWorld } from '../fake-world.ts';

it('tells the probes of an arm what the turn meter saw of it', async () => {
  const world = fakeWorld(testScenario());
  world.work = (arm) => ({ walBytes: 1e6 + arm, postgresCpuMs: 1000 + arm });
  const loads = new Map<number, LoadTimes>();
  const probes = {
    begin:
      async ({ slice }: ProbedArm) =>
      async (load: LoadTimes) => {
        loads.set(slice, load);
        return [];
      },
    endRound: async () => {},
    close: async () => {},
  };
  await runRound({ ...world.context, watch: { ...world.context.watch, probes } }, 1);
  const slices = world.records.flatMap((record) => (record.type === 'slice' ? [record] : []));
  expect(slices.length).toBeGreaterThan(0);
  for (const { slice, work } of slices)
    expect(loads.get(slice)).toMatchObject({ walBytes: work?.walBytes, postgresCpuMs: work?.postgresCpuMs });
});
