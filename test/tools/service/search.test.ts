import { once } from 'node:events';
import { createServer, request as forward, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { askNode, withOpenSearch } from '../../measure/stack/opensearch.ts';
import { calendar, metric, school, type TestService, withServices } from '../../sample/service/harness.ts';
import { needs } from '../../support/needs.ts';

const openSearch = await needs('opensearch');

const search = withOpenSearch(openSearch);
const { start, cleanups } = withServices();
let prefixes = 0;
/** On a machine that is busy with other tests. */
const patience = { timeout: 120_000 };

/** A service whose indices are its own. */
async function startSearching(mode: string, env: Record<string, string> = {}) {
  const prefix = `test${++prefixes}-`;
  const OPENSEARCH_URL = search.node.url;
  const service = await start({ SEARCH_MODE: mode, OPENSEARCH_URL, OPENSEARCH_INDEX_PREFIX: prefix, ...env });
  return { service, prefix, stored: () => storedIn(`${prefix}school`) };
}

/** What the index holds for a search that is made now, by schoolId. */
async function storedIn(index: string): Promise<Record<string, unknown>> {
  const { body } = await askNode(search.node.url, 'GET', `/${index}/_search?size=1000&ignore_unavailable=true`);
  const hits: { _source: { info: string; body: { schoolId: number } } }[] = body.hits.hits;
  return Object.fromEntries(hits.map(({ _source }) => [_source.body.schoolId, JSON.parse(_source.info)]));
}

const failures = (service: TestService, operation: string, kind: string) =>
  metric(service, `search_failures_total{operation="${operation}",kind="${kind}"}`);

async function allFailures(service: TestService): Promise<number> {
  const lines: string[] = (await service.request('GET', '/metrics')).body.split('\n');
  const counts = lines.filter((line) => line.startsWith('search_failures_total{'));
  expect(counts.length).toBeGreaterThan(10);
  return counts.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
}

/** Something between service and node that holds the calls that `holds` names, until it is told to let them pass. */
async function startGate(holds: RegExp) {
  const held: (() => void)[] = [];
  let fail: ((response: ServerResponse) => void) | null = null;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method, headers, url: path } = request;
      const isHeld = holds.test(path ?? '');
      if (isHeld && fail) return fail(response);
      const pass = (): void => {
        const onward = forward(search.node.url + path, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
        onward.end(Buffer.concat(chunks));
      };
      if (isHeld) held.push(pass);
      else pass();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
  };
  cleanups.unshift(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    passAll: () => {
      holds = /^$/;
      for (const pass of held.splice(0)) pass();
    },
    failBy: (how: typeof fail) => {
      fail = how;
    },
    close,
  };
}

const post = (service: TestService, id: number, more: object = {}) =>
  service.request('POST', '/ed-fi/schools', school(id, more));

describe('indexing', openSearch.orSkip, () => {
  it.each(['per-document', 'bulk', 'async'])('%s follows posts, puts and deletes', async (mode) => {
    const { service, prefix, stored } = await startSearching(mode);
    const [one, two] = [await post(service, 1), await post(service, 2)];
    await post(service, 1, { webSite: 'changed by post' });
    const put = school(2, { webSite: 'changed by put' });
    expect((await service.request('PUT', `/ed-fi/schools/${two.body.id}`, put)).status).toBe(204);
    const three = await post(service, 3);
    expect((await service.request('DELETE', `/ed-fi/schools/${three.body.id}`)).status).toBe(204);
    // Only `async` answers before it has been done.
    if (mode === 'async')
      await vi.waitFor(async () => expect(await metric(service, 'search_queue_length')).toBe(0), patience);
    if (mode === 'async') await askNode(search.node.url, 'POST', `/${prefix}school/_refresh`);
    expect(await stored()).toEqual({
      1: { ...school(1, { webSite: 'changed by post' }), id: one.body.id },
      2: { ...put, id: two.body.id },
    });
    expect(await allFailures(service)).toBe(0);
    const { body } = await askNode(search.node.url, 'GET', `/${prefix}school/_settings`);
    const { number_of_shards, number_of_replicas } = body[`${prefix}school`].settings.index;
    expect([number_of_shards, number_of_replicas]).toEqual(['1', '0']);
  });

  it('of a new resource by many writers of two services makes one index and loses nothing', async () => {
    const { service, prefix, stored } = await startSearching('per-document');
    const other = await start({
      SEARCH_MODE: 'bulk',
      OPENSEARCH_URL: search.node.url,
      OPENSEARCH_INDEX_PREFIX: prefix,
    });
    const writes = Array.from({ length: 20 }, (_, id) => post(id % 2 === 0 ? service : other, id + 1));
    expect(new Set((await Promise.all(writes)).map(({ status }) => status))).toEqual(new Set([201]));
    expect(Object.keys(await stored())).toHaveLength(20);
    expect((await allFailures(service)) + (await allFailures(other))).toBe(0);
  });

  it('in bulk sends the writes of the same moment together', async () => {
    const gate = await startGate(/_bulk/);
    const { service, stored } = await startSearching('bulk', { OPENSEARCH_URL: gate.url });
    const first = post(service, 1);
    await vi.waitFor(() => expect(gate.held).toHaveLength(1), patience);
    const others = Array.from({ length: 60 }, (_, id) => post(service, id + 2));
    await vi.waitFor(async () => expect(await metric(service, 'search_queue_length')).toBe(61), patience);
    gate.passAll();
    await Promise.all([first, ...others]);
    expect(Object.keys(await stored())).toHaveLength(61);
    expect(await metric(service, 'search_request_duration_seconds_count{operation="bulk"}')).toBe(2);
  });

  it('async makes writes wait when its queue is full, rather than lose one', async () => {
    const gate = await startGate(/_bulk/);
    const { service, stored } = await startSearching('async', { OPENSEARCH_URL: gate.url, SEARCH_QUEUE_MAX: '2' });
    expect((await post(service, 1)).status).toBe(201);
    expect((await post(service, 2)).status).toBe(201);
    let answered = 0;
    const waiting = [3, 4, 5].map(async (id) => {
      expect((await post(service, id)).status).toBe(201);
      answered++;
    });
    await vi.waitFor(async () => expect(await metric(service, 'search_queue_waiting')).toBe(3), patience);
    expect(await metric(service, 'search_queue_length')).toBe(2);
    expect(answered).toBe(0);
    gate.passAll();
    await Promise.all(waiting);
    await service.stop();
    await askNode(search.node.url, 'POST', '/test*/_refresh');
    expect(Object.keys(await stored())).toHaveLength(5);
  });

  it('async is finished before the service ends', async () => {
    const { service, prefix, stored } = await startSearching('async');
    await Promise.all(Array.from({ length: 100 }, (_, id) => post(service, id + 1)));
    await service.stop();
    await askNode(search.node.url, 'POST', `/${prefix}school/_refresh`);
    expect(Object.keys(await stored())).toHaveLength(100);
  });
});

describe('a failure of OpenSearch', openSearch.orSkip, () => {
  it.each(['per-document', 'bulk'])(
    'to take one document (%s) costs no write, and is counted and logged',
    async (mode) => {
      const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      const { service, stored } = await startSearching(mode);
      // The same line of another service, a moment ago, would hide this one's.
      const rank = `rank${mode.length}`;
      await post(service, 1, { [rank]: 1 });
      const answers = await Promise.all([post(service, 2, { [rank]: 'first' }), post(service, 3, { [rank]: 3 })]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect((await service.request('GET', `/ed-fi/schools/${answers[0].body.id}`)).body[rank]).toBe('first');
      expect(Object.keys(await stored())).toEqual(['1', '3']);
      expect(await failures(service, 'index', 'rejected')).toBe(1);
      expect(await allFailures(service)).toBe(1);
      expect(stderr.mock.calls.map(([line]) => line)).toEqual([
        expect.stringMatching(
          /^pgsweep service: OpenSearch, index \(rejected\): mapper_parsing_exception: failed to parse field \[body\.rank\d+\] of type \[long\]( \(\d+ more warnings were left out\))?\n$/,
        ),
      ]);
      stderr.mockRestore();
    },
  );

  it.each([
    ['answers 429', 'busy', (response: ServerResponse) => response.writeHead(429).end('{}')],
    ['answers 503', 'failed', (response: ServerResponse) => response.writeHead(503).end('{}')],
    ['breaks off', 'unreachable', (response: ServerResponse) => response.destroy()],
  ] as const)('that %s is counted as %s in every mode', async (_, kind, how) => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    for (const mode of ['per-document', 'bulk', 'async']) {
      const gate = await startGate(/_doc|_bulk/);
      gate.failBy(how);
      const { service } = await startSearching(mode, { OPENSEARCH_URL: gate.url });
      const { status, body } = await post(service, 1);
      expect(status).toBe(201);
      expect((await service.request('DELETE', `/ed-fi/schools/${body.id}`)).status).toBe(204);
      await vi.waitFor(async () => expect(await failures(service, 'delete', kind)).toBe(1), patience);
      expect(await failures(service, 'index', kind)).toBe(1);
      expect(await allFailures(service)).toBe(2);
    }
    const gate = await startGate(/_search/);
    gate.failBy(how);
    const { service } = await startSearching('bulk', { OPENSEARCH_URL: gate.url, QUERY_FROM: 'opensearch' });
    const list = await service.request('GET', '/ed-fi/schools');
    expect(list).toMatchObject({ status: 503, body: { error: { code: 'search_unavailable' } } });
    expect([await failures(service, 'search', kind), await allFailures(service)]).toEqual([1, 1]);
    expect(stderr).toHaveBeenCalled();
    stderr.mockRestore();
  });

  it('to make an index leaves none with a replica, and the next write makes it', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const gate = await startGate(/school$/);
    gate.failBy((response) => response.writeHead(500).end('{}'));
    const { service, stored } = await startSearching('bulk', { OPENSEARCH_URL: gate.url });
    expect((await post(service, 1)).status).toBe(201);
    expect(await stored()).toEqual({});
    expect([await failures(service, 'create_index', 'failed'), await failures(service, 'index', 'failed')]).toEqual([
      1, 1,
    ]);
    gate.failBy(null);
    gate.passAll();
    expect((await post(service, 2)).status).toBe(201);
    expect(Object.keys(await stored())).toEqual(['2']);
    stderr.mockRestore();
  });

  it('to answer at the start ends the service with one line, without the password', async () => {
    const env = { SEARCH_MODE: 'bulk', OPENSEARCH_URL: 'http://user:secret@127.0.0.1:1' };
    const error = await start(env).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(
      /^Error: cannot reach OpenSearch at 127\.0\.0\.1:1 \(unreachable: .*ECONNREFUSED.*SEARCH_MODE=off$/,
    );
    expect(String(error)).not.toContain('secret');
  });
});

describe('list queries from OpenSearch', openSearch.orSkip, () => {
  it('find what Postgres finds', async () => {
    const { service } = await startSearching('per-document', { QUERY_FROM: 'opensearch' });
    const fromPostgres = await start({}, service.databaseUrl);
    expect((await service.request('GET', '/ed-fi/schools')).body).toEqual([]);
    for (const id of [1, 2, 12]) {
      const more = {
        isCharter: id === 2,
        address: { city: id === 1 ? 'South Park' : 'South' },
        operationalStatus: `2026-01-0${id % 10}`,
      };
      await post(service, id, more);
      await service.request('POST', '/ed-fi/calendars', calendar(`C${id}`, id));
    }
    const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
    for (const [path, count] of [
      ['/ed-fi/schools', 3],
      ['/ed-fi/schools?schoolId=1', 1],
      ['/ed-fi/schools?schoolId=1&schoolId=12', 2],
      ['/ed-fi/schools?schoolId=1&isCharter=true', 0],
      ['/ed-fi/schools?isCharter=true', 1],
      ['/ed-fi/schools?nameOfInstitution=School', 0],
      ['/ed-fi/schools?nameOfInstitution=School%2012', 1],
      ['/ed-fi/schools?operationalStatus=2026-01-02', 2],
      ['/ed-fi/schools?city=South', 2],
      ['/ed-fi/schools?schoolId=high', 0],
      ['/ed-fi/schools?nothing=1', 0],
      ['/ed-fi/schools?*=1', 0],
      ['/ed-fi/calendars?schoolId=12', 1],
      ['/ed-fi/calendars?schoolYear=2026&calendarCode=C2', 1],
      ['/ed-fi/sessions', 0],
    ] as const) {
      const [found, wanted] = [await service.request('GET', path), await fromPostgres.request('GET', path)];
      expect(found.status, path).toBe(200);
      expect(found.body, path).toHaveLength(count);
      expect(found.body.toSorted(byId), path).toEqual(wanted.body.toSorted(byId));
    }
    const pages = [0, 1, 2, 3].map((offset) => service.request('GET', `/ed-fi/schools?limit=1&offset=${offset}`));
    const ids = (await Promise.all(pages)).map(({ body }) => body.map((each: { schoolId: number }) => each.schoolId));
    expect(ids.map((page) => page.length)).toEqual([1, 1, 1, 0]);
    expect(ids.flat().toSorted((a, b) => a - b)).toEqual([1, 2, 12]);
    expect(await service.request('GET', '/ed-fi/schools?offset=9990')).toMatchObject({
      status: 400,
      body: { error: { parameter: 'offset' } },
    });
    expect(await allFailures(service)).toBe(0);
  });

  it('find what was in the database before, in the body that it has now, and not what was deleted', async () => {
    const loader = await start();
    const answers: Awaited<ReturnType<typeof post>>[] = [];
    // A hundred at a time: the queue of a socket that listens holds 511 connections.
    for (let id = 1; id <= 1100; id += 100) {
      answers.push(...(await Promise.all(Array.from({ length: 100 }, (_, i) => post(loader, id + i)))));
    }
    const { service } = await startSearching('bulk', { QUERY_FROM: 'opensearch', DATABASE_URL: loader.databaseUrl });
    // All at once: each of them finds the index not made yet.
    const [changed, removed, listed] = await Promise.all([
      post(service, 5, { webSite: 'new' }),
      service.request('DELETE', `/ed-fi/schools/${answers[6]?.body.id}`),
      service.request('GET', '/ed-fi/schools?limit=500'),
    ]);
    expect([changed.status, removed.status]).toEqual([200, 204]);
    expect(listed.body).toHaveLength(500);
    expect((await service.request('GET', '/ed-fi/schools?limit=500&offset=1000')).body).toHaveLength(99);
    const found = async (id: number) => (await service.request('GET', `/ed-fi/schools?schoolId=${id}`)).body;
    expect(await found(5)).toEqual([{ ...school(5, { webSite: 'new' }), id: answers[4]?.body.id }]);
    expect(await found(7)).toEqual([]);
    expect(await found(1100)).toEqual([{ ...school(1100), id: answers[1099]?.body.id }]);
    expect(await allFailures(service)).toBe(0);
  });
});
