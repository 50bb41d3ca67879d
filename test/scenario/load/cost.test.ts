import { describe, expect, test } from 'vitest';
import { twinWarnings } from '../../../src/measure/plan/scenario-warnings.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { mistakes, rest } from '../scenario-text.ts';

const named = `title: x\ntarget: { service: documents }\n${rest}`;
const grid = `title: x
target: { service: documents }
sweep: { pool: { env: P, levels: [10, 25] } }
control: { pool: 10 }
load: { connections: 1, workload: get-schools }
`;

const costs = (text: string): unknown[] => parseScenario(text, 'mine.yaml').variants.map(({ cost }) => cost);

describe('the cost of variants', () => {
  test('is a number for each of them', () => {
    expect(costs(`${named}cost: { B: 2.5, A: 0 }\n`)).toEqual([0, 2.5]);
    expect(costs(named)).toEqual([undefined, undefined]);
  });

  test('of a grid of one factor is of its levels, or of its variants', () => {
    expect(costs(`${grid}cost: { 10: 1, 25: 3 }\n`)).toEqual([1, 3]);
    expect(costs(`${grid}cost: { pool=10: 1, pool=25: 3 }\n`)).toEqual([1, 3]);
  });

  test.each(['memory_mb', 'cpu'])('may be measured: %s', (cost) => {
    const scenario = parseScenario(`${grid}cost: ${cost}\n`, 'mine.yaml');
    expect(scenario.cost).toBe(cost);
    expect(scenario.variants.some((variant) => 'cost' in variant)).toBe(false);
  });

  test('makes no variants differ that are measured alike', () => {
    const scenario = parseScenario(`${named}cost: { A: 1, B: 2 }\n`, 'mine.yaml');
    expect(twinWarnings(scenario)).toEqual([{ kind: 'identical-variants', names: ['A', 'B'] }]);
  });

  test.each<[string, string, RegExp]>([
    [
      'a variant that is none',
      `${named}cost: { A: 1, B: 2, BB: 3 }\n`,
      /^6:21: cost: "BB" is not a variant: expected A, B \(did you mean "B"\?\)$/,
    ],
    [
      'a level that is none',
      `${grid}cost: { 10: 1, 25: 2, 26: 3 }\n`,
      /^6:23: cost: "26" is not a variant: expected 10, 25 \(did you mean "25"\?\)$/,
    ],
    [
      'a variant without one',
      `${named}cost: { A: 1 }\n`,
      /^6:7: cost: expected a number for each variant, and there is none for B$/,
    ],
    ['a variant twice', `${grid}cost: { 10: 1, 25: 2, pool=10: 3 }\n`, /^6:\d+: cost: .* are the same variant$/],
    ['less than nothing', `${named}cost: { A: -1, B: 2 }\n`, /^6:12: cost\.A: expected at least 0$/],
    ['a text', `${named}cost: { A: cheap, B: 2 }\n`, /^6:12: cost\.A: expected a number, found a text$/],
    [
      'a measure that is none',
      `${named}cost: memory\n`,
      /^6:7: cost: expected memory_mb, cpu, or a number from 0 for each variant/,
    ],
    [
      'a measure without its probe',
      `${named}cost: cpu\nprobes: { processes: off }\n`,
      /^6:7: cost: cpu is measured by the probe processes, and probes\.processes is off$/,
    ],
    [
      'a measure without probes',
      `${named}cost: memory_mb\nprobes: { all: off }\n`,
      /^6:7: cost: memory_mb is measured by .* probes\.all is off$/,
    ],
    [
      'a measure of a service that already runs',
      `title: x\ntarget: { url: 'http://a' }\n${rest.replace('B: {}', "B: { url: 'http://b' }").replace('workload: get-schools', 'requests: [{ path: / }]')}cost: cpu\n`,
      /^6:7: cost: cpu cannot be measured: target\.url/,
    ],
    [
      'a search for capacities',
      `${named.replace('connections: 1', 'capacity: { connections: 1..100, until: { p95_ms: 100 } }')}cost: { A: 1, B: 2 }\n`,
      /cost decides which setting is the cheapest to take, and load\.capacity recommends none/,
    ],
  ])('is no %s', (_, text, message) => {
    expect(
      mistakes(text).find((line) => message.test(line)),
      mistakes(text).join('\n'),
    ).toBeDefined();
  });
});
