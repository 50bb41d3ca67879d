import { expect, it } from 'vitest';
import { kindKeys } from '../../../src/scenario/load/kinds.ts';
import { mistakes } from '../scenario-text.ts';

const mistakesOf = (load: string) =>
  mistakes(`target: { command: x }\nvariants: { A: {}, B: { env: { X: 1 } } }\ncontrol: A\nload: { ${load} }\n`);

it('no key belongs to two kinds of load', () => {
  const keys = Object.keys(kindKeys);
  expect(keys).toEqual([...new Set(keys)]);
  expect(keys).toContain('connections');
});

it.each([
  [
    'k6: package.json, rate: 5, think: 5s',
    ['load.think is not for load.k6: the script pauses by itself: leave it out'],
  ],
  ['connections: 5, count: 9, for: 5s', ['load.count does not go with load.for, which says when a slice ends']],
  [
    'capacity: { rate: 1..9, until: { p95_ms: 9 } }, arrivals: poisson, users: 5',
    ['load.users: load.capacity finds its load levels itself'],
  ],
  [
    'rate: 5, users: 5, script: [{ path: / }]',
    ['load: expected one of connections, rate, users, not both rate and users'],
  ],
])('of a key one thing is said: %s', (load, expected) => {
  const source = /script|k6/.test(load) ? '' : ', requests: [{ path: / }]';
  expect(mistakesOf(`${load}${source}`).map((line) => line.replace(/^[\d:]+ /, ''))).toEqual(expected);
});

it('only connections are dealt among processes, for whatever time', () => {
  const requests = 'requests: [{ path: / }]';
  expect(mistakesOf(`connections: 5, for: 9s, processes: 2, ${requests}`)).toEqual([]);
  for (const load of [
    `rate: 5, ${requests}`,
    `connections: 5, count: 9, ${requests}`,
    'connections: 5, script: [{ path: / }]',
  ])
    expect(mistakesOf(`${load}, processes: 2`).join()).toContain('load.processes goes with load.connections alone');
});
