import { expect, test } from 'vitest';
import { idleInstances } from '../../../src/judge/verdicts/notes-on.ts';
import { instances } from '../../../src/report/parts/instances.ts';
import { testScenario } from '../../fixtures/scenario.ts';

test('how many instances there are, and what is dealt to them', () => {
  expect(instances.ofAll([1, undefined], [{ connections: 5 }])).toBeNull();
  expect(instances.ofAll([4, 4], [{ connections: 5 }, { connections: 10 }])).toBe(
    '4 processes of the service, connections dealt to them in order',
  );
  expect(instances.ofAll([4, undefined], [{ rate: 200 }])).toBe(
    '1 and 4 processes of the service, requests dealt to them in order',
  );
});

test('load levels that do not reach every instance', () => {
  const scenario = testScenario();
  const variants = scenario.variants.map((variant) => ({ ...variant, instances: 4 }));
  expect(idleInstances({ ...scenario, variants })).toEqual({
    kind: 'idle-instances',
    loads: [{ connections: 1 }],
    instances: 4,
  });
  expect(idleInstances(scenario)).toBeNull();
  const load = { ...scenario.load, levels: [{ rate: 1 }] };
  expect(idleInstances({ variants, load })).toBeNull();
});
