import { describe, expect, it } from 'vitest';
import { imported, importedText, mistakeOf, har as of } from '../written.ts';

describe('a HAR', () => {
  it('becomes a scenario with its mix, and without its secrets', async () => {
    const { mix, text, requests } = await imported('docs/examples/captures/capture.har');
    expect(requests).toEqual([
      {
        name: 'GET /items?limit',
        method: 'GET',
        path: '/items?limit=${pick 10 50}',
        headers: { accept: 'application/json', authorization: 'Bearer secret-value', cookie: 'secret-value' },
        weight: 2,
      },
      {
        name: 'POST /items',
        method: 'POST',
        path: '/items',
        headers: { authorization: 'Bearer secret-value', cookie: 'secret-value' },
        body: { id: '${unique}', name: 'a new item' },
        weight: 1,
      },
    ]);
    expect(text).not.toContain('example-of-a');
    expect(text).toContain('#   AUTHORIZATION (in place of 2 different ones)\n#   COOKIE\n');
    expect(mix.pausesMs).toEqual([2890, 1980]);
    expect(text).toContain('# Found: think time, 2 pauses, median 2 s. Each request has the mean of those after it');
    expect(text).toContain('#   requests to cdn.example.com: another host; --host cdn.example.com takes those\n');
    expect(text).toContain(
      '#   POST /upload (entry 5): its body is multipart/form-data, which a scenario cannot send\n',
    );
  });

  it('becomes users who pause as long as the one that was seen', async () => {
    const { scenario, mix } = await imported('docs/examples/captures/capture.har');
    const { levels, workload } = scenario.load;
    expect(levels).toEqual([{ users: 5 }, { users: 25 }]);
    const [part] = workload.kind === 'script' ? workload.parts : [];
    const ways = part?.kind === 'choice' ? part.ways : [];
    const pauses = ways.map(({ weight, steps: [step] }) =>
      step?.think?.kind === 'exponential' ? weight * step.think.meanMs : 0,
    );
    const seenMs = mix.pausesMs.reduce((sum, ms) => sum + ms, 0);
    // Written to a tenth of a second.
    expect(Math.abs(pauses.reduce((sum, ms) => sum + ms, 0) - seenMs)).toBeLessThanOrEqual(150);
    expect(ways.map(({ steps }) => steps.length)).toEqual([1, 1]);
  });

  it('takes the requests of the host that is named', async () => {
    const { requests } = await imported('docs/examples/captures/capture.har', { host: 'cdn.example.com' });
    expect(requests.map(({ path }) => path)).toEqual(['/font.woff2']);
  });

  it('expects the statuses that were recorded', async () => {
    const { requests, mix } = await importedText(
      'a.har',
      of([
        { url: '/there' },
        { url: '/gone', status: 404 },
        { url: '/cached', status: 304 },
        { url: '/broken', status: 500 },
        { method: 'DELETE', url: '/items/1', status: 204 },
        { method: 'DELETE', url: '/items/2', status: 204 },
      ]),
    );
    expect(requests.map(({ path, expect: statuses }) => [path, statuses])).toEqual([
      ['/items/${pick 1 2}', [204, 404]],
      ['/there', undefined],
      ['/gone', [404]],
      ['/cached', undefined],
    ]);
    expect(mix.leftOut).toEqual([{ what: 'GET /broken', why: 'it was only answered with 5xx' }]);
  });

  it('has one request for bodies of one shape, with placeholders for what varies', async () => {
    const bodies = [1, 2, 3].map((n) => ({
      id: 100 + n,
      ref: `0b4cdd9e-5a2c-4a9d-8a1e-00000000000${n}`,
      name: `item no ${n}`,
      sku: `A${n}`,
      email: `somebody-${n}@mail.example`,
      count: n,
      colour: n === 2 ? 'red' : 'green',
      fixed: true,
      lines: [{ productId: n, note: 'x' }],
    }));
    const { requests } = await importedText(
      'a.har',
      of(bodies.map((body) => ({ method: 'POST', url: '/orders', body }))),
    );
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      weight: 3,
      body: {
        id: '${unique}',
        ref: '${pick 0b4cdd9e-5a2c-4a9d-8a1e-000000000001 0b4cdd9e-5a2c-4a9d-8a1e-000000000002 0b4cdd9e-5a2c-4a9d-8a1e-000000000003}',
        name: 'item no 1 ${integer 1 1000}',
        sku: 'A1-${unique}',
        email: 'user${unique}@example.com',
        count: '${integer 1 3}',
        colour: '${pick green red}',
        fixed: true,
        lines: [{ productId: '${integer 1 3}', note: 'x' }],
      },
    });
  });

  it.each([
    ['dates, of which some are empty', ['2026-01-31', '', '2026-02-01', ''], '${pick 2026-01-31 2026-02-01}'],
    ['dates with a time', ['2026-01-31 10:00', '2026-02-01 10:00', '2026-02-02 10:00'], '2026-01-31 10:00'],
    ['times', ['Sat, 31 Jan 2026 10:00 GMT', 'Sun, 1 Feb 2026 10:00 GMT', 'x 11:00'], 'Sat, 31 Jan 2026 10:00 GMT'],
    ['JSON', ['{"a":1}', '{"a":2}', '{"a":3}'], '{"a":1}'],
    ['states', ['Done', 'In Progress', 'In Progress', 'Done', 'In Progress', 'Not Begun'], 'In Progress'],
    ['two texts', ['In Progress', 'Done'], 'In Progress'],
    ['a text that most leave empty', ['', 'item 1', ''], ''],
    ['numbers with a blank', ['1 000', '2 000', '3 000'], '1 000'],
    ['addresses, of which some are empty', ['', 'a@mail.example', 'b@mail.example'], 'user${unique}@example.com'],
    ['names, of which some are empty', ['', 'A1', 'A2', '', 'A3'], 'A1-${unique}'],
    ['texts, of which some are empty', ['', 'item 1', 'item 2', 'item 3'], 'item 1 ${integer 1 1000}'],
  ])('has for fields that differ nothing of a form that nobody sent: %s', async (_, values, expected) => {
    const { requests } = await importedText(
      'a.har',
      of(values.map((value) => ({ method: 'POST', url: '/a', body: { value } }))),
    );
    expect(requests[0]?.body).toEqual({ value: expected });
  });

  it('keeps requests apart whose bodies differ in shape, type or operation', async () => {
    const { requests } = await importedText(
      'a.har',
      of([
        { method: 'POST', url: '/graphql', body: { operationName: 'A', query: 'query A { a }' } },
        { method: 'POST', url: '/graphql', body: { operationName: 'B', query: 'query B { b }' } },
        { method: 'POST', url: '/graphql', body: 'a=1&b=x%20y', type: 'application/x-www-form-urlencoded' },
      ]),
    );
    expect(requests.map(({ name, body }) => [name, body])).toEqual([
      ['POST /graphql', { operationName: 'A', query: 'query A { a }' }],
      ['POST /graphql (2)', { operationName: 'B', query: 'query B { b }' }],
      ['POST /graphql (3)', 'a=1&b=x%20y'],
    ]);
  });

  it.each([
    ['a text', ['"hello"'], '"hello"'],
    ['a text of JSON', ['"{\\"a\\":1}"'], '"{\\"a\\":1}"'],
    ['an empty text', ['""'], '""'],
    ['a text with a placeholder', ['"${unique}"'], '"$${unique}"'],
    ['texts', ['"a\\"b"', '"c"'], '"${pick a\\"b c}"'],
    ['numbers', ['5', '7'], '${integer 5 7}'],
    ['a number of many digits', ['12345678901234567890'], '${number 12345678901234567890}'],
  ])('keeps the quotes and the type of JSON that is %s', async (_, bodies, expected) => {
    const requests = bodies.map((body) => ({ method: 'PUT', url: '/a', body, headers: { 'x-a': 'b' } }));
    const [first] = (await importedText('a.har', of(requests))).requests;
    expect(first).toMatchObject({ body: expected, headers: { 'content-type': 'application/json', 'x-a': 'b' } });
  });

  it.each([
    ['application/vnd.api+json', { 'content-type': 'application/vnd.api+json' }],
    ['application/merge-patch+json; charset=utf-8', { 'content-type': 'application/merge-patch+json; charset=utf-8' }],
    ['application/json; charset=utf-8', {}],
    ['application/json', {}],
  ])('keeps the type of JSON that does not have it by itself: %s', async (type, headers) => {
    const body = { a: 1 };
    const [named, unnamed] = await Promise.all(
      [{ 'content-type': type }, {}].map(async (sent) => {
        const { requests } = await importedText(
          'a.har',
          of([{ method: 'PATCH', url: '/a', body, type, headers: sent }]),
        );
        return requests[0];
      }),
    );
    expect(named).toMatchObject({ headers, body });
    expect(Object.keys(named?.headers ?? {})).toEqual(Object.keys(headers));
    expect(unnamed).toEqual(named);
  });

  it('keeps the type of JSON in a session, too', async () => {
    const type = 'application/json-patch+json';
    const entries = of([{ method: 'PATCH', url: '/a', body: [{ op: 'add' }], type }]);
    const { requests } = await importedText('a.har', entries, { session: true });
    expect(requests[0]?.headers).toEqual({ 'content-type': type });
  });

  it.each([
    ['cut off', '{"log":{"entries":[\n{"request":', /^a\.har:\d+:\d+: this is no JSON$/],
    ['without a comma', '{"log":\n{"entries":[1 2]}}', /^a\.har:2:15: this is no JSON$/],
    ['without entries', '{"log":{"version":"1.2"}}', /^a\.har:1:1: this is no HAR: expected/],
    ['without any request', '{"log":{"entries":[]}}', /^a\.har has no request that a scenario can send$/],
    [
      'of nothing that can be sent',
      of([{ url: 'data:text/plain,x' }]),
      /^a\.har has no request that a scenario can send; left out: GET data:: its address is not http$/,
    ],
  ])('%s is a mistake with its place', async (_, text, message) => {
    expect(await mistakeOf('a.har', text)).toMatch(message);
  });

  it('needs a method and an address of an entry, whatever form the rest has', async () => {
    const bare = (more: object, request: object = {}) => ({
      startedDateTime: '2026-01-31T10:00:00Z',
      time: 5,
      request: { method: 'GET', url: 'http://127.0.0.1:3000/a', headers: [], ...request },
      response: { status: 200, headers: [], content: {} },
      ...more,
    });
    const odd = [
      bare({ time: null }),
      bare({ time: '5' }),
      bare({ startedDateTime: null }),
      bare({ response: { status: 200, headers: null, content: { text: null, mimeType: 'application/json' } } }),
      bare({ response: { status: 200, content: null }, _fromCache: null, _resourceType: 7 }),
      bare({}, { headers: null, postData: null }),
      bare({}, { headers: [{ name: 'x-a' }, { name: 'x-b', value: null }] }),
      bare({}, { postData: { mimeType: '', text: null, params: null } }),
    ];
    const { requests, mix } = await importedText('a.har', JSON.stringify({ log: { entries: odd } }));
    expect(mix.leftOut).toEqual([]);
    expect(requests).toMatchObject([{ path: '/a', weight: odd.length }]);
  });

  it('leaves out what lost its body on the way, and sends no empty one', async () => {
    const { log } = JSON.parse(of([{ url: '/a' }, { method: 'POST', url: '/b' }, { method: 'POST', url: '/c' }]));
    log.entries[1].request.bodySize = 300;
    log.entries[2].request.headers.push({ name: 'Content-Length', value: '300' });
    const { requests, mix } = await importedText('a.har', JSON.stringify({ log }));
    expect(requests.map(({ path }) => path)).toEqual(['/a']);
    expect(mix.leftOut.map(({ what, why }) => [what, why])).toEqual([
      ['POST /b', 'its body is not in the HAR'],
      ['POST /c', 'its body is not in the HAR'],
    ]);
  });

  it('takes a pause of more than five minutes for the end of a visit, and says so', async () => {
    const { log } = JSON.parse(of([{ url: '/a' }, { url: '/b' }, { url: '/c' }, { url: '/d' }]));
    for (const [at, minutes] of [0, 5, 5.1, 2 * 24 * 60].entries())
      log.entries[at].startedDateTime = new Date(Date.UTC(2026, 0, 31) + 60_000 * minutes).toISOString();
    const { mix, text } = await importedText('a.har', JSON.stringify({ log }));
    expect(mix.pausesMs).toEqual([299_995, 5995]);
    expect(text).toContain('#   a pause of more than 5 min: it is taken for the end of a visit\n');
  });

  it('leaves out an entry that is none, and takes the others', async () => {
    const { log } = JSON.parse(of([{ url: '/a' }]));
    const { mix, requests } = await importedText(
      'a.har',
      JSON.stringify({ log: { entries: [...log.entries, { request: {} }, 7] } }),
    );
    expect(requests.map(({ path }) => path)).toEqual(['/a']);
    expect(mix.leftOut.map(({ place }) => place)).toEqual(['entry 2', 'entry 3']);
  });
});
