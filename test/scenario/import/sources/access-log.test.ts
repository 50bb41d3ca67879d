import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fileOf, imported, importedText, mistakeOf } from '../written.ts';

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

  it('keeps virtual hosts apart, and takes the one that is asked for', async () => {
    const log = lines(
      ...['a.example:80', 'a.example:443', '[2001:db8::80]:80'].map(
        (host) => `${host} 10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326`,
      ),
      'b.example:80 2001:db8::1 - ann [10/Oct/2000:13:55:36 -0700] "GET /b HTTP/1.0" 200 2326',
    );
    const { requests, mix } = await importedText('access.log', log);
    expect(requests).toMatchObject([{ path: '/a', weight: 2 }]);
    expect(mix.leftOut.map(({ what }) => what)).toEqual(['requests to [2001:db8::80]', 'requests to b.example']);
    const other = await importedText('access.log', log, { host: 'b.example' });
    expect(other.requests.map(({ path }) => path)).toEqual(['/b']);
  });

  it.each(['2001:db8::', '192.0.2.1:500', '[2001:db8::1]:500'])(
    'takes no client for a virtual host: %s',
    async (client) => {
      const log = lines(
        ...[0, 2, 4].map((s) => `${client}${s} - - [10/Oct/2000:13:55:3${s} -0700] "GET /a HTTP/1.0" 200 10 "-" "x"`),
      );
      const { mix, requests } = await importedText('access.log', log);
      expect(requests).toMatchObject([{ weight: 3 }]);
      // Ports are of one client, which pauses; addresses are of three.
      expect(mix.pausesMs).toEqual(client.endsWith('::') ? [] : [2000, 2000]);
    },
  );

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

  const at = (path: string, more = '200 1', time = '10:00:00'): string =>
    `192.0.2.1 - - [31/Jan/2026:${time} +0000] "GET ${path} HTTP/1.1" ${more} "-" "-"`;
  const pathsOf = async (text: string): Promise<string[]> =>
    (await importedText('access.log', text)).requests.map(({ path }) => path);

  it('is sent what came over the wire, however the log has escaped it', async () => {
    const written = [
      ['/caf\\xC3\\xA9/menu', '/caf%C3%A9/menu'],
      ['/caf\\xE9', '/caf%E9'],
      ['/search?q=\\x22a\\x22', '/search?q=%22a%22'],
      ['/search?r=\\"a\\"', '/search?r=%22a%22'],
      ['/back\\\\slash', '/back%5Cslash'],
      ['/tab\\there', '/tab%09here'],
      ['/你', '/%E4%BD%A0'],
      ['/a b?c=d e', '/a%20b?c=d%20e'],
    ] as const;
    for (const [path, sent] of written) expect(await pathsOf(lines(at(path)))).toEqual([sent]);
    expect(await pathsOf(lines({ method: 'GET', url: '/a\\b' }))).toEqual(['/a%5Cb']);
    expect(await pathsOf('{"request":"GET /\\xC3\\xA9?a=\\x22 HTTP/1.1","status":-}\n')).toEqual(['/%C3%A9?a=%22']);
  });

  it.each([
    ['text', lines(at('/a'), at('/a'))],
    ['JSON', lines({ method: 'GET', url: '/a', status: 200 }, { method: 'GET', url: '/a', status: 200 })],
  ])('of %s is read with Windows line ends, packed, and in UTF-16', async (_, text) => {
    const windows = text.replaceAll('\n', '\r\n');
    const file = fileOf('access.log.gz', '');
    for (const bytes of [
      Buffer.from(windows),
      gzipSync(text),
      Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))]),
      Buffer.from(`\uFEFF${windows}`, 'utf16le'),
      Buffer.from(`\uFEFF${windows}`, 'utf16le').swap16(),
    ]) {
      writeFileSync(file, bytes);
      expect((await imported(file)).requests).toMatchObject([{ path: '/a', weight: 2 }]);
    }
    writeFileSync(file, gzipSync(text).subarray(0, -9));
    await expect(imported(file)).rejects.toThrow('the gzip file is damaged or ends early');
  });

  it.each([
    ['499 of nginx', at('/a', '499 0')],
    ['460 of AWS', at('/a', '460 0')],
    ['0 of Envoy', '[2026-01-31T10:00:00.310Z] "GET /a HTTP/2" 0 DC 0 0 3 - "-" "curl" "-" "shop" "-"'],
    ['a dash of morgan', '\u001b[0mGET /a \u001b[0m-\u001b[0m - ms - -\u001b[0m'],
    [
      '-1 of HAProxy',
      '192.0.2.5:3 [31/Jan/2026:10:00:00.655] in a/b 10/0/30/-1/109 -1 0 - - CD-- 1/1/1/1/0 0/0 "GET /a HTTP/1.1"',
    ],
    ['null in JSON', JSON.stringify({ method: 'GET', path: '/a', response_code: 0 })],
  ])('expects nothing by what no service answered: %s', async (_, line) => {
    const { requests, mix } = await importedText('access.log', lines(line, line));
    expect(requests[0]).not.toHaveProperty('expect');
    expect(mix.requests[0]).toMatchObject({ statuses: [], count: 2 });
  });

  it('takes a pause of more than five minutes for another visit, and says so', async () => {
    const { mix, text } = await importedText(
      'access.log',
      lines(at('/a', '200 1', '10:00:00'), at('/a', '200 1', '10:00:02'), at('/a', '200 1', '10:30:00')),
    );
    expect(mix.pausesMs).toEqual([2000]);
    expect(text).toContain('#   a pause of more than 5 min: it is taken for the end of a visit\n');
  });

  it('has pauses between requests as they came, though a slow one is written after those that came later', async () => {
    const { mix } = await importedText(
      'access.log',
      lines(at('/a', '200 1', '10:00:00'), at('/a', '200 1', '10:00:05'), at('/a', '200 1', '10:00:02')),
    );
    expect(mix.pausesMs).toEqual([2000, 3000]);
  });

  it('has ids of requests by process: by host, by number, and by what stands before the line', async () => {
    const pair = (id: string, url: string, status: number, more: object) => [
      { reqId: id, req: { method: 'GET', url }, ...more },
      { reqId: id, res: { statusCode: status }, ...more },
    ];
    const crossed = (one: (string | object)[], two: (string | object)[]) =>
      lines(one[0] ?? '', two[0] ?? '', two[1] ?? '', one[1] ?? '');
    const named = (prefix: string, all: object[]) => all.map((line) => `${prefix}${JSON.stringify(line)}`);
    for (const text of [
      crossed(pair('1', '/a', 404, { hostname: 'pod-1', pid: 1 }), pair('1', '/b', 200, { hostname: 'pod-2', pid: 1 })),
      crossed(pair('1', '/a', 404, { hostname: 'x', pid: 1 }), pair('1', '/b', 200, { hostname: 'x', pid: 2 })),
      crossed(named('web-1  | ', pair('1', '/a', 404, {})), named('web-2  | ', pair('1', '/b', 200, {}))),
    ]) {
      const { requests } = await importedText('service.log', text);
      expect(requests.map(({ path, expect: statuses }) => [path, statuses])).toEqual([
        ['/a', [404]],
        ['/b', undefined],
      ]);
    }
  });

  it('in JSON with other fields is a mistake that names them, and those that are read', async () => {
    const text = lines({ when: 1, verbosity: 'x', route: '/a', code: 200 });
    expect(await mistakeOf('access.log', text)).toBe(
      'access.log:1:1: no line has a method and a path; the first has when, verbosity, route, code',
    );
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
