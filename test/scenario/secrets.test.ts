import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { maskKnown, secretDigests } from '../../src/base/secrets.ts';
import { withoutSecrets, withSecrets } from '../../src/journal/run/secret-leaves.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';
import { mistakes, rest } from './scenario-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-secrets-'));
const file = join(folder, 'mine.yaml');
beforeAll(() => {
  process.env.PGSWEEP_TEST_SECRET = 'from-the-variable';
  process.env.PGSWEEP_TEST_LINES = 'two\nlines';
  writeFileSync(join(folder, 'token.txt'), 'from-the-file${unique}\n');
});
afterAll(() => {
  delete process.env.PGSWEEP_TEST_SECRET;
  delete process.env.PGSWEEP_TEST_LINES;
  rmSync(folder, { recursive: true });
});
const keyed = secretDigests({ XDG_CACHE_HOME: folder });

const text = `title: secrets
target:
  command: node server.js
  cwd: ${folder}
  env: { PLAIN: "\${env PGSWEEP_TEST_SECRET}", API_KEY: inline-api-key, LOG: warn, UPSTREAM: "http://me:url-password@host:1/x" }
  login: { path: /login, body: { user: me, password: inline-password }, token: access_token }
sweep: { cache: { env: KEY_CACHE, levels: [small, large] } }
control: { cache: small }
load:
  connections: 1
  requests:
    - path: /a?api_key=in-the-path&page=2
      headers: { Authorization: "Bearer \${token}", Cookie: sid=inline-cookie, Accept: text/plain, X-File: "\${file token.txt}" }
    - { path: /b, name: plain, headers: { authorization: Basic inline-basic } }
`;
const secrets = [
  'from-the-variable',
  'from-the-file',
  'inline-api-key',
  'url-password',
  'inline-password',
  'in-the-path',
  'inline-cookie',
  'inline-basic',
];

describe('a scenario with secrets', () => {
  const scenario = () => parseScenario(text, file);

  it('has them for the service and the requests', () => {
    const { target, load } = scenario();
    expect(target).toMatchObject({
      env: { PLAIN: 'from-the-variable', API_KEY: 'inline-api-key' },
      login: {
        method: 'POST',
        path: '/login',
        body: { password: 'inline-password' },
        from: { kind: 'json', name: 'access_token' },
      },
    });
    // What the file holds is no placeholder.
    expect(load.workload).toMatchObject({ requests: [{ headers: { 'X-File': 'from-the-file$${unique}' } }, {}] });
  });

  it('is written down without any of them, and with all else', () => {
    const { masked, digests } = withoutSecrets(scenario(), keyed);
    const written = JSON.stringify({ masked, digests });
    for (const secret of secrets) expect(written).not.toContain(secret);
    expect(masked.target).toMatchObject({
      env: { PLAIN: '***', API_KEY: '***', LOG: 'warn', UPSTREAM: 'http://***@host:1/x' },
    });
    expect(masked.load.workload).toMatchObject({
      requests: [
        {
          name: 'GET /a?api_key=***&page=2',
          path: '/a?api_key=***&page=2',
          headers: { Authorization: '***', Cookie: '***', Accept: 'text/plain', 'X-File': '***' },
        },
        { name: 'plain' },
      ],
    });
    // What the grid varies is no secret, whatever it is called.
    expect(masked.variants).toEqual(scenario().variants);
    expect(Object.keys(digests).sort()).toEqual(
      [
        'target.env.PLAIN',
        'target.env.API_KEY',
        'target.env.UPSTREAM',
        'target.login.body.password',
        'load.workload.requests.0.path',
        'load.workload.requests.0.headers.Authorization',
        'load.workload.requests.0.headers.Cookie',
        'load.workload.requests.0.headers.X-File',
        'load.workload.requests.1.headers.authorization',
      ].sort(),
    );
    for (const digest of Object.values(digests)) expect(digest).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(Object.values(digests)).size).toBe(Object.keys(digests).length);
  });

  it('masks them beside the levels of a variant that has the name of its levels, too', () => {
    const variant = (size: number) =>
      `"pool=${size}": { factors: { pool: ${size} }, env: { POOL_KEY: "${size}", API_TOKEN: beside-levels } }`;
    const written = `title: x\ntarget: { command: node x.js }\nvariants: { ${variant(10)}, ${variant(20)} }\ncontrol: "pool=10"\nload: { connections: 1, requests: [{ path: / }] }\n`;
    const { masked } = withoutSecrets(parseScenario(written, file), keyed);
    expect(masked.variants.map(({ env }) => env)).toEqual([
      { POOL_KEY: '10', API_TOKEN: '***' },
      { POOL_KEY: '20', API_TOKEN: '***' },
    ]);
  });

  it('masks them in whatever text they turn up', () => {
    scenario();
    expect(maskKnown('GET /b with inline-basic, url-password and "from-the-variable"')).toBe(
      'GET /b with ***, *** and "***"',
    );
  });

  it('has them back from its file when a run goes on, and says which have changed or are gone', () => {
    const { masked, digests } = withoutSecrets(scenario(), keyed);
    expect(withSecrets(masked, scenario(), digests, keyed)).toEqual({ scenario: scenario(), missing: [], changed: [] });
    const others = parseScenario(
      text.replace('inline-api-key', 'another-api-key').replace('Cookie: sid=inline-cookie, ', ''),
      file,
    );
    expect(withSecrets(masked, others, digests, keyed)).toMatchObject({
      missing: ['load.workload.requests.0.headers.Cookie'],
      changed: ['target.env.API_KEY'],
    });
    expect(withSecrets(masked, others, digests, null).changed).toEqual([]);
  });
});

describe('what comes from outside', () => {
  const head = 'title: x\ntarget: { command: node x.js, env: { A: "';
  const tail = `" } }\n${rest.replace('workload: get-schools', 'requests: [{ path: / }]')}`;
  it.each([
    [
      'a variable that is not set',
      `${head}\${env PGSWEEP_TEST_NO}${tail}`,
      /^2:41: target\.env\.A: \$\{env PGSWEEP_TEST_NO\}: the variable is not set/,
    ],
    ['a file that is not there', `${head}\${file no.txt}${tail}`, /^2:41: target\.env\.A: \$\{file no\.txt\}: ENOENT/],
    [
      'a file without end',
      `${head}\${file /dev/zero}${tail}`,
      /^2:41: target\.env\.A: \$\{file \/dev\/zero\}: .*more than/,
    ],
    [
      'a command',
      `${head}a${tail}`.replace('node x.js', '"node ${env PGSWEEP_TEST_SECRET}"'),
      /^2:20: target\.command: \$\{env \.\.\.\} cannot be used here: .*a command sees the variables/,
    ],
    [
      'a GraphQL document',
      `${head}a${tail}`.replace('path: /', 'path: /, graphql: { query: "{ a(b: ${env PGSWEEP_TEST_SECRET}) }" }'),
      /load\.requests\.0\.graphql\.query: \$\{env \.\.\.\} cannot be used here: .*, body, variables of graphql or login/,
    ],
    [
      'a level',
      'target: { command: a }\nsweep: { key: { env: KEY, levels: [1, "${env PGSWEEP_TEST_SECRET}"] } }\ncontrol: { key: 1 }\nload: { connections: 1, requests: [{ path: / }] }\n',
      /^2:39: sweep\.key\.levels\.1: \$\{env \.\.\.\} cannot be a level, which every table shows: expected variants, each with its own env$/,
    ],
    [
      'a title',
      `${head}a${tail}`.replace('title: x', 'title: "${env PGSWEEP_TEST_SECRET}"'),
      /^1:8: title: \$\{env \.\.\.\} cannot be used here/,
    ],
    [
      'a header of two lines',
      `${head}a${tail}`.replace('path: /', 'path: /, headers: { A: "${env PGSWEEP_TEST_LINES}" }'),
      /more than one line/,
    ],
    [
      'a token without a login',
      `${head}a${tail}`.replace('path: /', 'path: "/${token}"'),
      /\$\{token\} is what target\.login fetches, and target has no login/,
    ],
    [
      'a login without a token',
      `${head}a${tail}`.replace('command:', 'login: { path: / }, command:'),
      /^2:18: target\.login: expected one of token, cookie/,
    ],
  ])('%s is an error with its place', (_, scenario, expected) => {
    const found = mistakes(scenario);
    expect(
      found.some((line) => expected.test(line)),
      found.join('\n'),
    ).toBe(true);
    expect(found.join('\n')).not.toContain('from-the-variable');
  });

  it.each([
    ['a token', 'headers: { authorization: "Bearer ${token}" }', /: \$\{token\} is what target\.login fetches/],
    ['another word', 'headers: { authorization: "Bearer ${tokn}" }', /placeholder \$\{tokn\}.*mean \$\{token\}\?/],
    ['in a path', 'path: "/?key=${uniq}&token=${integer 5 1}"', /unknown placeholder \$\{uniq\}|not \$\{integer 5 1\}/],
    ['no range', 'method: POST, body: { password: "${integer 5 1}" }', /such as .*, not \$\{integer 5 1\}$/],
  ])('a placeholder under a secret key that is %s is shown as it is written', (_, request, expected) => {
    const found = mistakes(
      `${head}a${tail}`.replace('path: /', request.startsWith('path') ? request : `path: /, ${request}`),
    ).map(maskKnown);
    expect(found.join('\n')).toMatch(expected);
  });

  it('is masked beside a placeholder, as the service prints it, but not a few letters there', () => {
    const headers = 'headers: { x-key: "key-${unique}", authorization: "Bearer literal-beside-${unique}" }';
    parseScenario(`${head}a${tail}`.replace('path: /', `path: /, ${headers}`), file);
    expect(maskKnown('Bearer key-17 literal-beside-17')).toBe('Bearer key-17 ***17');
  });

  it('may stand in what each of several services gets, and in variables of GraphQL, and is masked there', () => {
    const env = '{ A: "x ${env PGSWEEP_TEST_SECRET}", LINES: "${env PGSWEEP_TEST_LINES}" }';
    const query = (variables: string): string => `{ path: /g, graphql: { query: "{ a }", variables: ${variables} } }`;
    const several = (load: string): string =>
      `target: { services: { api: { command: a, env: ${env} }, b: { command: b } }, underLoad: api }
variants: { A: {}, B: { services: { b: { env: ${env} } } } }
control: A
load: { connections: 1, ${load} }
`;
    const given = { A: 'x from-the-variable', LINES: 'two\nlines' };
    const variables = '{ key: "${env PGSWEEP_TEST_SECRET}", list: [{ body: "{\\"${env PGSWEEP_TEST_LINES}\\"}" }] }';
    const sent = { key: 'from-the-variable', list: [{ body: '{"two\nlines"}' }] };
    const scenario = parseScenario(several(`requests: [${query(variables)}]`), file);
    expect(scenario.target).toMatchObject({ services: { api: { env: given } } });
    expect(scenario.variants[1]?.services).toMatchObject({ b: { env: given } });
    expect(scenario.load.workload).toMatchObject({ requests: [{ body: { variables: sent } }] });
    const { masked, digests } = withoutSecrets(scenario, keyed);
    expect(JSON.stringify(masked)).not.toContain('from-the-variable');
    expect(masked.target).toMatchObject({ services: { api: { env: { A: 'x ***', LINES: '***' } } } });
    expect(masked.variants[1]?.services).toMatchObject({ b: { env: { A: 'x ***', LINES: '***' } } });
    expect(masked.load.workload).toMatchObject({ requests: [{ body: { variables: { key: '***' } } }] });
    expect(withSecrets(masked, scenario, digests, keyed)).toEqual({ scenario, missing: [], changed: [] });
    const { load } = parseScenario(several(`script: [{ choose: [${query(variables)}] }]`), file);
    expect(load.workload).toMatchObject({ parts: [{ ways: [{ steps: [{ body: { variables: sent } }] }] }] });
  });

  it('may stand in the requests that switch a running service, and is masked there', () => {
    const live = (path: string) =>
      `title: x\ntarget: { command: node x.js }\nsweep: { pool: { live: { request: { path: ${path}, headers: { Authorization: "Bearer \${env PGSWEEP_TEST_SECRET}" }, body: { size: "\${level}" } } }, levels: [1, 2] } }\ncontrol: { pool: 1 }\nload: { connections: 1, requests: [{ path: / }] }\n`;
    const scenario = parseScenario(live('/admin'), file);
    const [first] = scenario.variants;
    expect(first?.live?.requests[0]?.headers).toEqual({ Authorization: 'Bearer from-the-variable' });
    expect(JSON.stringify(withoutSecrets(scenario, keyed).masked)).not.toContain('from-the-variable');
  });

  it('is percent-encoded where an address or a form asks for it, and masked in both forms', () => {
    process.env.PGSWEEP_TEST_SIGNS = 'a&b+1%';
    const requests = [
      { path: '/a?key=${env PGSWEEP_TEST_SIGNS encoded}&file=${file token.txt encoded}' },
      {
        method: 'POST',
        path: '/b',
        body: 'password=${env PGSWEEP_TEST_SIGNS encoded}&plain=${env PGSWEEP_TEST_SIGNS}',
      },
    ];
    const scenario = `${head}a${tail}`.replace('[{ path: / }]', JSON.stringify(requests));
    const { load } = parseScenario(scenario, file);
    delete process.env.PGSWEEP_TEST_SIGNS;
    expect(load.workload).toMatchObject({
      requests: [
        { path: '/a?key=a%26b%2B1%25&file=from-the-file%24%7Bunique%7D' },
        { body: 'password=a%26b%2B1%25&plain=a&b+1%' },
      ],
    });
    expect(maskKnown('a&b+1% and a%26b%2B1%25')).toBe('*** and ***');
  });

  it('is escaped between the quotes of a body that is a text of JSON, and nowhere else', () => {
    const secret = 'a"b\\c\n${d}';
    const whole = '{"all":"of it"}';
    Object.assign(process.env, { PGSWEEP_TEST_QUOTED: secret, PGSWEEP_TEST_JSON: whole });
    onTestFinished(() => {
      delete process.env.PGSWEEP_TEST_QUOTED;
      delete process.env.PGSWEEP_TEST_JSON;
    });
    const json = { 'Content-Type': 'application/merge-patch+json' };
    const plain = { 'content-type': 'text/plain' };
    const quoted = '${env PGSWEEP_TEST_QUOTED}';
    const both = '{"\\"${pick " x}": ${env PGSWEEP_TEST_JSON}, "own": "Bearer ${env PGSWEEP_TEST_QUOTED}"}';
    const requests = [
      { method: 'POST', path: '/a', body: both },
      { method: 'POST', path: '/b', body: `"${quoted}"`, headers: json },
      { method: 'POST', path: '/c', body: `{"${quoted}"}`, headers: plain },
      { method: 'POST', path: '/d', body: '${env PGSWEEP_TEST_JSON}', headers: json },
      { method: 'POST', path: '/e', body: { body: `{"${quoted}"}` } },
    ];
    const scenario = `${head}a${tail}`
      .replace('[{ path: / }]', JSON.stringify(requests))
      .replace('env:', `login: { path: /, token: t, body: '{"own":"${quoted}"}' }, env:`);
    const { load, target } = parseScenario(scenario, file);
    // A text of a request is a template: there $${ stands for ${.
    const escaped = JSON.stringify(secret)
      .slice(1, -1)
      .replaceAll('${', () => '$${');
    const asItIs = secret.replaceAll('${', () => '$${');
    expect(load.workload).toMatchObject({
      requests: [
        { body: `{"\\"\${pick " x}": ${whole}, "own": "Bearer ${escaped}"}` },
        { body: `"${escaped}"` },
        { body: `{"${asItIs}"}` },
        { body: whole },
        { body: { body: `{"${asItIs}"}` } },
      ],
    });
    expect(target).toMatchObject({ login: { body: JSON.stringify({ own: secret }) } });
    expect(maskKnown(`${escaped} and ${JSON.stringify(secret)}`)).toBe('*** and "***"');
  });

  it('is left alone behind a second dollar', () => {
    const { target } = parseScenario(`${head}$\${env HOME}${tail}`, file);
    expect(target).toMatchObject({ env: { A: '${env HOME}' } });
  });
});
