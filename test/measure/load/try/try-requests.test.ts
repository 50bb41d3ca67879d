import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startReaper } from '../../../../src/base/process/reaper.ts';
import { startLoadGenerator } from '../../../../src/measure/load/generator-process.ts';
import type { RequestSource } from '../../../../src/measure/load/request-source.ts';
import { checksOf } from '../../../../src/measure/load/requests/body-check.ts';
import { compileScript } from '../../../../src/measure/load/script/script.ts';
import { tryRequests } from '../../../../src/measure/load/try/try-requests.ts';
import { requestSpec } from '../../../fixtures/request-spec.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const signal = new AbortController().signal;
const trial = (url: string) => ({ url, workloads: [], seed: 1, tries: 3, limitMs: 4000 });
const source = (path: string, expected?: readonly number[]): RequestSource => ({
  names: [path.slice(1)],
  ...(expected && { expected: [expected] }),
  next: () => ({ method: 'GET', path, name: 0 }),
});

describe('one request of each kind', () => {
  it('is sent, with what was answered', async () => {
    const paths: string[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(request.url === '/gone' ? 410 : 200).end('x'.repeat(5000));
    });
    const tried = await tryRequests(trial(url), [source('/fine'), source('/gone', [404, 410])], signal);
    expect(tried).toMatchObject([
      { name: 'fine', expected: null, sent: 1, outcome: { kind: 'answer', ok: true, status: 200 } },
      { name: 'gone', expected: [404, 410], sent: 1, outcome: { kind: 'answer', ok: true, status: 410 } },
    ]);
    expect(paths.sort()).toEqual(['/fine', '/gone']);
    expect(tried[0]?.outcome).toMatchObject({ body: 'x'.repeat(2000) });
  });

  it('is sent again where it fails, as often as is asked for', async () => {
    let sent = 0;
    const url = await serve((request, response) => {
      sent++;
      response.writeHead(request.url === '/flaky' && sent > 1 ? 200 : 500).end();
    });
    expect(await tryRequests(trial(url), [source('/flaky')], signal)).toMatchObject([
      { sent: 2, outcome: { ok: true } },
    ]);
    sent = 0;
    expect(await tryRequests(trial(url), [source('/broken')], signal)).toMatchObject([
      { sent: 3, outcome: { ok: false, status: 500 } },
    ]);
    expect(sent).toBe(3);
  });

  it('that nobody answers is given up at the limit, and one whose connection breaks at once', async () => {
    const url = await serve((request) => {
      if (request.url === '/broken') request.socket.destroy();
    });
    const tried = await tryRequests({ ...trial(url), limitMs: 2000 }, [source('/silent'), source('/broken')], signal);
    expect(tried).toMatchObject([
      { sent: 1, outcome: { kind: 'silence' } },
      { sent: 3, outcome: { kind: 'error', message: 'socket hang up' } },
    ]);
  });

  it('has its own time, and says how long it took; a redirect says where it leads', async () => {
    const url = await serve((request, response) => {
      const answer = () => response.writeHead(request.url === '/away' ? 302 : 200, { location: '/login' }).end();
      setTimeout(answer, request.url === '/away' ? 0 : 300);
    });
    const spec = { kind: 'script', parts: [] } as const;
    const step = (path: string) => ({ kind: 'step', step: requestSpec({ name: path, path, method: 'GET' }) }) as const;
    const script = { ...spec, parts: [step('/a'), step('/b'), step('/c'), step('/d'), step('/away')] };
    const context = { seed: 1, url, unique: () => 1, rows: null };
    // Together they take longer than each of them may.
    const source = {
      names: [],
      next: () => ({ method: 'GET', path: '/', name: 0 }),
      script: compileScript(script, context),
    };
    const tried = await tryRequests({ ...trial(url), limitMs: 1000 }, [source], signal);
    expect(tried.map(({ outcome }) => outcome.kind)).toEqual(Array(5).fill('answer'));
    expect(tried.slice(0, 4).every(({ tookMs = 0 }) => tookMs >= 290)).toBe(true);
    expect(tried[4]?.outcome).toMatchObject({ status: 302, location: '/login' });
    expect(tried[0]?.outcome).not.toHaveProperty('location');
  });

  it('that is answered 200 with another body than is expected has failed', async () => {
    const url = await serve((_, response) => void response.end('{"errors":["no such post"]}'));
    const { checks } = checksOf([requestSpec({ expectBody: { json: { '$.errors': 'absent' } } })]);
    expect(await tryRequests(trial(url), [{ ...source('/graphql'), ...(checks && { checks }) }], signal)).toMatchObject(
      [{ sent: 3, outcome: { ok: false, status: 200, lacks: '$.errors is ["no such post"]: expected absent' } }],
    );
  });

  it('may be answered with a compressed body, which is looked into', async () => {
    const url = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip').end(gzipSync('{"id":7}'));
    });
    const { checks } = checksOf([requestSpec({ expectBody: { json: { '$.id': 7 } } })]);
    expect(await tryRequests(trial(url), [{ ...source('/'), ...(checks && { checks }) }], signal)).toMatchObject([
      { outcome: { ok: true, body: '{"id":7}' } },
    ]);
  });

  it('may be answered with long headers, as the load reads them', async () => {
    const url = await serve((_, response) => void response.setHeader('x-long', 'h'.repeat(60_000)).end('ok'));
    expect(await tryRequests(trial(url), [source('/')], signal)).toMatchObject([{ sent: 1, outcome: { ok: true } }]);
  });

  it('ends with Ctrl-C', async () => {
    const url = await serve(() => {});
    const abort = new AbortController();
    const trying = tryRequests(trial(url), [source('/silent')], abort.signal);
    abort.abort(new Error('interrupted'));
    await expect(trying).rejects.toThrow('interrupted');
  });
});

it('rare kinds are tried too, by the generator, in numbers that the load has none of', async () => {
  const bodies: string[] = [];
  const url = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(`${request.url} ${body}`);
    response.writeHead(200).end();
  });
  const body = { id: `\${unique}`, by: `\${token}` };
  const requests = [
    requestSpec({ name: 'often', path: '/often', method: 'POST', weight: 1_000_000, body }),
    requestSpec({ name: 'rare', path: '/rare', method: 'POST', body }),
  ];
  const reaper = startReaper();
  const generator = await startLoadGenerator({ workload: { kind: 'requests', requests }, documents: [] }, reaper);
  try {
    const tried = await generator.tryRequests({ ...trial(url), token: 'tried', workloads: [null] });
    expect(tried.map(({ name, outcome }) => [name, outcome.kind])).toEqual([
      ['often', 'answer'],
      ['rare', 'answer'],
    ]);
    expect(bodies.map((text) => text.split(' ')[0]).sort()).toEqual(['/often', '/rare']);
    for (const text of bodies) expect(text).toContain('"by":"tried"');
    const numbers = () => bodies.map((text) => Number(/"id":(\d+)/.exec(text)?.[1]));
    const before = Math.max(...numbers());
    expect(before).toBeGreaterThanOrEqual(1_000_000_000);
    bodies.length = 0;
    const stream = await generator.open({ url, token: 'run', load: { connections: 1 }, seed: 1, timeoutMs: 1000 });
    await stream.turn({ durationMs: 100, fromMs: 0, toMs: 100 });
    await stream.close();
    expect(bodies[0]).toMatch(/^\/often .*"by":"run"/);
    expect(numbers().filter((number) => number <= before)).toEqual([]);
  } finally {
    await generator.stop();
    await reaper.close();
  }
});

it('of requests that capture each is tried, in their order, with what was captured', async () => {
  const urls: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    urls.push(request.url);
    response.end('{"key":"a b"}');
  });
  const way = (weight: number, path: string, more = {}) => ({
    weight,
    steps: [requestSpec({ name: path, path, ...more })],
  });
  const ways = [
    way(1, '/login', { capture: { key: { kind: 'json', path: '$.key' } } }),
    way(1_000_000, '/often?key=${captured key}'),
    way(1, '/rare/${captured key}'),
  ];
  const reaper = startReaper();
  const workload = { kind: 'script', parts: [{ kind: 'choice', ways }] } as const;
  const generator = await startLoadGenerator({ workload, documents: [] }, reaper);
  try {
    const tried = await generator.tryRequests({ ...trial(url), workloads: [null] });
    expect(tried.map(({ name, outcome }) => [name, outcome.kind])).toEqual(
      ways.map(({ steps: [one] }) => [one?.name, 'answer']),
    );
    expect(urls).toEqual(['/login', '/often?key=a%20b', '/rare/a%20b']);
  } finally {
    await generator.stop();
    await reaper.close();
  }
});
