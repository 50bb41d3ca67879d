import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { mistakes } from '../scenario-text.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-script-'));
  writeFileSync(join(folder, 'users.csv'), 'email,password\na@example.com,secret-of-a\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const head = `title: x
target: { command: node server.js }
variants: { A: {}, B: {} }
control: A
`;

const script = `load:
  users: [5, 8]
  data: users.csv
  think: 2s
  script:
    - name: log in
      once: true
      method: POST
      path: /login
      body: { user: "\${data email}" }
      capture: { key: json $.token }
      think: none
    - { path: /items, capture: { place: header Location }, think: { exponential: 1s } }
    - choose:
        - { weight: 3, path: "\${captured place}", headers: { authorization: "Bearer \${captured key}" } }
        - steps:
            - { path: /a, think: { from: 1s, to: 3s } }
            - { path: /b }
`;

const load = (text: string) => parseScenario(head + text, join(folder, 'mine.yaml')).load;

/** The mistakes of a scenario in the folder with the data; its lines count from `load:`. */
function wrong(text: string): string[] {
  const lines = head.split('\n').length - 1;
  return mistakes(head + text, join(folder, 'mine.yaml')).map((line) =>
    line.replace(/^\d+/, (number) => String(Number(number) - lines)),
  );
}

describe('the script of users', () => {
  it('is read with its steps, pauses, captures and data', () => {
    const { workload, levels, ...rest } = load(script);
    expect(levels).toEqual([{ users: 5 }, { users: 8 }]);
    const think = { kind: 'constant', ms: 2000 };
    expect(workload).toEqual({
      kind: 'script',
      data: { file: join(folder, 'users.csv') },
      parts: [
        {
          kind: 'step',
          step: {
            name: 'log in',
            method: 'POST',
            path: '/login',
            headers: {},
            body: { user: '${data email}' },
            once: true,
            capture: { key: { kind: 'json', path: '$.token' } },
          },
        },
        {
          kind: 'step',
          step: {
            name: 'GET /items',
            method: 'GET',
            path: '/items',
            headers: {},
            capture: { place: { kind: 'header', name: 'location' } },
            think: { kind: 'exponential', meanMs: 1000 },
          },
        },
        {
          kind: 'choice',
          ways: [
            {
              weight: 3,
              steps: [
                {
                  name: 'GET ${captured place}',
                  method: 'GET',
                  path: '${captured place}',
                  headers: { authorization: 'Bearer ${captured key}' },
                  think,
                },
              ],
            },
            {
              weight: 1,
              steps: [
                {
                  name: 'GET /a',
                  method: 'GET',
                  path: '/a',
                  headers: {},
                  think: { kind: 'uniform', fromMs: 1000, toMs: 3000 },
                },
                { name: 'GET /b', method: 'GET', path: '/b', headers: {}, think },
              ],
            },
          ],
        },
      ],
    });
    // Five steps with a mean pause of (0 + 1 + 2 + 2 + 2) / 5 s: ten of them make a slice, of which one is not counted.
    expect(rest).toMatchObject({ turn: 'auto', autoSlice: true, leastSliceMs: 14_000, sliceMs: 14_000, dropMs: 1400 });
  });

  it('goes under connections, too, without pauses', () => {
    const { levels, turn, dropMs } = load('load: { connections: 3, think: 1s, script: [{ path: /a }] }');
    expect({ levels, turn, dropMs }).toEqual({ levels: [{ connections: 3 }], turn: 'auto', dropMs: 100 });
  });

  it.each([
    [
      'a placeholder that no earlier step captures',
      script.replace('captured key', 'captured keys'),
      ['15:77: ${captured keys}: no earlier step captures "keys": expected key, place (did you mean key?)'],
    ],
    [
      'what only one of several ways has captured',
      'load:\n  users: 1\n  script:\n    - choose: [{ path: /a, capture: { id: json $.id } }, { path: /b }]\n    - path: "/c/${captured id}"\n',
      [
        '5:13: ${captured id}: "id" is captured in one way of choose only: capture it in every way, or use it in that way',
      ],
    ],
    [
      'a column that does not exist',
      script.replace('data email', 'data mail'),
      ['10:21: ${data mail}: load.data has no column "mail": expected email, password (did you mean email?)'],
    ],
    [
      'a column without data',
      script.replace('  data: users.csv\n', ''),
      ['9:21: ${data email} is a column of load.data, which is missing'],
    ],
    [
      'data that is not there',
      script.replace('users.csv', 'none.csv'),
      [/^3:9: load\.data: there is no file .*none\.csv$/],
    ],
    [
      'a path that is none',
      script.replace('json $.token', 'json token'),
      ['11:23: capture.key: expected a path such as $.items[0].id after json, not "token"'],
    ],
    [
      'a capture of something else',
      script.replace('json $.token', 'cookie sid'),
      [/^11:23: capture\.key: expected json and a path, such as json \$\.id, or header and its name/],
    ],
    [
      'a pause that goes backwards',
      script.replace('from: 1s', 'from: 4s'),
      ['17:34: expected { exponential: 2s } or { from: 1s, to: 3s }: from is longer than to'],
    ],
    [
      'a pause that is none',
      script.replace('think: 2s', 'think: soon'),
      [/^4:10: load\.think: expected a duration such as 2s, none/],
    ],
    [
      'steps that are all sent once',
      'load:\n  users: 1\n  script: [{ path: /a, once: true }]\n',
      ['3:11: every step is sent once: expected one at least that is sent over and over'],
    ],
    [
      'two steps of one name',
      'load:\n  users: 1\n  script: [{ path: /a }, { path: /a }]\n',
      ['3:11: two steps are called "GET /a": give one of them its own name'],
    ],
    [
      'neither a path nor a choice',
      'load:\n  users: 1\n  script: [{ name: x }]\n',
      ['3:12: load.script.0: expected one of path, choose'],
    ],
    [
      'users without a script',
      'load:\n  users: 1\n  requests: [{ path: /a }]\n',
      ['2:3: load.users: expected load.script, which says what they do'],
    ],
    [
      'a bounded run in turns',
      'load:\n  connections: 1\n  for: 30m\n  turn: 1s\n  requests: [{ path: /a }]\n',
      ['4:3: load.turn: load.for has whole slices; expected off, or no load.turn'],
    ],
    [
      'placeholders of users elsewhere',
      'load:\n  connections: 1\n  requests: [{ path: "/${captured id}" }]\n',
      ['3:22: ${captured ...}: no request before it has capture: { NAME: json $.id }'],
    ],
  ])('is answered with its place: %s', (_, text, expected) => {
    const found = wrong(text);
    expect(found).toHaveLength(expected.length);
    for (const [at, one] of expected.entries())
      expect(found[at]).toMatch(typeof one === 'string' ? matchWhole(one) : one);
  });

  it('keeps secrets of the environment, and the rows of its data, out of the record', () => {
    process.env.PGSWEEP_TEST_SECRET = 'a-secret-of-the-test';
    const text = script.replace('Bearer ${captured key}', '${env PGSWEEP_TEST_SECRET}');
    expect(JSON.stringify(load(text))).toContain('a-secret-of-the-test');
    expect(JSON.stringify(load(text))).not.toContain('secret-of-a');
    delete process.env.PGSWEEP_TEST_SECRET;
  });
});

describe('a bounded run', () => {
  it('is one stretch of its length', () => {
    const { forMs, sliceMs, turn, autoSlice } = load('load: { connections: 2, for: 30m, requests: [{ path: /a }] }');
    expect({ forMs, sliceMs, turn, autoSlice }).toEqual({
      forMs: 1_800_000,
      sliceMs: 1_800_000,
      turn: 'auto',
      autoSlice: undefined,
    });
  });
});

function matchWhole(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}
