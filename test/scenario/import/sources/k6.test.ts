import { describe, expect, it } from 'vitest';
import { stepsOf } from '../../../../src/journal/script-spec.ts';
import { imported, importedText, mistakeOf } from '../written.ts';

const script = (body: string, before = ''): string =>
  `import http from 'k6/http';\nimport { sleep } from 'k6';\n${before}\nexport default function () {\n${body}\n}\n`;

describe('a k6 script', () => {
  it('becomes the requests that stand in it, and lists the others', async () => {
    const { requests, text } = await imported('docs/examples/captures/requests.k6.js');
    expect(requests).toEqual([
      { name: 'GET /items?limit', method: 'GET', path: '/items?limit=10', headers: {}, weight: 1 },
      {
        name: 'POST /items',
        method: 'POST',
        path: '/items',
        headers: {},
        body: { id: '${unique}', name: 'a new item' },
        weight: 1,
      },
    ]);
    expect(text).toContain('#   http.get(...) (line 11): its address is computed\n');
    expect(text).toContain('think time, 1 pause, median 1 s');
  });

  it('knows constants, the address of the environment, and what k6 has for what varies', async () => {
    const { requests, mix } = await importedText(
      'mix.js',
      script(
        `http.get(\`\${__ENV.URL}/a/\${randomIntBetween(1, 9)}\`);
         http.put(__ENV.URL + '/b', JSON.stringify(payload), { headers: { Authorization: \`Bearer \${token()}\`, 'x-n': '1' } });
         http.post('/c', { name: 'a b', id: uuidv4() });
         http.del(http.url\`http://127.0.0.1/d/\${__VU}\`);
         http.request('PATCH', 'http://127.0.0.1/e', 'text \${x}');
         http.get(changed);
         http.get(compute() + unknown + '/f');
         http.batch(computed);
         sleep(Math.random());`,
        "const payload = { name: 'n', tags: ['a'] };\nlet changed = '/x';\nchanged = '/y';\nexport function setup() {\n  http.post('/login', 'x');\n}",
      ),
    );
    expect(requests.map(({ method, path, headers, body }) => ({ method, path, headers, body }))).toEqual([
      { method: 'GET', path: '/a/${integer 1 9}', headers: {}, body: undefined },
      {
        method: 'PUT',
        path: '/b',
        headers: { authorization: 'secret-value', 'x-n': '1' },
        body: { name: 'n', tags: ['a'] },
      },
      {
        method: 'POST',
        path: '/c',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'name=a%20b&id=${uuid}',
      },
      { method: 'DELETE', path: '/d/${unique}', headers: {}, body: undefined },
      { method: 'PATCH', path: '/e', headers: {}, body: 'text $${x}' },
    ]);
    expect(mix.leftOut.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      'http.post(...): it is in setup, which runs once',
      'http.get(...): its address is computed',
      'http.get(...): its address is computed',
      'http.batch(...): its requests are computed',
      'sleep(...): how long is computed',
    ]);
  });

  it('becomes steps with the pauses of its sleeps; one before the first request comes after the last', async () => {
    const { scenario, mix } = await importedText(
      'mix.js',
      script(
        "sleep(0.25); http.get('http://h/a'); sleep(1); sleep(2); http.get('http://h/b'); http.get('http://h/c');",
      ),
    );
    expect(mix.pausesMs).toEqual([250, 1000, 2000]);
    const { workload } = scenario.load;
    const steps = workload.kind === 'script' ? stepsOf(workload) : [];
    expect(steps.map(({ path, think }) => [path, think])).toEqual([
      ['/a', { kind: 'constant', ms: 3000 }],
      ['/b', undefined],
      ['/c', { kind: 'constant', ms: 250 }],
    ]);
  });

  it('has the requests of a batch one after the other', async () => {
    const { requests, mix } = await importedText(
      'mix.js',
      script(
        `http.batch([
           'http://h/a',
           ['POST', 'http://h/b', JSON.stringify({ a: 1 })],
           { method: 'PUT', url: 'http://h/c', body: 'x=1', params: { headers: { 'x-n': '1' } } },
           ['GET', computed()],
           { url: 'http://h/d' },
         ]);`,
      ),
    );
    expect(requests.map(({ method, path, headers, body }) => ({ method, path, headers, body }))).toEqual([
      { method: 'GET', path: '/a', headers: {}, body: undefined },
      { method: 'POST', path: '/b', headers: {}, body: { a: 1 } },
      { method: 'PUT', path: '/c', headers: { 'x-n': '1' }, body: 'x=1' },
    ]);
    expect(mix.leftOut.map(({ why }) => why)).toEqual([
      'its address is computed',
      'its method or its address is computed',
    ]);
  });

  it('keeps a secret that stands in it out of the scenario', async () => {
    const { text: varying } = await importedText(
      'mix.js',
      script("http.get('http://h/a', { headers: { 'x-api-key': `abcdef123456-${__VU}` } });"),
    );
    expect(varying).not.toContain('abcdef123456');
    const { text, requests } = await importedText(
      'mix.js',
      script("http.get('http://h/a?api_key=abcdef123456', { headers: { Authorization: 'Bearer abcdef123456' } });"),
    );
    expect(text).not.toContain('abcdef123456');
    expect(requests[0]).toMatchObject({
      path: '/a?api_key=secret-value',
      headers: { authorization: 'Bearer secret-value' },
    });
  });

  it.each([
    ['that does not parse', "import http from 'k6/http';\nhttp.get(;\n", 'mix.js:2:10: Unexpected token'],
    ['in TypeScript', script('const a: string = 1;'), 'mix.js:5:8: Unexpected token'],
    [
      'without http',
      'export default function () {}',
      "mix.js:1:1: this is no k6 script: expected import http from 'k6/http'",
    ],
  ])('%s is a mistake with its place', async (_, text, message) => {
    expect(await mistakeOf('mix.js', text)).toBe(message);
  });

  it('that is nested too deeply is a mistake too', async () => {
    const nested = script(`http.get(${'['.repeat(50_000)})`);
    expect(await mistakeOf('mix.js', nested)).toMatch(/not enough stack space|nested too deeply/i);
  });
});
