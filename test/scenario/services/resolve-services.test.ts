import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { poolSizeIn } from '../../../src/journal/pool-size.ts';
import type { ServicesTarget } from '../../../src/journal/scenario-record.ts';
import { scenarioFacts } from '../../../src/report/words/scenario-facts.ts';
import { loadScenario, parseScenario } from '../../../src/scenario/load-scenario.ts';
import { mistakes } from '../scenario-text.ts';

const rest = 'control: A\nload: { connections: 1, requests: [{ path: / }] }\n';
const text = (target: string, variants = '{ A: {}, B: { env: { X: 1 } } }'): string =>
  `target: ${target}\nvariants: ${variants}\n${rest}`;

function services(target: string): ServicesTarget {
  const { target: found } = parseScenario(text(target), 'services.yaml');
  if (found.kind !== 'services') throw new Error(`a target of kind ${found.kind}`);
  return found;
}

const two = 'api: { command: a, ready: /up }, proxy: { command: p, ready: /ok }';

describe('several services under one target', () => {
  it('start as they are listed, each behind those that it names', () => {
    const order = (all: string): string[] => Object.keys(services(`{ services: { ${all} } }`).services);
    expect(order('b: { command: b }, a: { command: a, ready: /up }')).toEqual(['b', 'a']);
    expect(
      order('b: { command: b, after: [c] }, a: { command: a, ready: /up }, c: { command: c, after: [a] }'),
    ).toEqual(['a', 'c', 'b']);
  });

  it('have the load on the one that is named, or on the only one that says when it is ready', () => {
    expect(services(`{ services: { ${two} }, underLoad: proxy }`)).toMatchObject({ underLoad: 'proxy', ready: '/ok' });
    const one = '{ services: { api: { command: a, ready: /up }, worker: { command: w } } }';
    expect(services(one)).toMatchObject({ underLoad: 'api', ready: '/up' });
    expect(services(one).services.worker).not.toHaveProperty('ready');
    const silent = services('{ services: { a: { command: a }, b: { command: b } }, underLoad: b }');
    expect(silent).toMatchObject({ ready: '/health', services: { b: { ready: '/health' } } });
    expect(mistakes(text(`{ services: { ${two} } }`))).toEqual([
      '1:9: target.underLoad is missing: expected the service that gets the load, one of api, proxy',
    ]);
  });

  it('are told of mistakes, each at its place', () => {
    const found = (target: string, variants?: string): string[] =>
      mistakes(text(target, variants)).map((line) => line.replace(/^\d+:\d+: /, ''));
    expect(found('{ services: { Api: { command: a, ready: /up } } }')).toEqual([
      'target.services.Api: expected a name of lower-case letters, digits and -',
    ]);
    expect(found('{ services: { postgres: { command: a, ready: /up } } }')).toEqual([
      "target.services.postgres: database, generator, opensearch, postgres, service are names of the bench's own",
    ]);
    expect(found('{ services: { a: { command: a, ready: /up, after: [b] }, b: { command: b, after: [a] } } }')).toEqual(
      ['target.services: a, b wait for each other (after)'],
    );
    expect(found('{ services: { api: { command: a, ready: /up, after: [apo] } } }')).toEqual([
      'no service is called "apo": expected api (did you mean "api"?)',
    ]);
    expect(found(`{ services: { ${two} }, underLoad: prox }`)).toEqual([
      'no service is called "prox": expected api, proxy (did you mean "proxy"?)',
    ]);
    expect(
      found('{ services: { api: { command: a, ready: /up, portVariable: WEB_PORT }, web: { command: w } } }'),
    ).toEqual([
      'target.services.api.portVariable: WEB_PORT is the address of another service: call that one otherwise',
    ]);
    expect(found('{ services: { api: { command: a, ready: /up } }, cwd: . }')).toEqual([
      'target.cwd belongs to each of target.services',
    ]);
    expect(found('{ command: a, underLoad: api }')).toEqual(['target.underLoad belongs to a target with services']);
    const other = '{ A: {}, B: { services: { apo: { command: b } } } }';
    expect(found('{ services: { api: { command: a, ready: /up } } }', other)).toEqual([
      'no service is called "apo": expected api (did you mean "api"?)',
    ]);
    expect(found('{ command: a }', '{ A: {}, B: { services: {} } }')).toEqual([
      expect.stringMatching(/^variants\.B\.services cannot vary with a command target/),
    ]);
  });

  it('may have a pool, whose size stands with the service that has it', () => {
    const target = '{ services: { api: { command: a, ready: /up, env: { DB_MAX: 5 } } }, pool: DB_MAX }';
    const variants = '{ A: {}, B: { services: { api: { env: { DB_MAX: 9 } } } } }';
    const scenario = parseScenario(text(target, variants), 'services.yaml');
    expect(scenario.variants.map((variant) => poolSizeIn(scenario, variant))).toEqual([5, 9]);
  });

  it('of the example are read, and told with their commands', () => {
    const scenario = loadScenario('docs/examples/proxied/pgsweep.yaml');
    expect(scenario.variants[1]?.services).toEqual({ proxy: { env: { KEEP_ALIVE: 'off' } } });
    expect(scenarioFacts(scenario)[0]).toEqual([
      'target',
      'api: node ../items/server.mjs; proxy: node proxy.mjs (proxy is under load)',
    ]);
    expect(scenario.target).toMatchObject({ services: { api: { cwd: resolve('docs/examples/proxied') } } });
  });
});
