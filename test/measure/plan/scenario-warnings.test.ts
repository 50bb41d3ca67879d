import { describe, expect, it } from 'vitest';
import { type TwinWarning, twinWarnings } from '../../../src/measure/plan/scenario-warnings.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';

/** What is said of variants as a scenario writes them. */
function warningsOf(variants: string, target = '{ service: documents, env: { POOL_MAX: 10 } }'): TwinWarning[] {
  const load = 'load: { connections: 1, requests: [{ path: / }] }';
  return twinWarnings(parseScenario(`target: ${target}\nvariants: ${variants}\ncontrol: A\n${load}\n`, 'twins.yaml'));
}

describe('variants', () => {
  it.each([
    ['nothing', '{ A: {}, B: {}, C: { env: { POOL_MAX: 11 } } }'],
    ["the target's own value", '{ A: {}, B: { env: { POOL_MAX: 10 } } }'],
    ['the same in another order', '{ A: { env: { X: 1, Y: 2 } }, B: { env: { Y: 2, X: 1 } } }'],
    ['a setting in another case', '{ A: { settings: { Work_Mem: 1 } }, B: { settings: { work_mem: 1 } } }'],
  ])('that change %s are identical', (_, variants) => {
    expect(warningsOf(variants)).toEqual([{ kind: 'identical-variants', names: ['A', 'B'] }]);
  });

  it('that differ only by a space are told, and so are names', () => {
    expect(warningsOf('{ A: { env: { LOCK: share } }, B: { env: { LOCK: "share " } } }')).toEqual([
      { kind: 'variants-differ-by-space', names: ['A', 'B'] },
    ]);
    expect(warningsOf('{ A: {}, "A ": { env: { X: 1 } } }')).toEqual([
      { kind: 'names-differ-by-space', names: ['A', 'A '] },
    ]);
  });

  it('of another command or url are others', () => {
    expect(warningsOf('{ A: {}, B: { command: node b.js } }', '{ command: node a.js }')).toEqual([]);
    expect(warningsOf('{ A: {}, B: { command: node a.js } }', '{ command: node a.js }')).toHaveLength(1);
    const url = "{ url: 'http://127.0.0.1:1' }";
    expect(warningsOf("{ A: {}, B: { url: 'http://127.0.0.1:2' } }", url)).toEqual([]);
    expect(warningsOf("{ A: {}, B: { url: 'http://127.0.0.1:1' } }", url)).toHaveLength(1);
  });

  it('that are switched live are told apart by what they are switched to', () => {
    const live = (max: number): string => `live: { request: { path: /pool, body: { max: ${max} } } }`;
    expect(warningsOf(`{ A: { ${live(10)} }, B: { ${live(20)} } }`)).toEqual([]);
    expect(warningsOf(`{ A: { ${live(10)} }, B: { ${live(10)} } }`)).toHaveLength(1);
  });
});
