import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { maskKnown } from '../../../src/base/secrets.ts';
import type { LoginSpec } from '../../../src/journal/request-value.ts';
import { declaredRequests } from '../../../src/measure/load/requests/declared-requests.ts';
import { fetchToken } from '../../../src/measure/target/fetch-token.ts';
import { requestSpec } from '../../fixtures/request-spec.ts';

const lines = ['listening', 'Error: Cannot send secure cookie'];

async function serve(listener: RequestListener): Promise<{ url: string; tail: () => string[] }> {
  const server = createServer(listener);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tail: () => lines };
}

const login: LoginSpec = {
  method: 'POST',
  path: '/login',
  headers: { 'X-Client': 'bench' },
  body: { user: 'me', password: 'pw' },
  from: { kind: 'json', name: 'data.access_token' },
};

describe('the login of an arm', () => {
  it('sends what the scenario says, and the token is masked from then on', async () => {
    const seen: unknown[] = [];
    const service = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { method, url: path, headers } = request;
      seen.push({ method, path, type: headers['content-type'], client: headers['x-client'], body });
      response.end('{"data":{"access_token":"token-of-this-arm"}}');
    });
    expect(await fetchToken(service, login, 'A', undefined)).toBe('token-of-this-arm');
    expect(seen).toEqual([
      {
        method: 'POST',
        path: '/login',
        type: 'application/json',
        client: 'bench',
        body: '{"user":"me","password":"pw"}',
      },
    ]);
    expect(maskKnown('printed token-of-this-arm')).toBe('printed ***');
  });

  it.each(['$.data.access_token', "$.data['access_token']", '$.list[-1].token', 'data.access_token', 'list.0.token'])(
    'stands in its answer at %s',
    async (name) => {
      const url = await serve((_, response) =>
        response.end('{"data":{"access_token":"token-there"},"list":[{"token":"token-there"}]}'),
      );
      expect(await fetchToken(url, { ...login, from: { kind: 'json', name } }, 'A', undefined)).toBe('token-there');
    },
  );

  it('sends and reads numbers with all of their digits', async () => {
    const bodies: string[] = [];
    const url = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      bodies.push(body);
      response.end('{"data":{"access_token":9007199254778899}}');
    });
    const body = { tenant: '${number 9007199254740997}', price: '${number 1.10}', user: 'me' };
    expect(await fetchToken(url, { ...login, body }, 'A', undefined)).toBe('9007199254778899');
    expect(bodies).toEqual(['{"tenant":9007199254740997,"price":1.10,"user":"me"}']);
  });

  it('may be answered by a cookie', async () => {
    const service = await serve((_, response) => {
      response.setHeader('Set-Cookie', ['a=1; Path=/', 'sid=cookie-value; HttpOnly']);
      response.writeHead(303, { location: 'http://192.0.2.1/' }).end();
    });
    expect(await fetchToken(service, { ...login, from: { kind: 'cookie', name: 'sid' } }, 'A', undefined)).toBe(
      'cookie-value',
    );
  });

  it.each([
    [
      'a refusal',
      401,
      '{"error":"no\\nsuch user"}',
      /the login of "A" \(POST \/login\) was answered 401: \{"error":"no\\nsuch user"\}/,
    ],
    [
      'no token',
      200,
      '{"token":"x-not-to-be-seen"}',
      /was answered 200, and has no text or number at data\.access_token: it has token$/,
    ],
    ['a token that would be two headers', 200, '{"data":{"access_token":"a\\r\\nX: b"}}', /has no text or number/],
    ['no JSON', 200, 'x-not-to-be-seen', /it is no JSON object$/],
    [
      'an error of the service',
      500,
      '{"error":"Internal Server Error"}',
      /was answered 500: .*\nThe service's last lines:\nlistening\nError: Cannot send secure cookie$/,
    ],
  ])('that ends with %s is an error', async (_, status, body, expected) => {
    const service = await serve((_, response) => void response.writeHead(status).end(body));
    const failed = fetchToken(service, login, 'A', undefined);
    await expect(failed).rejects.toThrow(expected);
    await expect(failed).rejects.not.toThrow(/not-to-be-seen/);
  });

  it('that is not answered is an error with the last lines of the service', async () => {
    const service = await serve((request) => void request.socket.destroy());
    await expect(fetchToken(service, login, 'A', undefined)).rejects.toThrow(
      /was not answered: .*\nThe service's last lines:\n/,
    );
  });
});

it('the token stands in the requests of its arm', () => {
  const context = { random: createRandom(1), unique: () => 1, documents: [] };
  const specs = [requestSpec({ path: '/x', headers: { Authorization: 'Bearer ${token}' } })];
  const headers = ['one', 'two'].map((token) => declaredRequests(specs, { ...context, token }).fixed?.headers);
  expect(headers).toEqual([{ Authorization: 'Bearer one' }, { Authorization: 'Bearer two' }]);
});
