import { describe, expect, it } from 'vitest';
import { exactJson, withNumbers } from '../../src/base/exact-json.ts';
import { createRandom } from '../../src/base/random.ts';
import { scenarioWithoutFile } from '../../src/cli/no-file/scenario.ts';
import type { ResolvedScenario } from '../../src/journal/scenario-record.ts';
import { variant } from '../../src/journal/scenario-record.ts';
import { checksOf } from '../../src/measure/load/requests/body-check.ts';
import { compileRequest } from '../../src/measure/load/requests/compile-request.ts';
import { declaredRequests } from '../../src/measure/load/requests/declared-requests.ts';
import { compileCaptures } from '../../src/measure/load/script/captures.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';
import { har, importedText } from './import/written.ts';

const random = createRandom(1);

/** The requests as a run has them: through its journal. */
function requestsOf(scenario: ResolvedScenario) {
  const { workload } = JSON.parse(JSON.stringify(scenario)).load as ResolvedScenario['load'];
  if (workload.kind !== 'requests') throw new Error('no requests');
  return workload.requests;
}

const sentBy = (scenario: ResolvedScenario): string | undefined =>
  declaredRequests(requestsOf(scenario), { random, unique: () => 1, documents: [] }).next().body;

const yaml = (requests: string, more = ''): ResolvedScenario =>
  parseScenario(
    `title: big\n${more}target: { command: node svc.mjs }\nsweep: { pool: { env: POOL_MAX, levels: [5, 20] } }\ncontrol: { pool: 5 }\nload: { connections: 5, requests: ${requests} }\n`,
    'big.yaml',
  );

describe('numbers of a body are sent as they are written', () => {
  it.each([
    [
      '{ id: 9007199254740997, price: 12345678901234567890.12, list: [1.10, 1e3, 7] }',
      '{"id":9007199254740997,"price":12345678901234567890.12,"list":[1.10,1e3,7]}',
    ],
    [
      '{ text: "id ${number 9007199254740997}", 9007199254740997: 1 }',
      '{"text":"id 9007199254740997","9007199254740997":1}',
    ],
    ['"{\\"id\\": 9007199254740999}"', '{"id": 9007199254740999}'],
  ])('in YAML: %s', (body, sent) => {
    expect(sentBy(yaml(`[{ method: POST, path: /big, body: ${body} }]`))).toBe(sent);
  });

  it('by an alias, too, and in variables of GraphQL', () => {
    const aside = 'x-one: &one { id: 9007199254740997 }\n';
    expect(sentBy(yaml('[{ method: POST, path: /big, body: *one }]', aside))).toBe('{"id":9007199254740997}');
    const graphql = '{ query: "{ a }", variables: { id: 9007199254740997 } }';
    expect(sentBy(yaml(`[{ path: /graphql, graphql: ${graphql} }]`))).toContain('{"id":9007199254740997}');
  });

  it('by --body, in what it sends and in what it prints', () => {
    const body = ['{"id":9007199254740993,"price":1.10}'];
    const { scenario, text } = scenarioWithoutFile(
      { command: 'x', env: ['A=1,2'], post: ['/x'], body },
      'pgsweep.yaml',
    );
    expect(sentBy(scenario)).toBe(body[0]);
    expect(sentBy(parseScenario(text, 'pgsweep.yaml'))).toBe(body[0]);
  });

  it('of a HAR', async () => {
    const text = '{"orderId":4634343214213523454,"text":"4634343214213523454","amount":12345678901234567890.12}';
    const { scenario } = await importedText(
      'big.har',
      har([{ method: 'POST', url: '/orders', body: text, status: 201 }]),
    );
    expect(sentBy(scenario)).toBe(text);
  });
});

describe('numbers of an environment', () => {
  const more = 'sweep: { id: { env: ID, levels: [9007199254740993, 1.5, 2.0] } }\ncontrol: { id: 1.5 }\n';
  const scenario = parseScenario(
    `target: { command: x, env: { SNOWFLAKE: 9007199254740997, VERSION: 1.10, PORT_OF_OTHER: 3000, ON: true } }\n${more}load: { connections: 1, requests: [{ path: / }] }\n`,
    'env.yaml',
  );

  it('are texts as they are written', () => {
    expect(scenario.target).toMatchObject({
      env: { SNOWFLAKE: '9007199254740997', VERSION: '1.10', PORT_OF_OTHER: '3000', ON: 'true' },
    });
  });

  it('that JSON does not have are texts as well, and levels and a control as they are written', () => {
    const of = (more: string): ResolvedScenario =>
      parseScenario(
        `target: { command: x, env: { PIN: 007, MASK: 0x10, O: 0o17, P: +5, D: .5, E: -012 } }\n${more}load: { connections: 1, requests: [{ path: /, body: { env: { a: 007 } }, method: POST }] }\n`,
        'env.yaml',
      );
    const grid = of('sweep: { id: { env: MASK, levels: [022, 0x1F, 7, +8] } }\ncontrol: { id: 022 }\n');
    expect(grid.target).toMatchObject({ env: { PIN: '007', MASK: '0x10', O: '0o17', P: '+5', D: '.5', E: '-012' } });
    expect(grid.variants.map(({ env }) => env.MASK)).toEqual(['022', '0x1F', '7', '8']);
    expect(grid.control).toBe('id=022');
    const { stack } = of(
      'stack: { postgres: { settings: { log_file_mode: 0600, jit_above_cost: 1.0 } } }\nvariants: { A: {}, B: {} }\ncontrol: A\n',
    );
    expect(stack.postgres.settings).toEqual({ log_file_mode: '0600', jit_above_cost: '1' });
    // JSON has no other way to write it.
    expect(sentBy(grid)).toBe('{"env":{"a":7}}');
    const levels = of('tune: { id: { env: MASK, levels: [022, 077, 1.0] } }\ncontrol: { id: 077 }\n');
    expect(levels.variants.map(({ env }) => env.MASK)).toEqual(['077']);
    expect(levels.tune?.factors[0]?.values).toEqual(['022', '077', 1]);
    // The ends of a range are numbers.
    const range = of('tune: { id: { env: SHARE, range: [.5, 2] } }\ncontrol: { id: +1 }\n');
    expect(range.tune?.factors[0]?.values).toContain(1.5);
    expect(range.variants.map(({ env }) => env.SHARE)).toEqual(['1']);
  });

  it('that are levels keep their value', () => {
    expect(scenario.variants.map(({ env }) => env.ID)).toEqual(['9007199254740993', '1.5', '2']);
  });
});

it('levels that are too large for numbers of a journal are texts', () => {
  const { variants } = parseScenario(
    'title: large\ntarget: { command: x }\nvariants: { a: { factors: { most: 9223372036854775807 } }, b: { factors: { most: 1e18 } } }\ncontrol: a\nload: { connections: 1, requests: [{ path: / }] }\n',
    'large.yaml',
  );
  expect(variants.map(({ factors }) => factors.most)).toEqual(['9223372036854776000', 1e18]);
  expect(variants.map((one) => variant(one))).toEqual([null, null]);
});

it('numbers of a login are sent as they are written, and so are those of a switch', () => {
  const scenario = parseScenario(
    `target: { command: x, login: { path: /login, body: { tenant: 9007199254740993 }, token: token } }
sweep:
  size:
    levels: [1, 2]
    live:
      request: { path: /size, body: { tenant: 9007199254740997, size: "\${level}" } }
      verify: { path: /size, expect: { tenant: 9007199254740997 } }
control: { size: 1 }
load: { connections: 1, requests: [{ path: / }] }
`,
    'login.yaml',
  );
  const exact = (value: unknown): string => exactJson(withNumbers(JSON.parse(JSON.stringify(value))));
  expect(exact(scenario.target)).toContain('"body":{"tenant":9007199254740993}');
  const switched = exact(scenario.variants);
  expect(switched).toContain('"body":{"tenant":9007199254740997,"size":2}');
  expect(switched).toContain('"expect":{"tenant":9007199254740997}');
});

it('numbers of an example in OpenAPI are sent as they are written', async () => {
  const example = { id: 'ID', price: 'PRICE', list: ['ID'] };
  const parameter = { name: 'after', in: 'query', schema: { type: 'integer', example: 'ID' } };
  const body = { content: { 'application/json': { schema: { type: 'object' }, example } } };
  const operation = { parameters: [parameter], requestBody: body, responses: {} };
  const text = JSON.stringify({ openapi: '3.0.3', info: {}, paths: { '/orders': { post: operation } } })
    .replaceAll('"ID"', '9007199254740993')
    .replaceAll('"PRICE"', '12345678901234567890.10');
  const { scenario } = await importedText('openapi.json', text);
  const [sent] = requestsOf(scenario).map((spec) => compileRequest(spec, 0, { random, unique: () => 1 })());
  expect(sent).toMatchObject({
    path: '/orders?after=9007199254740993',
    body: '{"id":9007199254740993,"price":12345678901234567890.10,"list":[9007199254740993]}',
  });
});

it('numbers elsewhere stay numbers', () => {
  const { variants } = yaml('[{ path: /, expect: [200] }]', 'x-body: 9007199254740997\n');
  expect(variants.map(({ env }) => env)).toEqual([{ POOL_MAX: '5' }, { POOL_MAX: '20' }]);
});

describe('numbers of an answer', () => {
  const body = '{"id":9007199254740993,"price":1.10}';

  it('are captured with all of their digits, for paths and for bodies', () => {
    const captured = new Map();
    const capture = compileCaptures({ id: { kind: 'json', path: '$.id' }, price: { kind: 'json', path: '$.price' } });
    expect(capture({ status: 200, body, headers: [] }, captured)).toBeNull();
    const spec = {
      name: 'next',
      method: 'POST',
      path: '/big/${captured id}',
      headers: {},
      body: { id: '${captured id}', text: 'at ${captured price}' },
    };
    const context = { random, unique: () => 1, captured: (name: string) => captured.get(name) };
    expect(compileRequest(spec, 0, context)()).toMatchObject({
      path: '/big/9007199254740993',
      body: '{"id":9007199254740993,"text":"at 1.10"}',
    });
  });

  it('are compared with all of their digits', () => {
    const check = (expected: string) => {
      const [spec] = requestsOf(yaml(`[{ path: /big/1, expect: { json: { ${expected} } } }]`));
      return checksOf(spec === undefined ? [] : [spec]).checks?.[0]?.(body);
    };
    expect(check('$.id: 9007199254740993, $.price: 1.1')).toBeNull();
    expect(check('$.id: 9007199254740992')).toBe('$.id is 9007199254740993: expected 9007199254740992');
  });
});
