import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BulkSpec } from '../../../../src/journal/scenario-record.ts';
import { openBulkLoad } from '../../../../src/measure/load/bulk/bulk-load.ts';
import type { BulkLoaded } from '../../../../src/measure/load/bulk/pass.ts';
import { firstRequestOf, requestsOf } from '../../../../src/measure/load/bulk/requests-of.ts';

let folder: string;
let server: Server | null = null;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-own-bulk-'));
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Got {
  readonly line: string;
  readonly body: string;
  readonly type: string | undefined;
  readonly login: string | undefined;
}

/** A service that numbers what it gets, answers at random times, and says of each request how many were answered before. */
async function start(): Promise<{ url: string; got: (Got & { readonly answeredBefore: readonly string[] })[] }> {
  const got: (Got & { readonly answeredBefore: readonly string[] })[] = [];
  const answered: string[] = [];
  server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    const line = `${request.method} ${request.url}`;
    const { 'content-type': type, authorization: login } = request.headers;
    const id = got.push({ line, body, type, login, answeredBefore: [...answered] });
    setTimeout(
      () => {
        answered.push(body);
        response.writeHead(body.includes('refuse') ? 400 : 201).end(JSON.stringify({ id }));
      },
      Number(/after (\d+) ms/.exec(body)?.[1] ?? (id * 7) % 5),
    );
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

async function open(dataset: BulkSpec['dataset'], url: string, token?: string) {
  const job = {
    url,
    ...(token !== undefined && { token }),
    seed: 1,
    timeoutMs: 30_000,
    failuresFile: join(folder, 'failures.jsonl'),
    labels: {},
    spec: { dataset, connections: 6, inFlight: 6, retries: 1, backoffMs: 1, update: false },
  };
  return openBulkLoad(job, await requestsOf(dataset, job));
}

async function load(dataset: BulkSpec['dataset'], url: string, token?: string): Promise<BulkLoaded> {
  const stream = await open(dataset, url, token);
  expect(await stream.turn(Number.POSITIVE_INFINITY)).toMatchObject({ done: true });
  return stream.close();
}

function written(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('a bulk load of a file', () => {
  it('posts each line to the path, byte for byte and once, and keeps the ids that the service gave', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => `{"n": ${n}, "big": 12345678901234567890}`);
    const file = written('bodies.ndjson', `${lines.join('\r\n')}\n\n`);
    const { url, got } = await start();
    const { result, examples } = await load({ kind: 'file', file, path: '/documents' }, url);
    expect(result.bulk).toMatchObject({ documents: 300, loaded: 300, repeats: 0, failed: {} });
    expect(result.bulk.byResource).toEqual({ 'POST /documents': { documents: 300, loaded: 300 } });
    expect(got.map(({ body }) => body).sort()).toEqual([...lines].sort());
    expect(new Set(got.map(({ line, type }) => `${line} ${type}`))).toEqual(
      new Set(['POST /documents application/json']),
    );
    const [first] = examples;
    expect(first?.body).toEqual(JSON.parse(got[Number(first?.id) - 1]?.body ?? ''));
    expect(examples.length).toBeGreaterThanOrEqual(100);
  });

  it('has lost nothing where its turn ends while the last are under way: they are waited for without turns, too', async () => {
    const lines = [100, 100, 100, 100, 400].map((ms) => JSON.stringify(`after ${ms} ms`));
    const { url } = await start();
    const stream = await open(
      { kind: 'file', file: written('last.ndjson', lines.join('\n')), path: '/documents' },
      url,
    );
    expect(await stream.turn(30)).toMatchObject({ idleMs: 0, done: true });
    await stream.close();
  });

  it('sends whole requests, a wave when the one before it is through, refused or not', async () => {
    const wave = (number: number, count: number, method = 'POST') =>
      Array.from({ length: count }, (_, n) =>
        JSON.stringify({
          path: `/w${number}`,
          method,
          name: 'a',
          body: n === 3 ? 'refuse' : `${number}`,
          wave: number,
        }),
      );
    const file = written('waves.ndjson', [...wave(1, 40), ...wave(2, 30, 'PUT'), ...wave(5, 20)].join('\n'));
    const { url, got } = await start();
    const { result } = await load({ kind: 'file', file }, url);
    expect(result.bulk).toMatchObject({ documents: 90, loaded: 87, failed: { 400: 3 } });
    const answersBefore = (path: string): number[] =>
      got.flatMap(({ line, answeredBefore }) => (line.endsWith(path) ? [answeredBefore.length] : []));
    expect(Math.min(...answersBefore('/w2'))).toBe(40);
    expect(Math.min(...answersBefore('/w5'))).toBe(70);
    expect(got.filter(({ line }) => line === 'PUT /w2')).toHaveLength(30);
  });

  it('that begins with a byte order mark sends its lines without it', async () => {
    const bodies = written('marked.ndjson', '\uFEFF{"a": 1}\n{"a": 2}\n');
    const requests = written('marked-requests.ndjson', '\uFEFF{"path": "/b", "body": {"a": 3}}\n');
    const { url, got } = await start();
    await load({ kind: 'file', file: bodies, path: '/a' }, url);
    await load({ kind: 'file', file: requests }, url);
    expect(got.map(({ line, body }) => `${line} ${body}`).sort()).toEqual([
      'POST /a {"a": 1}',
      'POST /a {"a": 2}',
      'POST /b {"a":3}',
    ]);
  });

  it.each([
    ['{"a": 1}\n{"a": ]}\n', '/x', /bad\.ndjson:2:7: expected JSON/],
    ['{"path": "/x"}\n\n{"path": "x"}\n', undefined, /bad\.ndjson:3:1: path: expected a path that begins with \//],
    ['{"path": "/x", "boddy": 1}\n', undefined, /bad\.ndjson:1:1: .*boddy/],
  ])('says where it is wrong: %j', async (text, path, message) => {
    const file = written('bad.ndjson', text);
    const { url } = await start();
    const loading = load({ kind: 'file', file, ...(path !== undefined && { path }) }, url);
    await expect(loading).rejects.toMatchObject({ code: 'dataset', message: expect.stringMatching(message) });
  });
});

describe('a bulk load of a module', () => {
  it('sends what it yields, each after those that it names, with the token', async () => {
    const module = written(
      'import.mjs',
      `export default function* ({ random, token }) {
        for (let n = 0; n < 100; n++) {
          yield { path: '/parents', body: { n }, ids: ['p' + n], headers: { authorization: token } };
          yield { path: '/children?of=' + n, method: 'PUT', body: { of: n, x: random.next() }, after: ['p' + n], name: 'child' };
        }
      }`,
    );
    const { url, got } = await start();
    const { result } = await load({ kind: 'module', module }, url, 'Bearer x');
    expect(result.bulk).toMatchObject({ documents: 200, loaded: 200 });
    expect(result.bulk.byResource).toEqual({
      'POST /parents': { documents: 100, loaded: 100 },
      child: { documents: 100, loaded: 100 },
    });
    for (const { line, body, login, answeredBefore } of got) {
      if (line.startsWith('POST')) expect(login).toBe('Bearer x');
      else expect(answeredBefore).toContain(JSON.stringify({ n: JSON.parse(body).of }));
    }
    const values = got.flatMap(({ body }) => JSON.parse(body).x ?? []);
    expect(new Set(values).size).toBe(100);
  });

  it('gets its options, and says how many will come', async () => {
    const text = `export default function* ({ options, total }) {
      total(options.items);
      for (let n = 0; n < options.items; n++) yield { path: options.path };
    }`;
    const dataset = {
      kind: 'module',
      module: written('options.mjs', text),
      options: { items: 3, path: '/x' },
    } as const;
    const totals: number[] = [];
    const paths: string[] = [];
    const requests = await requestsOf(dataset, { seed: 1 });
    for await (const { path } of requests({ onIndexed: (total) => totals.push(total) })) paths.push(path);
    expect({ totals, paths }).toEqual({ totals: [3], paths: ['/x', '/x', '/x'] });
  });

  it.each([
    ['no-default.mjs', 'export const a = 1;', /no default export that is a function/],
    ['no-list.mjs', 'export default () => 5;', /returned number/],
    ['no-path.mjs', 'export default () => [{ path: "/a" }, { body: 1 }];', /request 2 has no path/],
    ['no-method.mjs', 'export default () => [{ path: "/a", method: "" }];', /request 1 has a method that is none/],
    ['map.mjs', 'export default () => [{ path: "/a", body: new Map() }];', /but Map: write .* \(request 1\)/],
    ['no-module.mjs', 'export default {', /cannot be loaded/],
    ['nothing.mjs', 'export default () => [];', /no requests/],
    ['broken.mjs', 'export default function* () { throw new Error("no items"); }', /broken\.mjs failed: no items/],
  ])('that is none says so: %s', async (name, text, message) => {
    const dataset = { kind: 'module', module: written(name, text) } as const;
    const all = async (): Promise<void> => {
      await firstRequestOf(dataset, { seed: 1 });
      for await (const _ of (await requestsOf(dataset, { seed: 1 }))({ onIndexed: () => {} }));
    };
    await expect(all()).rejects.toMatchObject({ message: expect.stringMatching(message) });
  });
});
