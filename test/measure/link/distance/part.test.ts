import { expect, it } from 'vitest';
import type { Provenance } from '../../../../src/journal/records.ts';
import { whyNoNetem } from '../../../../src/measure/link/distance/netem/can-netem.ts';
import { chooseDistanceWay, wayWords } from '../../../../src/measure/link/distance/netem/choose-way.ts';
import { distance } from '../../../../src/measure/link/distance/part.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';

const scenario = (asked: string) =>
  parseScenario(
    `title: ways
target: { service: documents }
variants: { A: {}, B: {} }
control: A
load: { connections: 1, workload: get-schools }
stack: { distance: ${asked} }
`,
    'ways.yaml',
  );
const far = scenario('{ rtt: 1ms }');
const env = {};

it('is none where nothing is at a distance', async () => {
  expect(await chooseDistanceWay(scenario('{}'), 'embedded', { env })).toBeNull();
});

it('is what this machine can, with the reason, and the doctor says the same', async () => {
  const why = await whyNoNetem();
  const way = await chooseDistanceWay(far, 'embedded', { env });
  expect(way).toEqual({ by: why === null ? 'netem' : 'proxy', why });
  const found = why === null ? 'made by netem' : `made by a proxy (${why})`;
  expect(await distance.examine(far, 'embedded')).toMatchObject([{ name: 'distance', state: 'ok', found }]);
});

it('is what is asked for by PGSWEEP_DISTANCE, which is an error where it cannot be had', async () => {
  const forced = await chooseDistanceWay(far, 'embedded', { env: { PGSWEEP_DISTANCE: 'proxy' } });
  expect(forced && wayWords(forced)).toBe('by a proxy (PGSWEEP_DISTANCE is proxy)');
  const netem = chooseDistanceWay(scenario('{ rtt: 1ms, jitter: 0.1ms }'), 'embedded', {
    env: { PGSWEEP_DISTANCE: 'netem' },
  });
  await expect(netem).rejects.toMatchObject({ code: 'stack', message: expect.stringContaining('asks for jitter') });
  const nonsense = chooseDistanceWay(far, 'embedded', { env: { PGSWEEP_DISTANCE: 'wire' } });
  await expect(nonsense).rejects.toThrow('PGSWEEP_DISTANCE is "wire": expected one of netem, proxy');
});

it('stays what it was in a run that goes on', async () => {
  const before = await chooseDistanceWay(far, 'embedded', { env, before: 'proxy' });
  expect(before).toEqual({ by: 'proxy', why: 'the run began with proxy' });
  await expect(chooseDistanceWay(far, 'docker', { env, before: 'netem' })).rejects.toThrow('the run began with netem');
  const other = chooseDistanceWay(far, 'embedded', { env: { PGSWEEP_DISTANCE: 'netem' }, before: 'proxy' });
  await expect(other).rejects.toThrow('the run began with distances by proxy, and cannot be resumed with netem');
});

it('is chosen once a session, recorded, and kept where the run goes on', async () => {
  expect(await distance.choose(scenario('{}'), 'docker', undefined)).toBeNull();
  const why = "with the stack docker the server is no process of the bench's own";
  const recorded = { distanceBy: 'proxy', distanceReason: why } as const;
  const chosen = await distance.choose(far, 'docker', undefined);
  expect(chosen).toEqual({ words: `distance: by a proxy (${why})`, provenance: recorded, ownNetwork: false });
  for (const before of [recorded, {}]) {
    const again = await distance.choose(far, 'embedded', before as Provenance);
    expect(again?.provenance).toEqual({ distanceBy: 'proxy', distanceReason: 'the run began with proxy' });
  }
});
