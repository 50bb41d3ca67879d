import { describe, expect, it } from 'vitest';
import { importedText } from './written.ts';

interface Exchange {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status?: number;
  /** Of the answer. */
  readonly answer?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** A HAR of these exchanges, a tenth of a second apart, with their answers. */
function harOf(exchanges: readonly Exchange[]): string {
  const pairs = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, value]) => ({ name, value }));
  const entries = exchanges.map(
    ({ method = 'GET', url, headers = {}, body, status = 200, answer = {}, json }, index) => ({
      startedDateTime: new Date(Date.UTC(2026, 0, 31) + 100 * index).toISOString(),
      time: 5,
      request: {
        method,
        url: `http://127.0.0.1:3000${url}`,
        headers: pairs(headers),
        ...(body !== undefined && { postData: { mimeType: 'application/json', text: JSON.stringify(body) } }),
      },
      response: {
        status,
        headers: pairs(answer),
        content: json === undefined ? {} : { mimeType: 'application/json', text: JSON.stringify(json) },
      },
    }),
  );
  return JSON.stringify({ log: { entries } });
}

/** The steps of the script that a HAR of these exchanges becomes. */
async function stepsOf(exchanges: readonly Exchange[], session?: boolean) {
  const { scenario, mix } = await importedText('a.har', harOf(exchanges), {
    ...(session !== undefined && { session }),
  });
  const { workload } = scenario.load;
  if (workload.kind !== 'script') return { steps: null, mix };
  return { steps: workload.parts.flatMap((part) => (part.kind === 'step' ? [part.step] : [])), mix, workload };
}

describe('a session of a HAR', () => {
  it('stands in its order, each step answered as it was, with cookies of its own', async () => {
    const { steps, workload } = await stepsOf([
      { url: '/me', status: 401 },
      {
        method: 'POST',
        url: '/login',
        body: { email: 'ann@mail.example', password: 'wrong' },
        status: 403,
      },
      {
        method: 'POST',
        url: '/login',
        body: { email: 'ann@mail.example', password: 'right' },
        status: 303,
        answer: { Location: '/', 'Set-Cookie': 'sid=s3cret; Path=/; HttpOnly' },
      },
      { url: '/me', headers: { Cookie: 'lang=en; sid=s3cret' } },
    ]);
    expect(workload).toMatchObject({ sessions: 'new' });
    expect(steps?.map(({ name, expect: statuses }) => [name, statuses])).toEqual([
      ['GET /me', [401]],
      ['POST /login', [403]],
      ['POST /login (2)', [303]],
      ['GET /me (2)', undefined],
    ]);
    // That of the answer is the user's own.
    expect(steps?.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined, undefined, 'secret-value']);
  });

  it('sends cookies that the browser had before, but for those that an answer has replaced', async () => {
    const { mix } = await stepsOf([
      { url: '/start', headers: { cookie: 'auth=old; lang=de' }, answer: { 'set-cookie': 'csrf=abc123; Path=/' } },
      { url: '/me', headers: { cookie: 'auth=old; lang=de; csrf=abc123' }, answer: { 'set-cookie': 'auth=new' } },
      { url: '/items', headers: { cookie: 'csrf=abc123; auth=new; lang=de' }, answer: { 'set-cookie': 'lang=en' } },
      { url: '/items/7', headers: { cookie: 'csrf=abc123; auth=new; lang=en' } },
    ]);
    const cookies = mix.requests.map(({ request }) => (request.headers as Record<string, string> | undefined)?.cookie);
    expect(cookies).toEqual(['${env COOKIE}', '${env COOKIE}', '${env COOKIE_2}', undefined]);
  });

  it('has a variable for each secret, and for who logs in', async () => {
    const { mix } = await stepsOf([
      { method: 'POST', url: '/login', body: { email: 'ann@mail.example', password: 'wrong' }, status: 403 },
      {
        method: 'POST',
        url: '/login',
        body: { email: 'ann@mail.example', password: 'right' },
        answer: { 'set-cookie': 'sid=1' },
      },
      { url: '/', headers: { cookie: 'sid=1' } },
    ]);
    expect(mix.requests.map(({ request }) => request.body)).toEqual([
      { email: '${env EMAIL}', password: '${env PASSWORD}' },
      { email: '${env EMAIL}', password: '${env PASSWORD_2}' },
      undefined,
    ]);
  });

  it('captures what later requests send back: addresses, ids, tokens', async () => {
    const { mix } = await stepsOf([
      { url: '/session', json: { csrfToken: 'f3b1c2d4e5', user: { name: 'Ann', id: 4711 } } },
      {
        method: 'POST',
        url: '/items',
        headers: { 'x-csrf-token': 'f3b1c2d4e5' },
        body: { ownerId: 4711, colour: 'green' },
        status: 201,
        answer: { location: 'http://127.0.0.1:3000/items/17' },
        json: { key: 'k-17-abcdef' },
      },
      { url: '/items/17' },
      { method: 'PUT', url: '/items/17/tags?full=1', body: { key: 'k-17-abcdef', note: 'k-17-abcdef, $1' } },
      { url: '/users/4711?key=k-17-abcdef' },
      { url: '/items/99' },
    ]);
    expect(mix.requests.map(({ request }) => [request.path, request.capture])).toEqual([
      ['/session', { csrfToken: 'json $.csrfToken', id: 'json $.user.id' }],
      ['/items', { location: 'header Location', key: 'json $.key' }],
      ['${captured location}', undefined],
      ['${captured location}/tags?full=1', undefined],
      ['/users/${captured id}?key=${captured key}', undefined],
      ['/items/99', undefined],
    ]);
    expect(mix.requests[1]?.request).toMatchObject({
      headers: { 'x-csrf-token': '${captured csrfToken}' },
      body: { ownerId: '${captured id}', colour: 'green' },
    });
    expect(mix.requests[3]?.request).toMatchObject({
      name: 'PUT /items/:id/tags?full',
      body: { key: '${captured key}', note: 'k-17-abcdef, $1' },
    });
  });

  it('asks whether a page is still good as the browser did, where its answer is in the HAR', async () => {
    const exchanges = [
      { url: '/app.js', headers: { 'if-none-match': '"from-before"' }, status: 304 },
      { url: '/list', answer: { etag: '"1"', 'last-modified': 'Sat, 31 Jan 2026 00:00:00 GMT' } },
      { url: '/list', headers: { 'if-none-match': '"1"' }, status: 304 },
      {
        url: '/list',
        headers: { 'if-none-match': '"1"', 'if-modified-since': 'Sat, 31 Jan 2026 00:00:00 GMT' },
        answer: { etag: '"2"' },
      },
      { url: '/list', headers: { 'if-none-match': '"2"' }, status: 304 },
    ];
    // Nobody needs that for an answer.
    expect((await stepsOf(exchanges)).steps).toBeNull();
    const { mix } = await stepsOf(exchanges, true);
    expect(mix.requests.map(({ request }) => [request.headers, request.expect])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [{ 'if-none-match': '${captured etag}' }, [304]],
      [{ 'if-none-match': '${captured etag}', 'if-modified-since': '${captured last_modified}' }, undefined],
      [{ 'if-none-match': '${captured etag_2}' }, [304]],
    ]);
  });

  it('takes a short number for the same only under the name that it came by', async () => {
    const { mix } = await stepsOf([
      { url: '/items', json: { items: [{ id: 7, size: 9 }] } },
      { url: '/items/7?page=7&itemId=7' },
      { url: '/items/9' },
    ]);
    expect(mix.requests.map(({ request }) => request.path)).toEqual([
      '/items',
      '/items/${captured id}?page=7&itemId=${captured id}',
      '/items/9',
    ]);
  });

  it('leaves alone what a request had sent before an answer told of it', async () => {
    const { steps } = await stepsOf([
      { method: 'POST', url: '/items', body: { id: 'chosen-by-the-page' }, json: { id: 'chosen-by-the-page' } },
      { url: '/items/chosen-by-the-page' },
    ]);
    // Neither needs the other: it is a mix.
    expect(steps).toBeNull();
  });

  it('is one where somebody says so, and none where somebody says that', async () => {
    const exchanges = [{ url: '/b' }, { url: '/a' }, { url: '/a' }];
    expect((await stepsOf(exchanges)).steps).toBeNull();
    expect((await stepsOf(exchanges, true)).steps?.map(({ path }) => path)).toEqual(['/b', '/a', '/a']);
    const chained = [
      { url: '/a', answer: { 'set-cookie': 'sid=1' } },
      { url: '/b', headers: { cookie: 'sid=1' } },
    ];
    expect((await stepsOf(chained)).steps).toHaveLength(2);
    expect((await stepsOf(chained, false)).steps).toBeNull();
  });

  it('leaves out a step that needs the answer to one that is left out', async () => {
    const { mix, steps } = await stepsOf([
      { url: '/a', answer: { 'set-cookie': 'sid=1' } },
      {
        method: 'POST',
        url: '/items',
        body: { text: 'x'.repeat(20_000) },
        status: 201,
        answer: { location: '/items/8' },
      },
      { url: '/items/8', headers: { cookie: 'sid=1' } },
    ]);
    expect(steps?.map(({ path }) => path)).toEqual(['/a']);
    expect(mix.leftOut.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      'POST /items: its body is longer than 16000 characters',
      'GET /items/:id: it needs the answer to a request that is left out',
    ]);
  });
});
