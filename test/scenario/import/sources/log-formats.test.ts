import { describe, expect, it } from 'vitest';
import { importedText } from '../written.ts';

const json = (...all: object[]): string => all.map((one) => `${JSON.stringify(one)}\n`).join('');
/** A request for an item, of which there are two, and its 404. */
const item = { path: '/items/${pick 1 2}?limit=3', weight: 2, expect: [200, 404] };

/** What each writes by its own documentation: the same two requests, and a write. */
const formats: Readonly<Record<string, string>> = {
  'nginx combined': `192.0.2.5 - - [31/Jan/2026:10:00:00 +0000] "GET /items/1?limit=3 HTTP/1.1" 200 31 "-" "curl/8.5.0"
192.0.2.5 - - [31/Jan/2026:10:00:01 +0000] "GET /items/2?limit=3 HTTP/2.0" 404 9 "https://example.com/" "Mozilla/5.0 (X11; \\x22quoted\\x22)"
192.0.2.5 - - [31/Jan/2026:10:00:02 +0000] "POST /items HTTP/1.1" 201 9 "-" "curl/8.5.0"
`,
  'ingress-nginx': `192.0.2.5 - - [31/Jan/2026:10:00:00 +0000] "GET /items/1?limit=3 HTTP/1.1" 200 31 "-" "curl/8.5.0" 96 0.003 [shop-items-80] [] 10.1.2.3:3000 31 0.003 200 0f1e2d3c4b5a69788796a5b4c3d2e1f0
192.0.2.5 - - [31/Jan/2026:10:00:01 +0000] "GET /items/2?limit=3 HTTP/1.1" 404 9 "-" "curl/8.5.0" 96 0.003 [shop-items-80] [] 10.1.2.3:3000, 10.1.2.4:3000 0, 9 0.001, 0.003 502, 404 0f1e2d3c4b5a69788796a5b4c3d2e1f1
192.0.2.5 - - [31/Jan/2026:10:00:02 +0000] "POST /items HTTP/1.1" 201 9 "-" "curl/8.5.0" 96 0.003 [shop-items-80] [] 10.1.2.3:3000 9 0.003 201 0f1e2d3c4b5a69788796a5b4c3d2e1f2
`,
  'nginx in JSON, by fields': json(
    {
      time_iso8601: '2026-01-31T10:00:00+00:00',
      remote_addr: '192.0.2.5',
      request_method: 'GET',
      uri: '/items/1',
      args: 'limit=3',
      status: '200',
      upstream_response_time: '0.003',
    },
    {
      time_iso8601: '2026-01-31T10:00:01+00:00',
      remote_addr: '192.0.2.5',
      request_method: 'GET',
      uri: '/items/2',
      args: 'limit=3',
      status: '404',
      upstream_response_time: '0.001, 0.003',
    },
    { time_iso8601: '2026-01-31T10:00:02+00:00', request_method: 'POST', uri: '/items', args: '', status: '201' },
  ),
  'nginx in what is nearly JSON': `{"time":1769853600.123,"request":"GET /items/1?limit=3 HTTP/1.1","status":200,"upstream_time":-,"agent":"caf\\xC3\\xA9"}
{"time":1769853601.123,"request":"GET /items/2?limit=3 HTTP/1.1","status":404,"upstream_time":0.001,"agent":"\\x22x\\x22"}
{"time":1769853602.123,"request":"POST /items HTTP/1.1","status":201,"upstream_time":0.001,"agent":"x"}
`,
  'Apache with virtual hosts': `shop.example.com:443 192.0.2.5 - alice [31/Jan/2026:10:00:00 +0100] "GET /items/1?limit=3 HTTP/1.1" 200 31 "-" "curl/8.5.0"
shop.example.com:443 192.0.2.5 - - [31/Jan/2026:10:00:01 +0100] "GET /items/2?limit=3 HTTP/1.1" 404 - "-" "say \\"hi\\""
shop.example.com:443 192.0.2.5 - - [31/Jan/2026:10:00:02 +0100] "POST /items HTTP/1.1" 201 9 "-" "-"
`,
  'Apache in JSON': json(
    {
      time: '[31/Jan/2026:10:00:00 +0000]',
      remoteIP: '192.0.2.5',
      method: 'GET',
      path: '/items/1',
      query: '?limit=3',
      status: 200,
    },
    {
      time: '[31/Jan/2026:10:00:01 +0000]',
      remoteIP: '192.0.2.5',
      method: 'GET',
      path: '/items/2',
      query: '?limit=3',
      status: 404,
    },
    {
      time: '[31/Jan/2026:10:00:02 +0000]',
      remoteIP: '192.0.2.5',
      method: 'POST',
      path: '/items',
      query: '',
      status: 201,
    },
  ),
  Caddy: json(
    ...[
      ['GET', '/items/1?limit=3', 200],
      ['GET', '/items/2?limit=3', 404],
      ['POST', '/items', 201],
    ].map(([method, uri, status], at) => ({
      level: 'info',
      ts: 1769853600.1 + at,
      logger: 'http.log.access.log0',
      msg: 'handled request',
      request: {
        remote_ip: '192.0.2.5',
        remote_port: '40000',
        client_ip: '192.0.2.5',
        proto: 'HTTP/2.0',
        method,
        host: 'shop.example.com',
        uri,
        headers: { 'User-Agent': ['curl/8.5.0'], Method: ['PUT'] },
      },
      bytes_read: 0,
      duration: 0.003,
      status,
      resp_headers: { Server: ['Caddy'] },
    })),
  ),
  'Traefik in the common format': `192.0.2.5 - - [31/Jan/2026:10:00:00 +0000] "GET /items/1?limit=3 HTTP/2.0" 200 31 "-" "-" 1 "items@docker" "http://172.18.0.3:3000" 3ms
2001:db8::7 - alice [31/Jan/2026:10:00:01 +0000] "GET /items/2?limit=3 HTTP/2.0" 404 9 "-" "-" 2 "items@docker" "http://172.18.0.3:3000" 1ms
192.0.2.5 - - [31/Jan/2026:10:00:02 +0000] "POST /items HTTP/2.0" 201 9 "-" "-" 3 "items@docker" "http://172.18.0.3:3000" 4ms
`,
  'Traefik in JSON': json(
    ...[
      ['GET', '/items/1?limit=3', 200],
      ['GET', '/items/2?limit=3', 404],
      ['POST', '/items', 201],
    ].map(([method, path, status], at) => ({
      ClientAddr: '192.0.2.5:40000',
      ClientHost: '192.0.2.5',
      ClientPort: '40000',
      ClientUsername: '-',
      DownstreamContentSize: 31,
      DownstreamStatus: status,
      Duration: 3_000_000,
      OriginStatus: status,
      RequestAddr: 'shop.example.com',
      RequestCount: at + 1,
      RequestHost: 'shop.example.com',
      RequestMethod: method,
      RequestPath: path,
      RequestPort: '-',
      RequestProtocol: 'HTTP/1.1',
      RequestScheme: 'http',
      RouterName: 'items@docker',
      StartLocal: `2026-01-31T10:00:0${at}.123456789Z`,
      StartUTC: `2026-01-31T10:00:0${at}.123456789Z`,
      entryPointName: 'web',
      level: 'info',
      msg: '',
      time: `2026-01-31T10:00:0${at}Z`,
    })),
  ),
  Envoy: `[2026-01-31T10:00:00.310Z] "GET /items/1?limit=3 HTTP/2" 200 - 0 31 3 2 "192.0.2.5" "curl/8.5.0" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "shop.example.com" "10.0.2.1:3000"
[2026-01-31T10:00:01.310Z] "GET /items/2?limit=3 HTTP/2" 404 - 0 9 3 2 "192.0.2.5" "curl/8.5.0" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd3" "shop.example.com" "10.0.2.1:3000"
[2026-01-31T10:00:02.310Z] "POST /items HTTP/2" 201 - 12 9 3 2 "192.0.2.5" "curl/8.5.0" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd4" "shop.example.com" "10.0.2.1:3000"
`,
  'Istio in text': `[2026-01-31T10:00:00.409Z] "GET /items/1?limit=3 HTTP/1.1" 200 - via_upstream - "-" 0 31 4 4 "-" "curl/8.5.0" "84961386-6d84-929d-98bd-c5aee93b5c88" "items:3000" "10.44.1.27:3000" outbound|3000||items.shop.svc.cluster.local 10.44.1.23:37652 10.0.45.184:3000 10.44.1.23:46520 - default
[2026-01-31T10:00:01.409Z] "GET /items/2?limit=3 HTTP/1.1" 404 - via_upstream - "-" 0 9 4 4 "-" "curl/8.5.0" "84961386-6d84-929d-98bd-c5aee93b5c89" "items:3000" "10.44.1.27:3000" outbound|3000||items.shop.svc.cluster.local 10.44.1.23:37652 10.0.45.184:3000 10.44.1.23:46520 - default
[2026-01-31T10:00:02.409Z] "POST /items HTTP/1.1" 201 - via_upstream - "-" 12 9 4 4 "-" "curl/8.5.0" "84961386-6d84-929d-98bd-c5aee93b5c90" "items:3000" "10.44.1.27:3000" outbound|3000||items.shop.svc.cluster.local 10.44.1.23:37652 10.0.45.184:3000 10.44.1.23:46520 - default
`,
  'Istio in JSON': json(
    ...[
      ['GET', '/items/1?limit=3', 200],
      ['GET', '/items/2?limit=3', 404],
      ['POST', '/items', 201],
    ].map(([method, path, response_code], at) => ({
      authority: 'items:3000',
      bytes_received: 0,
      bytes_sent: 31,
      connection_termination_details: null,
      downstream_local_address: '10.0.45.184:3000',
      downstream_remote_address: '10.44.1.23:46520',
      duration: 4,
      method,
      path,
      protocol: 'HTTP/1.1',
      request_id: `84961386-6d84-929d-98bd-c5aee93b5c8${at}`,
      requested_server_name: null,
      response_code,
      response_code_details: 'via_upstream',
      response_flags: '-',
      route_name: 'default',
      start_time: `2026-01-31T10:00:0${at}.409Z`,
      upstream_cluster: 'outbound|3000||items.shop.svc.cluster.local',
      upstream_host: '10.44.1.27:3000',
      user_agent: 'curl/8.5.0',
      x_forwarded_for: null,
    })),
  ),
  'a load balancer of Google Cloud': JSON.stringify(
    [
      ['GET', 'items/1?limit=3', 200],
      ['GET', 'items/2?limit=3', 404],
      ['POST', 'items', 201],
    ].map(([requestMethod, path, status], at) => ({
      httpRequest: {
        latency: '0.003s',
        protocol: 'HTTP/2',
        remoteIp: '192.0.2.5',
        requestMethod,
        requestSize: '40',
        requestUrl: `https://shop.example.com/${path}`,
        responseSize: '31',
        serverIp: '10.0.2.1',
        status,
        userAgent: 'curl/8.5.0',
      },
      insertId: `x${at}`,
      jsonPayload: {
        '@type': 'type.googleapis.com/google.cloud.loadbalancing.type.LoadBalancerLogEntry',
        remoteIp: '192.0.2.5',
        statusDetails: 'response_sent_by_backend',
      },
      logName: 'projects/p/logs/requests',
      receiveTimestamp: `2026-01-31T10:00:0${at}.9Z`,
      resource: { labels: { backend_service_name: 'items', url_map_name: 'web' }, type: 'http_load_balancer' },
      severity: 'INFO',
      timestamp: `2026-01-31T10:00:0${at}.1Z`,
    })),
    null,
    2,
  ),
  HAProxy: `Jan 31 10:00:00 lb1 haproxy[14389]: 192.0.2.5:33317 [31/Jan/2026:10:00:00.655] http-in items/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {shop.example.com} {} "GET /items/1?limit=3 HTTP/1.1"
Jan 31 10:00:01 lb1 haproxy[14389]: 192.0.2.5:33317 [31/Jan/2026:10:00:01.655] http-in items/srv1 10/0/30/69/109 404 2750 - - ---- 1/1/1/1/0 0/0 "GET /items/2?limit=3 HTTP/1.1"
Jan 31 10:00:02 lb1 haproxy[14389]: 192.0.2.5:33317 [31/Jan/2026:10:00:02.655] http-in items/srv1 10/0/30/69/109 201 2750 - - ---- 1/1/1/1/0 0/0 "POST /items HTTP/1.1"
Jan 31 10:00:03 lb1 haproxy[14389]: 192.0.2.5:33318 [31/Jan/2026:10:00:03.655] http-in http-in/<NOSRV> -1/-1/-1/-1/4 400 187 - - PR-- 1/1/0/0/0 0/0 "<BADREQ>"
`,
  'a load balancer of AWS': `https 2026-01-31T10:00:00.186641Z app/web/50dc6c495c0c9188 192.0.2.5:2817 10.0.0.1:3000 0.000 0.003 0.000 200 200 34 366 "GET https://shop.example.com:443/items/1?limit=3 HTTP/2.0" "curl/8.5.0" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/items/73e2d6bc24d8a067 "Root=1-58337262-36d228ad5d99923122bbe354" "shop.example.com" "-" 0 2026-01-31T10:00:00.183000Z "forward" "-" "-" "10.0.0.1:3000" "200" "-" "-"
https 2026-01-31T10:00:01.186641Z app/web/50dc6c495c0c9188 192.0.2.5:2817 10.0.0.1:3000 0.000 0.003 0.000 404 404 34 366 "GET https://shop.example.com:443/items/2?limit=3 HTTP/2.0" "curl/8.5.0" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/items/73e2d6bc24d8a067 "Root=1-58337262-36d228ad5d99923122bbe355" "shop.example.com" "-" 0 2026-01-31T10:00:01.183000Z "forward" "-" "-" "10.0.0.1:3000" "404" "-" "-"
https 2026-01-31T10:00:02.186641Z app/web/50dc6c495c0c9188 192.0.2.5:2817 10.0.0.1:3000 0.000 0.003 0.000 201 201 34 366 "POST https://shop.example.com:443/items HTTP/2.0" "curl/8.5.0" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/items/73e2d6bc24d8a067 "Root=1-58337262-36d228ad5d99923122bbe356" "shop.example.com" "-" 0 2026-01-31T10:00:02.183000Z "forward" "-" "-" "10.0.0.1:3000" "201" "-" "-"
`,
  CloudFront: `#Version: 1.0
#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query
2026-01-31\t10:00:00\tFRA2\t400\t192.0.2.5\tGET\td111.cloudfront.net\t/items/1\t200\t-\tcurl/8.5.0\tlimit=3
2026-01-31\t10:00:01\tFRA2\t400\t192.0.2.5\tGET\td111.cloudfront.net\t/items/2\t404\t-\tcurl/8.5.0\tlimit=3
2026-01-31\t10:00:02\tFRA2\t400\t192.0.2.5\tPOST\td111.cloudfront.net\t/items\t201\t-\tcurl/8.5.0\t-
`,
  'pino-http': json(
    ...[
      ['GET', '/items/1?limit=3', 200],
      ['GET', '/items/2?limit=3', 404],
      ['POST', '/items', 201],
    ].map(([method, url, statusCode], at) => ({
      level: 30,
      time: 1769853600000 + 1000 * at,
      pid: 7,
      hostname: 'web-1',
      req: {
        id: at + 1,
        method,
        url,
        query: { limit: '3' },
        params: {},
        headers: { host: 'shop.example.com', cookie: 'sid=hidden' },
        remoteAddress: '::ffff:192.0.2.5',
        remotePort: 40000,
      },
      res: { statusCode, headers: { 'content-type': 'application/json' } },
      responseTime: 3,
      msg: 'request completed',
    })),
  ),
  // The second service answers first.
  'Fastify in docker compose': [
    ['web-1', { reqId: 'req-1', req: { method: 'GET', url: '/items/1?limit=3', host: 'shop' } }],
    ['web-2', { reqId: 'req-1', req: { method: 'GET', url: '/items/2?limit=3', host: 'shop' } }],
    ['web-2', { reqId: 'req-1', res: { statusCode: 404 }, responseTime: 3 }],
    ['web-1', { reqId: 'req-1', res: { statusCode: 200 }, responseTime: 9 }],
    ['web-1', { reqId: 'req-2', req: { method: 'POST', url: '/items', host: 'shop' } }],
    ['web-1', { reqId: 'req-2', res: { statusCode: 201 }, responseTime: 3 }],
  ]
    .map(([process, line], place) => {
      const common = { level: 30, time: 1769853600000 + place, pid: 1 };
      return `${process}  | ${JSON.stringify({ ...common, ...(line as object) })}\n`;
    })
    .join(''),
  'morgan dev on a terminal': `\u001b[0mGET /items/1?limit=3 \u001b[32m200\u001b[0m 3.214 ms - 31\u001b[0m
\u001b[0mGET /items/2?limit=3 \u001b[33m404\u001b[0m 1.002 ms - 9\u001b[0m
\u001b[0mPOST /items \u001b[32m201\u001b[0m 4.020 ms - 9\u001b[0m
`,
  'morgan tiny': `GET /items/1?limit=3 200 31 - 3.214 ms
GET /items/2?limit=3 404 9 - 1.002 ms
POST /items 201 9 - 4.020 ms
`,
  'morgan short': `::1 - GET /items/1?limit=3 HTTP/1.1 200 31 - 3.214 ms
::ffff:192.0.2.5 - GET /items/2?limit=3 HTTP/1.1 404 9 - 1.002 ms
::1 - POST /items HTTP/1.1 201 9 - 4.020 ms
`,
  'express-winston': json(
    ...[
      ['GET', '/items/1?limit=3', 200],
      ['GET', '/items/2?limit=3', 404],
      ['POST', '/items', 201],
    ].map(([method, url, statusCode]) => ({
      level: 'info',
      message: `HTTP ${method} ${url}`,
      meta: {
        req: { headers: {}, httpVersion: '1.1', method, originalUrl: url, query: {}, url },
        res: { statusCode },
        responseTime: 3,
      },
    })),
  ),
  'Elastic Common Schema': json(
    ...[
      ['GET', '/items/1', 'limit=3', 200],
      ['GET', '/items/2', 'limit=3', 404],
      ['POST', '/items', undefined, 201],
    ].map(([method, path, query, status_code], at) => ({
      '@timestamp': `2026-01-31T10:00:0${at}.000Z`,
      'log.level': 'info',
      client: { ip: '192.0.2.5' },
      http: { request: { method }, response: { status_code } },
      url: { path, query },
    })),
  ),
  'Docker json-file': json(
    {
      log: '192.0.2.5 - - [31/Jan/2026:10:00:00 +0000] "GET /items/1?limit=3 HTTP/1.1" 200 31 "-" "-"\n',
      stream: 'stdout',
      time: '2026-01-31T10:00:00.1Z',
    },
    {
      log: '192.0.2.5 - - [31/Jan/2026:10:00:01 +0000] "GET /items/2?limit=3 HTTP/1.1" 404 31 "-" "-"\n',
      stream: 'stdout',
      time: '2026-01-31T10:00:01.1Z',
    },
    { log: 'listening on 3000\n', stream: 'stdout', time: '2026-01-31T10:00:01.2Z' },
    {
      log: '192.0.2.5 - - [31/Jan/2026:10:00:02 +0000] "POST /items HTTP/1.1" 201 31 "-" "-"\n',
      stream: 'stdout',
      time: '2026-01-31T10:00:02.1Z',
    },
  ),
  'containerd, of nginx': `2026-01-31T10:00:00.123456789Z stdout F 192.0.2.5 - - [31/Jan/2026:10:00:00 +0000] "GET /items/1?limit=3 HTTP/1.1" 200 31 "-" "-"
2026-01-31T10:00:01.123456789Z stdout F 192.0.2.5 - - [31/Jan/2026:10:00:01 +0000] "GET /items/2?limit=3 HTTP/1.1" 404 31 "-" "-"
2026-01-31T10:00:02.123456789Z stdout F 192.0.2.5 - - [31/Jan/2026:10:00:02 +0000] "POST /items HTTP/1.1" 201 31 "-" "-"
`,
  'kubectl logs --prefix, of pino': [
    ['GET', '/items/1?limit=3', 200],
    ['GET', '/items/2?limit=3', 404],
    ['POST', '/items', 201],
  ]
    .map(
      ([method, url, statusCode]) =>
        `[pod/items-6d8f/web] ${JSON.stringify({ level: 30, time: 1769853600000, req: { method, url }, res: { statusCode } })}\n`,
    )
    .join(''),
};

describe('a log as it is written by', () => {
  it.each(Object.entries(formats))('%s', async (_, text) => {
    const { requests, mix } = await importedText('access.log', text);
    expect(requests).toMatchObject([item]);
    expect(mix.leftOut).toContainEqual({
      what: 'POST /items',
      why: 'an access log has no bodies: write this one by hand',
    });
  });
});
