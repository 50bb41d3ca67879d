import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { mistakes } from '../scenario-text.ts';

const load = 'load: { connections: 1, requests: [{ path: / }] }\n';
const instancesOf = (text: string) =>
  Object.fromEntries(
    parseScenario(`${text}\n${load}`, 'mine.yaml').variants.map(({ name, instances }) => [name, instances]),
  );

describe('instances of a service', () => {
  it('are said for all, and otherwise by a variant', () => {
    const text = 'target: { command: x, instances: 4 }\nvariants: { A: {}, one: { instances: 1 } }\ncontrol: A';
    expect(instancesOf(text)).toEqual({ A: 4, one: 1 });
    expect(instancesOf('target: { command: x }\nvariants: { A: {}, B: {} }\ncontrol: A')).toEqual({});
  });

  it('are a factor beside others', () => {
    const sweep = 'sweep: { pool: { env: POOL_MAX, levels: [5, 20] }, instances: { instances: [1, 4] } }';
    expect(instancesOf(`target: { command: x }\n${sweep}\ncontrol: { pool: 5, instances: 1 }`)).toEqual({
      'pool=5, instances=1': 1,
      'pool=5, instances=4': 4,
      'pool=20, instances=1': 1,
      'pool=20, instances=4': 4,
    });
  });

  it('stay the same where settings are switched live', () => {
    const live = (variant: string, target = '{ command: x, instances: 2 }') =>
      `target: ${target}\nvariants: { A: { live: { request: { path: /a } } }, B: { live: { request: { path: /b } }${variant} } }\ncontrol: A`;
    expect(instancesOf(live(''))).toEqual({ A: 2, B: 2 });
    expect(mistakes(`${live(', instances: 3')}\n${load}`).join()).toContain(
      'B: instances cannot be switched live like the other variants: another number of instances are other processes',
    );
  });

  it('have their mistakes at their places', () => {
    const variants = 'variants: { A: {}, B: {} }\ncontrol: A\n';
    expect(mistakes(`target: { url: "http://127.0.0.1:1", instances: 2 }\n${variants}${load}`).join()).toContain(
      'target.instances: pgsweep does not start a url target, so it has no say in its instances',
    );
    expect(mistakes(`target: { command: x, instances: 0 }\n${variants}${load}`)).toHaveLength(1);
    expect(mistakes(`target: { command: x, instances: 65 }\n${variants}${load}`)).toHaveLength(1);
    const k6 = 'load: { users: 2, k6: test/fixtures/k6/items.js }\n';
    expect(mistakes(`target: { command: x, instances: 2 }\n${variants}${k6}`).join()).toContain(
      'load.k6: k6 sends to one address, and "A" has 2 instances of the service',
    );
  });
});
