import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, describeReply, isOk } from '../../src/base/ask.ts';
import { openPoster } from '../../src/measure/load/bulk/poster.ts';
import { startTarget } from '../../src/measure/target/start-target.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const soon = (): AbortSignal => AbortSignal.timeout(60_000);

describe('ask', () => {
  it('reads headers that are longer than Node allows by itself', async () => {
    const url = await serve((_, response) => void response.setHeader('x-long', 'h'.repeat(60_000)).end('ok'));
    expect((await ask(url, { signal: soon() })).headers['x-long']).toHaveLength(60_000);
  });

  it('sends what it is given on a connection of its own, and tells what came', async () => {
    const seen: unknown[] = [];
    const url = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { authorization, connection, 'x-a': own } = request.headers;
      seen.push({ method: request.method, path: request.url, body, authorization, connection, own });
      response.writeHead(404, { 'x-b': '2' }).end('nö');
    });
    const reply = await ask(`${url.replace('//', '//me:pw@')}/a?b=1`, {
      method: 'PUT',
      headers: { 'X-A': '1' },
      body: 'text',
      signal: soon(),
    });
    expect(reply).toMatchObject({ status: 404, text: 'nö', headers: { 'x-b': '2' } });
    expect([isOk(reply), describeReply(reply)]).toEqual([false, 'answered 404']);
    const authorization = `Basic ${Buffer.from('me:pw').toString('base64')}`;
    const own = { authorization, connection: 'close', own: '1' };
    expect(seen).toEqual([{ method: 'PUT', path: '/a?b=1', body: 'text', ...own }]);
  });

  it('follows no redirect, and says where it would have led', async () => {
    let followed = 0;
    const elsewhere = await serve((_, response) => {
      followed++;
      response.end('ok');
    });
    for (const status of [301, 302, 307, 308]) {
      const url = await serve((_, response) => void response.writeHead(status, { location: `${elsewhere}/x` }).end());
      const reply = await ask(url, { signal: soon() });
      expect(isOk(reply)).toBe(false);
      expect(describeReply(reply)).toBe(`answered ${status}, a redirect to ${elsewhere}/x, which is not followed`);
    }
    expect(followed).toBe(0);
  });

  it('tells why there is no answer, and the reason of a signal', async () => {
    await expect(ask('http://127.0.0.1:1', { signal: soon() })).rejects.toThrow('ECONNREFUSED');
    await expect(ask('http://localhost:1', { signal: soon() })).rejects.toThrow('ECONNREFUSED');
    const url = await serve(() => {});
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(ask(url, { signal })).rejects.toThrow('enough');
  });
});

describe('the certificate of a service', () => {
  const folder = join(import.meta.dirname, '../fixtures/tls');
  const [key, cert] = ['key.pem', 'certificate.pem'].map((name) => readFileSync(join(folder, name)));

  async function serveTls(): Promise<number> {
    const server = createTlsServer({ key, cert }, (_, response) => response.end('ok')).listen(0, '0.0.0.0');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  }

  const check = (url: string): ReturnType<typeof startTarget> =>
    startTarget({
      target: { kind: 'url', url },
      variant: { name: 'A', factors: {}, env: {}, url },
      databaseUrl: null,
    } as never);

  const post = (url: string): Promise<{ outcome: unknown; text: string }> =>
    new Promise((resolve) => {
      const poster = openPoster({ url, connections: 1, timeoutMs: 60_000 });
      poster.post({ path: '/', body: 'x' }, (answer) => {
        poster.close();
        resolve(answer);
      });
    });

  it('may be any on this machine', async () => {
    const url = `https://127.0.0.1:${await serveTls()}`;
    expect(await check(url)).toMatchObject({ url });
    expect((await post(url)).outcome).toBe(200);
  });

  // The address of every interface leads to this machine, and does not say so.
  it('has to be known elsewhere, and the error says what to do', async () => {
    const url = `https://0.0.0.0:${await serveTls()}`;
    await expect(check(url)).rejects.toMatchObject({
      code: 'target',
      message: expect.stringMatching(/^the certificate of 0\.0\.0\.0:\d+ cannot be verified: self-signed certificate/),
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    expect(await post(url)).toMatchObject({ outcome: 'error', text: expect.stringContaining('self-signed') });
  });
});
