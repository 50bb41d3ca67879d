import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';
import { mistakes } from '../../scenario-text.ts';

const scenario = (load: string, variants = 'A: {}, B: { env: { X: 1 } }', target = 'command: x') =>
  `target: { ${target} }\nvariants: { ${variants} }\ncontrol: A\nload: { ${load} }\n`;
const read = (load: string) => parseScenario(scenario(load), 'scenario.yaml').load;
const requests = 'requests: [{ path: / }]';

describe('load.autocannon', () => {
  it('sends the requests of connections, in whole slices', () => {
    expect(read(`autocannon: true, connections: [5, 10], ${requests}, slice: 4s`)).toMatchObject({
      levels: [
        { connections: 5, of: 'autocannon' },
        { connections: 10, of: 'autocannon' },
      ],
      workload: { kind: 'requests' },
      sliceMs: 4000,
    });
    expect(read(`autocannon: true, connections: 5, ${requests}`)).not.toHaveProperty('pipelining');
    expect(read(`autocannon: { pipelining: 4, workers: 2 }, connections: 5, ${requests}, for: 10s`)).toMatchObject({
      pipelining: 4,
      processes: 2,
      forMs: 10_000,
    });
  });

  it.each([
    ['autocannon: true', 'load.autocannon: expected load.connections'],
    ['autocannon: true, rate: 5', 'load.rate is not for load.autocannon: its rates are counts a second'],
    ['autocannon: true, users: 5', 'load.users is not for load.autocannon: it has no pauses'],
    ['autocannon: true, connections: 5, count: 9', 'load.count is not for load.autocannon: load.slice says'],
    ['autocannon: true, connections: 5, turn: 500ms', 'load.turn is not for load.autocannon: it starts for each'],
    ['autocannon: true, connections: 5, processes: 2', 'expected load.autocannon: { workers }'],
    ['autocannon: true, connections: 5, bulk: { template: southridge }', 'load.bulk is not for load.autocannon'],
    ['autocannon: true, capacity: { connections: 1..9, until: { p95_ms: 9 } }', 'load.capacity is not for'],
    ['autocannon: false, connections: 5', 'expected true, or { pipelining, workers }'],
    ['autocannon: { pipelinng: 4 }, connections: 5', 'pipelining'],
    ['autocannon: true, connections: [5, 5]', 'load level 5 stands twice'],
  ])('%s is a mistake', (load, expected) => {
    expect(mistakes(scenario(`${load}, ${requests}`)).join('\n')).toContain(expected);
  });

  it.each([
    [
      'autocannon: true, connections: 5, script: [{ path: / }]',
      'load.script is not for load.autocannon: it cannot capture',
    ],
    ['autocannon: true, connections: 5, requests: [{ path: /, method: HEAD }]', 'HEAD is not for load.autocannon'],
    [
      'autocannon: true, connections: 5, requests: [{ path: /, headers: { Connection: close } }]',
      'Connection is not for load.autocannon: it always sends keep-alive',
    ],
  ])('%s cannot be expressed', (load, expected) => {
    expect(mistakes(scenario(load)).join('\n')).toContain(expected);
  });

  it('is not for settings that are switched live, nor for a service whose certificate must be checked', () => {
    const load = `autocannon: true, connections: 5, ${requests}`;
    const live = 'A: { live: { request: { path: /a } } }, B: { live: { request: { path: /b } } }';
    expect(mistakes(scenario(load, live)).join('\n')).toContain('load.autocannon: settings that are switched live');
    const secure = 'A: {}, B: { url: "https://127.0.0.1:3001" }';
    expect(mistakes(scenario(load, secure, 'url: "http://127.0.0.1:3000"')).join('\n')).toContain(
      'load.autocannon: it checks no certificate, so https://127.0.0.1:3001 could be any server',
    );
  });
});
