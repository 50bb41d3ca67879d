import { expect, it } from 'vitest';
import { mistakes } from '../scenario-text.ts';

const of = (stack: string, variants = '{ A: {} }', target = '{ command: x }'): string[] =>
  mistakes(
    `target: ${target}\nvariants: ${variants}\ncontrol: A\nstack: ${stack}\nload: { connections: 1, requests: [{ path: / }] }\n`,
  );

it.each([
  ['of a distance', of('{ distance: { rtt: [0, 1ms] } }'), 'sweep: { distance: { rtt: [0, 1ms] } }'],
  ['where the server stands', of('{ postgres: { rtt: [0, 1ms] } }'), 'sweep: { distance: { rtt: [0, 1ms] } }'],
  ['in a variant', of('{}', '{ A: { distance: { jitter: [1ms] } } }'), 'sweep: { distance: { jitter: [1ms] } }'],
  ['of a pooler', of('{ pooler: { pgbouncer: { size: [5, 20] } } }'), 'sweep: { pooler: { poolerSize: [5, 20] } }'],
  [
    'of instances',
    of('{}', '{ A: {} }', '{ command: x, instances: [1, 4] }'),
    'sweep: { instances: { instances: [1, 4] } }',
  ],
])('several values %s are a factor', (_, [first, ...others], factor) => {
  expect(first).toMatch(/^\d+:\d+: /);
  expect(first?.endsWith(`to compare several: ${factor}`), first).toBe(true);
  expect(others).toEqual([]);
});

it('several values in place of a factor are told of the key that holds its levels', () => {
  const text = 'target: { command: x }\nsweep: { distance: [0, 1ms] }\ncontrol: { distance: 0 }\n';
  expect(mistakes(`${text}load: { connections: 1, requests: [{ path: / }] }`)).toEqual([
    '2:20: sweep.distance: expected a map such as { env: POOL_MAX, levels: [10, 20] }, found a list; to compare several: sweep: { distance: { rtt: [0, 1ms] } }',
  ]);
});

it('a value that stands elsewhere is told of its place', () => {
  expect(of('{ postgres: { rtt: 1ms } }')).toEqual([
    '4:22: unknown key "rtt" in stack.postgres: expected stack: { distance: { rtt: 1ms } }',
  ]);
  expect(of('{ poolerSize: 5 }')).toEqual([
    '4:10: unknown key "poolerSize" in stack: expected stack: { pooler: { pgbouncer: { size: 5 } } }',
  ]);
  expect(of('{}', '{ A: { bandwidth: 1gbit } }')).toEqual([
    '2:18: unknown key "bandwidth" in variants.A: expected distance: { bandwidth: 1gbit }',
  ]);
  expect(of('{ instances: { n: 2 } }')).toEqual([
    '4:10: unknown key "instances" in stack: expected target: { instances: ... }',
  ]);
});
