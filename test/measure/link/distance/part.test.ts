import { expect, it } from 'vitest';
import type { Provenance } from '../../../../src/journal/records.ts';
import { distance } from '../../../../src/measure/link/distance/part.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';

const scenario = (asked: string) =>
  parseScenario(
    `title: distances
target: { service: documents }
variants: { A: {}, B: {} }
control: A
load: { connections: 1, workload: get-schools }
stack: { distance: ${asked} }
`,
    'distances.yaml',
  );
const far = scenario('{ rtt: 1ms }');

it('is recorded where something is at a distance', async () => {
  expect(await distance.require(scenario('{}'), undefined)).toEqual({});
  expect(await distance.require(far, undefined)).toEqual({ distanceBy: 'proxy' });
});

it('is made by one way in all rounds: a run whose distances the kernel made cannot be resumed', async () => {
  const made = (before: Partial<Provenance>) => distance.require(far, before as Provenance);
  await expect(made({ distanceBy: 'proxy', distanceReason: 'it needs root' })).resolves.toEqual({
    distanceBy: 'proxy',
  });
  await expect(made({})).resolves.toEqual({ distanceBy: 'proxy' });
  await expect(made({ distanceBy: 'netem' })).rejects.toMatchObject({ code: 'stack' });
});
