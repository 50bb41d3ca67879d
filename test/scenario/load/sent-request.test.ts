import { describe, expect, it } from 'vitest';
import { createTally } from '../../../src/measure/load/tally.ts';
import { scenarioFacts } from '../../../src/report/words/scenario-facts.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { mistakes } from '../scenario-text.ts';

const text = (load: string): string => `title: x
target: { command: node server.js }
variants: { A: {}, B: {} }
control: A
load: { connections: 1, ${load} }
`;
const requestsOf = (requests: string) => {
  const { workload } = parseScenario(text(`requests: ${requests}`), 'mine.yaml').load;
  return workload.kind === 'requests' ? workload.requests : [];
};

describe('what a request expects', () => {
  it('is statuses, or what the body has to hold as well', () => {
    expect(requestsOf('[{ path: /a, expect: [404] }]')).toMatchObject([{ expect: [404] }]);
    const both = 'expect: { status: [200, 201], json: { $.errors: absent, $.data.id: present, $.n: 3 }, text: done }';
    expect(requestsOf(`[{ path: /a, ${both} }]`)).toEqual([
      {
        name: 'GET /a',
        method: 'GET',
        path: '/a',
        headers: {},
        weight: 1,
        expect: [200, 201],
        expectBody: { json: { '$.errors': 'absent', '$.data.id': 'present', '$.n': 3 }, text: 'done' },
      },
    ]);
  });

  it('stands in the steps of a script, too', () => {
    const { workload } = parseScenario(text('script: [{ path: /a, expect: { text: done } }]'), 'mine.yaml').load;
    expect(workload).toMatchObject({ parts: [{ step: { name: 'GET /a', expectBody: { text: 'done' } } }] });
  });

  it.each([
    ['expect: { body: done }', /^5:\d+: unknown key "body" in expect: expected json: .*, or text: done/],
    [
      'method: POST, body: { "${unique}": 1 }',
      /^5:\d+: \$\{unique\} stands in a key: expected placeholders in values alone, or \$\$\{ for what is sent as it is$/,
    ],
    ['method: POST, body: { a: [{ "b ${captured id": 1 }] }', /^5:\d+: \$\{captured id stands in a key/],
    ['headers: { "x-${uuid}": a }', /^5:\d+: \$\{uuid\} stands in a key/],
    ['expect: { json: { errors: absent } }', /^5:\d+: .*expected a path such as \$\.data\.id, not "errors"/],
    ['expectBody: done', /^5:\d+: what a body has to hold stands under expect: \{ json: /],
    ['graphql: { query: "{ a }" }, body: {}', /^5:\d+: .*body does not go with graphql/],
    ['graphql: { query: "{ a }" }, method: GET', /^5:\d+: .*method does not go with graphql/],
  ])('%s is a mistake with its place', (written, message) => {
    expect(mistakes(text(`requests: [{ path: /a, ${written} }]`)).join('\n')).toMatch(message);
  });
});

describe('names of requests', () => {
  const query = (text: string, more = ''): string => `{ path: /graphql, graphql: { query: "{ ${text} }" }${more} }`;

  it('are numbered where the scenario gives none and two would have the same, and a tally keeps them apart', () => {
    const written = '{ path: /a, name: POST /graphql (2) }';
    const names = requestsOf(`[${query('a')}, ${query('b')}, ${written}, ${query('c')}]`).map(({ name }) => name);
    expect(names).toEqual(['POST /graphql', 'POST /graphql (3)', 'POST /graphql (2)', 'POST /graphql (4)']);
    const tally = createTally({ names });
    tally.begin({ fromMs: 0, toMs: 1000 });
    for (const [index, status] of [200, 500, 200, 200].entries()) tally.answer(500, status, 10, 1000, index);
    tally.end();
    const { byRequest } = tally.result();
    expect(Object.entries(byRequest).map(([name, { outcomes }]) => [name, outcomes.statuses])).toEqual([
      ['POST /graphql', { '200': 1 }],
      ['POST /graphql (3)', { '500': 1 }],
      ['POST /graphql (2)', { '200': 1 }],
      ['POST /graphql (4)', { '200': 1 }],
    ]);
  });

  it('are numbered where they differ by a secret alone, of which they show nothing', () => {
    const requests = '[{ path: /a?token=secret-one }, { path: /a?token=secret-two }]';
    const names = ['GET /a?token=***', 'GET /a?token=*** (2)'];
    expect(requestsOf(requests).map(({ name }) => name)).toEqual(names);
    const { workload } = parseScenario(text(`script: ${requests}`), 'mine.yaml').load;
    expect(workload).toMatchObject({ parts: names.map((name) => ({ step: { name } })) });
  });

  it('that are written stand once', () => {
    const named = query('a', ', name: list');
    expect(mistakes(text(`requests: [${named}, { path: /b }, ${named}]`))).toEqual([
      expect.stringMatching(/^5:\d+: two requests are called "list": give one of them its own name$/),
    ]);
  });
});

describe('requests that capture', () => {
  const login = '{ name: log in, path: /login, capture: { key: json $.key, place: header Location } }';
  const list = '{ name: list, path: "/items?key=${captured key}", weight: 4 }';

  it('are drawn by weight, each by itself', () => {
    const scenario = parseScenario(text(`requests: [${login}, ${list}]`), 'mine.yaml');
    const { workload, transactionsPerRequest } = scenario.load;
    const plain = { method: 'GET', headers: {} };
    const capture = { key: { kind: 'json', path: '$.key' }, place: { kind: 'header', name: 'location' } };
    expect(workload).toEqual({
      kind: 'script',
      parts: [
        {
          kind: 'choice',
          ways: [
            { weight: 1, steps: [{ ...plain, name: 'log in', path: '/login', capture }] },
            { weight: 4, steps: [{ ...plain, name: 'list', path: '/items?key=${captured key}' }] },
          ],
        },
      ],
    });
    expect(transactionsPerRequest).toBeUndefined();
    expect(scenarioFacts(scenario)).toContainEqual(['requests', 'log in, list (weight 4)']);
  });

  it.each([
    [`requests: [${list}, ${login}]`, /^5:\d+: \$\{captured key\}: no earlier request captures "key"$/],
    [`requests: [${login}, ${login}]`, /^5:\d+: two requests are called "log in": give one of them its own name$/],
    ['requests: [{ path: /a, capture: { id: body } }]', /^5:\d+: capture\.id: expected json and a path, .* or header/],
    [
      `processes: 2, requests: [${login}]`,
      /^5:\d+: load\.processes goes with .*, not with load\.requests that capture$/,
    ],
    [`autocannon: true, requests: [${login}]`, /^5:\d+: capture is not for load\.autocannon/],
  ])('%s is a mistake with its place', (load, message) => {
    expect(mistakes(text(load)).join('\n')).toMatch(message);
  });
});

describe('a GraphQL request', () => {
  it('is a POST that expects no errors, and is called what its operation is', () => {
    const query =
      'graphql: { query: "query post($id: ID!) { post(id: $id) { id } }", variables: { id: "${integer 1 9}" } }';
    expect(requestsOf(`[{ path: /graphql, ${query} }, { path: /graphql, graphql: { query: "{ a }" } }]`)).toMatchObject(
      [
        {
          name: 'post',
          method: 'POST',
          path: '/graphql',
          body: { query: 'query post($id: ID!) { post(id: $id) { id } }', variables: { id: '${integer 1 9}' } },
          expectBody: { json: { '$.errors': 'absent' } },
        },
        { name: 'POST /graphql', body: { query: '{ a }' } },
      ],
    );
  });

  it('may expect more, and errors where they are meant', () => {
    const query = 'graphql: { query: "{ a }" }, expect: { json: { $.errors: present, $.data: absent } }';
    expect(requestsOf(`[{ path: /graphql, ${query} }]`)).toMatchObject([
      { expectBody: { json: { '$.errors': 'present', '$.data': 'absent' } } },
    ]);
  });
});
