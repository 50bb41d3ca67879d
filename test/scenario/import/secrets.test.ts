import { describe, expect, it } from 'vitest';
import { variablesOf } from '../../../src/scenario/import/write.ts';
import { importedText, har as of } from './written.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJvbmUifQ.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';
const secrets = [
  'secret-of-header',
  'secret-of-key',
  'secret-of-cookie',
  'secret-of-query',
  'secret-of-body',
  'secret-of-list',
  'secret-of-pair',
  'secret-of-form',
  'secret-of-path',
  'secret-of-url',
  'secret-of-tag',
  'secret-of-redirect',
  'secret-of-text',
  'secret-of-vendor',
  '48151623',
  jwt,
];

const madeUp = 'user${unique}@example.com';

/** The HAR with a header in each answer: a session needs answers. */
function withAnswers(archive: string): string {
  const { log } = JSON.parse(archive);
  for (const { response } of log.entries) response.headers = [];
  return JSON.stringify({ log });
}

describe('what is imported', () => {
  it('has no secret in it, wherever that stood, and says which variables stand for them', async () => {
    const { text, mix } = await importedText(
      'a.har',
      of([
        {
          url: '/a?access_token=secret-of-query',
          headers: { authorization: 'Bearer secret-of-header', 'x-api-key': 'secret-of-key' },
        },
        { url: '/b', headers: { cookie: 'a=secret-of-cookie', 'x-session': 'secret-of-key' } },
        {
          method: 'POST',
          url: '/login',
          body: {
            user: 'me',
            password: 'secret-of-body',
            pin: 48151623,
            keys: ['secret-of-list'],
            fields: [{ name: 'password', value: 'secret-of-pair' }],
          },
        },
        {
          method: 'POST',
          url: '/form',
          body: 'user=me&passwd=secret-of-form',
          type: 'application/x-www-form-urlencoded',
        },
        { method: 'POST', url: '/text', body: `<a>${jwt}</a><Password>secret-of-tag</Password>`, type: 'text/xml' },
        { url: '/go?next=%2Fback%3Ftoken%3Dsecret-of-redirect' },
        { method: 'POST', url: '/inner', body: { payload: '{"apiKey":"secret-of-text"}' } },
        {
          method: 'POST',
          url: '/hook',
          body: { to: 'https://me:secret-of-url@example.com/', note: 'ghp_secretofvendor0123456789' },
        },
        { url: '/reset/secret-of-path' },
        { url: `/open/${jwt}` },
        { method: 'PROPFIND', url: '/reset/secret-of-path' },
      ]),
    );
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect([...mix.secrets.keys()].sort()).toEqual([
      'ACCESS_TOKEN',
      'AUTHORIZATION',
      'COOKIE',
      'KEYS',
      'NEXT_SECRET',
      'NOTE_SECRET',
      'PASSWD',
      'PASSWORD',
      'PAYLOAD_SECRET',
      'PIN_SECRET',
      'RESET_TOKEN',
      'SECRET',
      'TO_SECRET',
      'X_API_KEY',
      'X_SESSION',
    ]);
    expect(text).toContain('PROPFIND /reset/:id');
  });

  it('keeps an opaque text out that is under no key of a secret, and keeps words', async () => {
    const opaque = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d';
    const { requests, text } = await importedText(
      'a.har',
      of([
        {
          method: 'POST',
          url: '/a',
          body: { cursor: opaque, slug: 'a-long-name-of-an-article-that-somebody-typed-in-2026' },
        },
      ]),
    );
    expect(text).not.toContain(opaque);
    expect(requests[0]?.body).toEqual({
      cursor: 'secret-value',
      slug: 'a-long-name-of-an-article-that-somebody-typed-in-2026',
    });
  });

  it.each([
    ['a tag', '<a><Password type="text">Pa$$w0rd!</Password><b>kept</b></a>'],
    ['a tag with CDATA', '<Password><![CDATA[a<b&Pa$$w0rd!]]></Password><b>kept</b>'],
    ['JSON in a string', { payload: '{"password":"Pa&$$w0rd!","b":"kept"}' }],
    ['JSON in JSON in a string', JSON.stringify({ a: '{"password":"Pa$$w0rd!","b":"kept"}' }), 'text/plain'],
    ['an escaped quote', { payload: '{"password":"a\\\\\\"Pa$$w0rd!","b":"kept"}' }],
    ['a value that ends with a backslash', { payload: '{"password":"Pa$$w0rd!\\\\","b":"kept"}' }],
    ['a placeholder of another language', { payload: '{"password":"x${y}Pa$$w0rd!","b":"kept"}' }],
    ['GraphQL', { query: 'mutation { login(password:"%Pa$$w0rd!") { kept } }' }],
    ['Ruby', "{:password => 'Pa$$w0rd!', :b => 'kept'}", 'text/plain'],
    ['a form in a text', 'password=%;Pa$$w0rd!&b=kept', 'text/plain'],
    ['a signature of Azure', { link: 'https://a.example/b?sv=1&sig=%Pa$$w0rd!&b=kept' }],
  ] as const)(
    'takes the whole of a password, whatever its characters: %s',
    async (_, body, type: string = 'text/xml') => {
      const { text, mix } = await importedText(
        'a.har',
        of([{ method: 'POST', url: '/a', body, ...(typeof body === 'string' && { type }) }]),
      );
      expect(text).not.toMatch(/Pa\$|w0rd/);
      expect(text).toContain('kept');
      expect(mix.secrets.size).toBe(1);
    },
  );

  it('takes an encoded one up to the next parameter, and a link of Azure by its query', async () => {
    const { requests } = await importedText(
      'a.har',
      of([
        { url: '/go?next=%2Fb%3Ftoken%3DPa%2B%24w0rd%26page%3D2' },
        { url: '/find?by=%7B%22token%22%3A%22Pa%26%24w0rd%22%2C%22page%22%3A2%7D' },
        { url: '/blob?sig=Pa%2Bw0rd' },
      ]),
    );
    expect(requests.map(({ path }) => path)).toEqual([
      '/go?next=%2Fb%3Ftoken%3Dsecret-value%26page%3D2',
      '/find?by=%7B%22token%22%3A%22secret-value%22%2C%22page%22%3A2%7D',
      '/blob?sig=secret-value',
    ]);
  });

  it('has the variable of a form or an address encoded, and plain elsewhere', async () => {
    const form = 'application/x-www-form-urlencoded';
    const { mix } = await importedText(
      'a.har',
      of([
        { method: 'POST', url: '/login', body: 'password=a%26b%2B1%25', type: form },
        { url: '/items?token=a%26b', headers: { 'x-api-key': 'a&b' } },
        { url: '/reset/a%26b%2B1' },
      ]),
    );
    expect(mix.requests.map(({ request }) => request)).toMatchObject([
      { body: 'password=${env PASSWORD encoded}' },
      { path: '/items?token=${env TOKEN encoded}', headers: { 'x-api-key': '${env X_API_KEY}' } },
      { path: '/reset/${env RESET_TOKEN encoded}' },
    ]);
    expect(variablesOf(mix)).toEqual(['PASSWORD', 'RESET_TOKEN', 'TOKEN', 'X_API_KEY']);
  });

  it('leaves types, variables and aliases of GraphQL, and values of JSON that are no text', async () => {
    const query = 'query In($password: String!) { token: login(password: $password) { sessionId: id } }';
    const payload = '{"max_tokens":4096,"has_token":true,"password":12345}';
    const { requests } = await importedText('a.har', of([{ method: 'POST', url: '/a', body: { query, payload } }]));
    expect(requests[0]?.body).toEqual({ query, payload: payload.replace('12345', 'secret-value') });
  });

  it('has no secret in the names of requests, nor among those that are left out', async () => {
    const session = 'A1B2C3D4E5F60718293A4B5C6D7E8F90';
    const entries = of([
      { url: `/items;jsessionid=${session}` },
      { url: `/items?${jwt}=1` },
      { method: 'PROPFIND', url: `/login;jsessionid=${session}` },
      { method: 'PROPFIND', url: '/t/access_token=secret-of-path' },
      { method: 'PROPFIND', url: '/users/ann@mail.example' },
    ]);
    for (const session of [true, false]) {
      const { mix, text } = await importedText('a.har', withAnswers(entries), { session });
      expect(text).not.toMatch(/A1B2C3|eyJ|secret-of|ann@/i);
      expect(mix.requests.map(({ request }) => request.name)).toEqual([
        session ? 'GET /items;jsessionid=:id' : 'GET /:id',
        'GET /items?:id',
      ]);
      expect(mix.leftOut.map(({ what }) => what)).toEqual([
        'PROPFIND /login;jsessionid=:id',
        'PROPFIND /t/access_token=:id',
        'PROPFIND /users/:id',
      ]);
    }
  });

  it('has no secret in the keys of JSON, and keeps them apart', async () => {
    const body = {
      [jwt]: 1,
      ghp_secretofvendor0123456789: 2,
      'ann@mail.example': 3,
      redacted: 4,
      [`${jwt}x`]: { a: 5 },
    };
    const { requests } = await importedText('a.har', of([{ method: 'POST', url: '/a', body }]));
    expect(requests[0]?.body).toEqual({
      redacted_2: 1,
      redacted_3: 2,
      'user@example.com': 3,
      redacted: 4,
      redacted_4: { a: 5 },
    });
  });

  it.each([
    ['a list', { to: ['ann@mail.example', 'bob@mail.example'] }, { to: [madeUp, madeUp] }],
    [
      'a longer text',
      { note: 'Hi <ann@mail.example>, 9%a+b@mail.example, x@2x.png' },
      { note: `Hi <${madeUp}>, 9%${madeUp}, x@2x.png` },
    ],
    ['JSON in a text', { payload: '{"to":"ann@mail.example"}' }, { payload: `{"to":"${madeUp}"}` }],
    ['one among words', { by: 'ann@mail.example', of: 'x' }, { by: madeUp, of: 'x' }],
  ])('makes up addresses of e-mail in %s', async (_, body, expected) => {
    const { requests } = await importedText('a.har', of([{ method: 'POST', url: '/a', body }]));
    expect(requests[0]?.body).toEqual(expected);
  });

  it('has a variable for an address of e-mail in a path or a query, and in all of a session', async () => {
    const entries = of([
      { url: '/users/ann@mail.example?by=bob%40mail.example&q=of%20eve%2Bx%40mail.example%2Fa' },
      { url: '/logo@2x.png' },
      { method: 'POST', url: '/a', body: { note: 'Hi ann@mail.example' } },
    ]);
    const { mix } = await importedText('a.har', entries);
    expect(mix.requests.map(({ request }) => request.path)).toEqual([
      '/users/${env EMAIL encoded}?by=${env BY encoded}&q=of%20${env Q_EMAIL encoded}%2Fa',
      '/logo@2x.png',
      '/a',
    ]);
    const session = await importedText('a.har', withAnswers(entries), { session: true });
    expect(session.mix.requests[2]?.request.body).toEqual({ note: 'Hi ${env NOTE_EMAIL}' });
  });
});
