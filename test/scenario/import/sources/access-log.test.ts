import { describe, expect, it } from 'vitest';
import { imported, importedText, mistakeOf } from '../written.ts';

const lines = (...all: (string | object)[]): string =>
  all.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');

describe('an access log', () => {
  it('in the combined format gives requests with their weights', async () => {
    const { requests, text, mix } = await imported('docs/examples/captures/access.log');
    expect(requests.map(({ name, path, weight, expect: statuses }) => ({ name, path, weight, statuses }))).toEqual([
      { name: 'GET /items/:id', path: '/items/${pick 42 17}', weight: 3, statuses: undefined },
      { name: 'GET /items?limit', path: '/items?limit=10', weight: 2, statuses: undefined },
    ]);
    expect(text).toContain('#   POST /items: an access log has no bodies: write this one by hand\n');
    expect(text).toContain('#   a line (line 7): it has no request\n');
    expect(mix).toMatchObject({ total: 5, lengthMs: 4000, pausesMs: [2000, 2000, 3000, 1000] });
  });

  it('in the common format, with a virtual host or without', async () => {
    const { requests } = await importedText(
      'access.log',
      lines(
        '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326',
        'www.example.com:80 127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "HEAD /a%20b HTTP/1.0" 404 -',
      ),
    );
    expect(requests).toMatchObject([
      { method: 'GET', path: '/apache_pb.gif' },
      { method: 'HEAD', path: '/a%20b', expect: [404] },
    ]);
  });

  const get = { name: 'GET /items/:id', path: '/items/${pick 1 2}', weight: 2 };

  it.each([
    [
      'pino-http',
      lines(
        {
          level: 30,
          time: 1769853600000,
          req: { method: 'GET', url: '/items/1', headers: { cookie: 'sid=hidden' } },
          res: { statusCode: 200 },
        },
        { level: 30, time: 1769853601000, msg: 'the cache is warm' },
        { level: 30, time: 1769853602000, req: { method: 'GET', url: '/items/2' }, res: { statusCode: 404 } },
      ),
      [{ ...get, expect: [200, 404] }],
    ],
    [
      'Fastify',
      lines(
        {
          time: 1,
          reqId: 'req-1',
          req: { method: 'GET', url: '/items/1', host: 'localhost' },
          msg: 'incoming request',
        },
        {
          time: 2,
          reqId: 'req-2',
          req: { method: 'GET', url: '/items/2', host: 'localhost' },
          msg: 'incoming request',
        },
        { time: 3, reqId: 'req-2', res: { statusCode: 404 }, responseTime: 1, msg: 'request completed' },
        { time: 4, reqId: 'req-1', res: { statusCode: 200 }, responseTime: 1, msg: 'request completed' },
      ),
      [{ ...get, expect: [200, 404] }],
    ],
    [
      'Caddy',
      lines(
        {
          ts: 1769853600.5,
          request: { method: 'GET', uri: '/items/1', host: 'example.com', headers: { Cookie: ['sid=hidden'] } },
          status: 200,
        },
        {
          ts: 1769853601.5,
          request: { method: 'GET', uri: '/items/2', host: 'example.com', remote_ip: '192.0.2.1' },
          status: 200,
        },
      ),
      [get],
    ],
    [
      'nginx with $request',
      lines(
        {
          time_local: '31/Jan/2026:10:00:00 +0000',
          remote_addr: '192.0.2.1',
          request: 'GET /items/1 HTTP/1.1',
          status: '200',
        },
        {
          time_local: '31/Jan/2026:10:00:01 +0000',
          remote_addr: '192.0.2.1',
          request: 'GET /items/2 HTTP/1.1',
          status: '200',
        },
      ),
      [get],
    ],
    [
      'nginx with fields',
      lines(
        { time_iso8601: '2026-01-31T10:00:00+00:00', request_method: 'GET', request_uri: '/items/1', status: 200 },
        { time_iso8601: '2026-01-31T10:00:01+00:00', request_method: 'GET', request_uri: '/items/2', status: 200 },
      ),
      [get],
    ],
  ])('of JSON lines by %s', async (_, text, wanted) => {
    const { requests, text: written } = await importedText('service.log', text);
    expect(requests).toMatchObject(wanted);
    expect(written).not.toContain('hidden');
  });

  it('makes one request of names that are data, and one each of names of the interface', async () => {
    const at = (path: string): string => `192.0.2.1 - - [31/Jan/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1`;
    const articles = Array.from({ length: 60 }, (_, n) => at(`/articles/title-no-${n}`));
    const interfaces = Array.from({ length: 40 }, (_, n) =>
      Array.from({ length: 20 }, () => at(`/api/kind${n}`)),
    ).flat();
    const { requests, text } = await importedText('access.log', lines(...articles, ...interfaces));
    expect(requests).toHaveLength(41);
    expect(requests[0]).toMatchObject({ name: 'GET /articles/:id', weight: 60 });
    expect(text).toContain('# /articles/:id: the 50 most frequent of 60\n');
  });

  it('leaves out lines that are torn, with their place', async () => {
    const { requests, text } = await importedText(
      'access.log',
      lines({ method: 'GET', url: '/a', status: 200 }, '{"method":"GET","ur', {
        method: 'GET',
        url: '/a',
        status: 200,
      }),
    );
    expect(requests).toMatchObject([{ path: '/a', weight: 2 }]);
    expect(text).toContain('#   a line (line 2): it is no line of an access log\n');
  });

  it.each([
    ['another file', 'a,b,c\n1,2,3\n', 'access.log:1:1: this is no line of an access log'],
    [
      'mostly something else',
      lines('', { method: 'GET', url: '/a' }, 'x', 'y'),
      'access.log:3:1: this is no line of an access log',
    ],
    ['nothing', '', 'access.log:1:1: this is no line of an access log'],
  ])('%s is a mistake with its line', async (_, text, message) => {
    expect(await mistakeOf('access.log', text)).toBe(message);
  });
});
