import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/base/random.ts';
import { scenarioWithoutFile } from '../../src/cli/no-file/scenario.ts';
import type { ResolvedScenario } from '../../src/journal/scenario-record.ts';
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
