import { describe, expect, it } from 'vitest';
import { importedText } from '../written.ts';

/** An entry as all tools have it: a page asks for two items and makes one. */
interface Exchange {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body?: string;
}

const exchanges: readonly Exchange[] = [
  { at: 0, method: 'GET', path: '/items/1?limit=3', status: 200 },
  { at: 100, method: 'GET', path: '/items/2?limit=3', status: 404 },
  { at: 200, method: 'POST', path: '/items', status: 201, body: '{"name":"a"}' },
];

const json = 'application/json';
const time = (at: number, written: string): string =>
  new Date(Date.UTC(2026, 0, 31, 10) + at).toISOString().replace('Z', written);
const query = (path: string): object[] =>
  [...new URL(path, 'http://x').searchParams].map(([name, value]) => ({ name, value }));

/** HAR 1.2 as its text has it. */
function plain({ at, method, path, status, body }: Exchange) {
  return {
    startedDateTime: time(at, 'Z'),
    time: 12.5,
    request: {
      method,
      url: `https://shop.example.com${path}`,
      httpVersion: 'HTTP/1.1',
      headers: [{ name: 'Accept', value: json }],
      queryString: query(path),
      cookies: [] as object[],
      headersSize: -1,
      bodySize: body?.length ?? 0,
      ...(body !== undefined && { postData: { mimeType: json, text: body } as object }),
    },
    response: {
      status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      headers: [{ name: 'Content-Type', value: json }],
      cookies: [] as object[],
      content: { size: 2, mimeType: json, text: '{}' } as object,
      redirectURL: '',
      headersSize: -1,
      bodySize: 2,
    },
    cache: {},
    timings: { send: 0, wait: 12, receive: 0.5 } as object,
  };
}

type Plain = ReturnType<typeof plain>;

/** How each writes it otherwise. */
const writers: Readonly<Record<string, (entry: Plain, exchange: Exchange) => object>> = {
  'Chrome, HTTP/2': (entry, { method, path }) => ({
    _connectionId: '123',
    _initiator: { type: 'script', stack: { callFrames: [] } },
    _priority: 'High',
    _resourceType: 'fetch',
    ...entry,
    pageref: 'page_1',
    request: {
      ...entry.request,
      httpVersion: 'http/2.0',
      headers: [
        { name: ':authority', value: 'shop.example.com' },
        { name: ':method', value: method },
        { name: ':path', value: path },
        { name: ':scheme', value: 'https' },
        { name: 'accept', value: json },
        { name: 'sec-ch-ua', value: '"Chromium";v="140"' },
      ],
    },
    response: { ...entry.response, _transferSize: 90, _error: null, _fetchedViaServiceWorker: false },
    serverIPAddress: '192.0.2.1',
    timings: { blocked: 1.2, dns: -1, ssl: -1, connect: -1, send: 0.1, wait: 10, receive: 1, _blocked_queueing: 0.9 },
  }),
  'Firefox, with its zone of time': (entry, { at, body }) => ({
    ...entry,
    startedDateTime: time(at, '+00:00'),
    request: { ...entry.request, ...(body !== undefined && { postData: { mimeType: json, params: [], text: body } }) },
    response: { ...entry.response, content: { mimeType: json, size: 2, text: '{}' } },
    _securityState: 'secure',
    serverIPAddress: '192.0.2.1',
    connection: '443',
  }),
  'Safari, without sizes of bodies': (entry) => ({
    ...entry,
    time: 12.50004768371582,
    request: { ...entry.request, bodySize: undefined, httpVersion: 'HTTP/2' },
    response: {
      ...entry.response,
      _transferSize: null,
      content: { size: 2, compression: 0, mimeType: json, text: '{}' },
    },
    _fetchType: 'Network Load',
    _priority: 'high',
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: 12, receive: 0 },
  }),
  'Insomnia, without a port of time': (entry) => ({
    ...entry,
    request: {
      ...entry.request,
      postData: entry.request.postData ?? { mimeType: '', text: '' },
      settingEncodeUrl: true,
    },
    response: { ...entry.response, content: { size: 2, mimeType: 'application/json; charset=utf-8', text: '{}' } },
    timings: { blocked: -1, dns: -1, connect: -1, send: 0, wait: 12.5, receive: 0, ssl: -1 },
  }),
  'Charles, with bodies in base64': (entry) => ({
    ...entry,
    time: 12,
    response: { ...entry.response, content: { size: 2, mimeType: json, text: 'e30=', encoding: 'base64' } },
    serverIPAddress: '192.0.2.1',
    connection: 'Connection #3',
  }),
  'Playwright, with bodies beside it': (entry) => ({
    ...entry,
    _frameref: 'frame@1',
    time: -1,
    response: { ...entry.response, content: { size: 2, mimeType: json, _file: '44136fa.json' }, _failureText: null },
  }),
  'mitmproxy, with null': (entry, { body }) => ({
    ...entry,
    request: {
      ...entry.request,
      ...(body !== undefined && { postData: { mimeType: json, text: body, params: null } }),
    },
    response: { ...entry.response, content: { size: 2, compression: 0, mimeType: json, text: '{}', encoding: null } },
    connection: null,
  }),
  'Fiddler, with its comments': (entry, { at }) => ({
    ...entry,
    startedDateTime: new Date(Date.UTC(2026, 0, 31, 10) + at).toISOString().replace('Z', '0000+00:00'),
    comment: '[#12]',
    request: { ...entry.request, cookies: [{ name: 'lang', value: 'en' }] },
    connection: 'ClientPort:50123;EgressPort:50124',
  }),
  'Proxyman, with an id': (entry) => ({ ...entry, _id: '12', _name: '', _isHTTPS: true, comment: null }),
  'Cypress, without headers of answers': (entry) => ({
    ...entry,
    response: { ...entry.response, headers: null, cookies: null, content: { size: 0, mimeType: 'x-unknown' } },
  }),
  'k6 studio and other recorders without times': (entry) => ({
    request: entry.request,
    response: { status: entry.response.status, headers: [], content: {} },
  }),
};

describe('a HAR as it is written by', () => {
  it.each(Object.entries(writers))('%s', async (_, written) => {
    const entries = exchanges.map((exchange) => written(plain(exchange), exchange));
    const log = {
      version: '1.2',
      creator: { name: 'x', version: '1' },
      browser: null,
      pages: [],
      entries,
      comment: '',
    };
    const { requests, mix } = await importedText('capture.har', JSON.stringify({ log }));
    expect(mix.leftOut).toEqual([]);
    expect(requests).toMatchObject([
      { path: '/items/${pick 1 2}?limit=3', weight: 2, expect: [200, 404], headers: { accept: json } },
      { path: '/items', method: 'POST', body: { name: 'a' }, weight: 1 },
    ]);
  });
});
