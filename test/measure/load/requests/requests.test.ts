import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { type BuiltInWorkload, builtInWorkloads, workloadModule } from '../../../../src/journal/sample.ts';
import type { RequestSpec } from '../../../../src/journal/scenario-record.ts';
import { moduleWorkload } from '../../../../src/measure/load/module-workload.ts';
import { declaredRequests } from '../../../../src/measure/load/requests/declared-requests.ts';
import type { WorkloadContext } from '../../../../src/measure/load/workload-module.ts';
import { requestSpec as spec } from '../../../fixtures/request-spec.ts';

function context(seed = 1): WorkloadContext {
  let next = 1000;
  const schools = [1, 2, 3].map((schoolId) => ({
    id: `id-${schoolId}`,
    resource: 'schools',
    body: { schoolId, nameOfInstitution: 'x' },
  }));
  return {
    random: createRandom(seed),
    unique: () => next++,
    documents: [...schools, { id: 'c', resource: 'calendars', body: {} }],
    options: {},
  };
}

function documentWorkload(workload: BuiltInWorkload, given: WorkloadContext) {
  const { module, options } = workloadModule(workload);
  return moduleWorkload(module, { ...given, options });
}

describe('the workloads on a loaded data set', () => {
  const documents = [1, 2].flatMap((schoolId) => [
    { id: `s${schoolId}`, resource: 'schools', body: { schoolId, nameOfInstitution: 'x' } },
    {
      id: `c${schoolId}`,
      resource: 'calendars',
      body: { calendarCode: 'a', schoolReference: { schoolId }, schoolYearTypeReference: { schoolYear: 2026 } },
    },
  ]);
  const drawn = async (workload: BuiltInWorkload) => {
    const source = await documentWorkload(workload, { ...context(), documents });
    const paths = Array.from({ length: 200 }, () => source.next()).map(({ method, path }) => `${method} ${path}`);
    return { source, paths: [...new Set(paths)].sort() };
  };

  it('get any document', async () => {
    expect((await drawn('get-documents')).paths).toEqual([
      'GET /ed-fi/calendars/c1',
      'GET /ed-fi/calendars/c2',
      'GET /ed-fi/schools/s1',
      'GET /ed-fi/schools/s2',
    ]);
  });

  it('list what refers to a document', async () => {
    expect((await drawn('list-by-reference')).paths).toEqual([
      'GET /ed-fi/calendars?referencing=s1&limit=25',
      'GET /ed-fi/calendars?referencing=s2&limit=25',
    ]);
  });

  it('try to delete what others refer to, and expect to be refused', async () => {
    const { source, paths } = await drawn('delete-referenced');
    expect(paths).toEqual(['DELETE /ed-fi/schools/s1', 'DELETE /ed-fi/schools/s2']);
    expect(source.expected).toEqual([[409]]);
  });

  it('say so where nothing can serve them', async () => {
    const only = { ...context(), documents: documents.slice(0, 1) };
    await expect(documentWorkload('list-by-reference', only)).rejects.toMatchObject({
      code: 'dataset',
      message: expect.stringMatching(/^no loaded document can serve/),
    });
  });
});

describe('declared requests', () => {
  it('fill in placeholders anew for each request', () => {
    const source = declaredRequests(
      [
        spec({
          method: 'POST',
          path: '/a/${unique}',
          headers: { 'x-id': '${uuid}' },
          body: { id: '${unique}', n: ['${integer 5 5}'], c: '${pick red}', t: 'no ${unique} number', 'k $${x}': 1 },
        }),
      ],
      context(),
    );
    const first = source.next();
    expect(first).toMatchObject({ method: 'POST', path: '/a/1000', name: 0 });
    expect(JSON.parse(first.body ?? '')).toEqual({ id: 1001, n: [5], c: 'red', t: 'no 1002 number', 'k ${x}': 1 });
    expect(first.headers?.['content-type']).toBe('application/json');
    expect(first.headers?.['x-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(source.next().path).toBe('/a/1003');
    expect(source.fixed).toBeUndefined();
  });

  it('have the type of their body, unless they name one', () => {
    const typeOf = (body: RequestSpec['body'], headers = {}) =>
      declaredRequests([spec({ method: 'POST', ...(body !== undefined && { body }), headers })], context()).next()
        .headers;
    const json = { 'content-type': 'application/json' };
    for (const body of [{ a: 1 }, [1], 5, null, '{"a":1}', ' [1]', '{"id": ${unique}}'])
      expect(typeOf(body)).toEqual(json);
    for (const body of ['text', 'a=1&b=2', '']) expect(typeOf(body)).toEqual({});
    expect(typeOf(undefined)).toEqual({});
    expect(typeOf('{"a":1}', { 'Content-Type': 'text/plain' })).toEqual({ 'Content-Type': 'text/plain' });
  });

  it('are built once where nothing changes', () => {
    expect(declaredRequests([spec({ path: '/a', method: 'POST', body: 'text' })], context()).fixed).toMatchObject({
      path: '/a',
      body: 'text',
      headers: {},
    });
  });

  it('are drawn by weight', () => {
    const source = declaredRequests([spec({ path: '/a', weight: 1 }), spec({ path: '/b', weight: 3 })], context());
    const drawn = Array.from({ length: 4000 }, () => source.next().name);
    // Binomial with p = 1/4: five standard deviations are 137.
    expect(Math.abs(drawn.filter((name) => name === 0).length - 1000)).toBeLessThan(137);
  });

  it('are the same for the same seed', () => {
    const paths = (seed: number) => {
      const source = declaredRequests([spec({ path: '/${integer 1 1000000}' })], context(seed));
      return Array.from({ length: 5 }, () => source.next().path);
    };
    expect(paths(1)).toEqual(paths(1));
    expect(paths(1)).not.toEqual(paths(2));
  });

  it('a literal placeholder is written with two dollars', () => {
    expect(declaredRequests([spec({ path: '/$${unique}' })], context()).next().path).toBe('/${unique}');
  });
});

describe('the workloads for the document service', () => {
  it('are all known to its module', async () => {
    const all = builtInWorkloads.map((workload) => documentWorkload(workload, { ...context(), documents: [] }));
    const why = (await Promise.allSettled(all)).map((one) => (one.status === 'rejected' ? String(one.reason) : ''));
    for (const reason of why) expect(reason).toMatch(/needs schools|no loaded document/);
  });

  it('upsert-schools inserts and updates in equal parts, told apart by name', async () => {
    const source = await documentWorkload('upsert-schools', context());
    expect(source.names).toEqual(['insert school', 'update school']);
    const requests = Array.from({ length: 2000 }, () => source.next());
    const inserts = requests.filter(({ name }) => source.names[name] === 'insert school');
    const ids = inserts.map(({ body }) => JSON.parse(body ?? '').schoolId);
    expect(new Set(ids).size).toBe(inserts.length);
    expect(Math.min(...ids)).toBeGreaterThanOrEqual(1000);
    expect(Math.abs(inserts.length - 1000)).toBeLessThan(112);
    const updates = requests.filter(({ name }) => source.names[name] === 'update school');
    const updated = updates.map(({ body }) => JSON.parse(body ?? '').schoolId);
    expect(new Set(updated.slice(0, 3))).toEqual(new Set([1, 2, 3]));
    // Then those that were inserted before, in turn: no school comes again soon, so that updates do not meet.
    expect(updated.every((id) => id <= 3 || ids.includes(id))).toBe(true);
    for (let i = 400; i < updated.length; i++) expect(updated.slice(i - 40, i)).not.toContain(updated[i]);
  });

  it('get-schools reads them by id', async () => {
    expect((await documentWorkload('get-schools', context())).next()).toMatchObject({
      method: 'GET',
      path: expect.stringMatching(/^\/ed-fi\/schools\/id-[123]$/),
    });
  });

  it('need schools', async () => {
    await expect(documentWorkload('get-schools', { ...context(), documents: [] })).rejects.toThrow(
      'needs schools, and the data set has none',
    );
  });
});

describe('a path that HTTP does not allow', () => {
  it.each([
    ['/café?q=a b', '/caf%C3%A9?q=a%20b'],
    ['/caf%C3%A9', '/caf%C3%A9'],
    ['/${pick münchen köln}/${unique}', /^\/(m%C3%BCnchen|k%C3%B6ln)\/1000$/],
    ['/\uD800', '/%EF%BF%BD'],
  ])('%s is encoded', (path, sent) => {
    const { path: encoded } = declaredRequests([spec({ path })], context()).next();
    expect(encoded).toEqual(typeof sent === 'string' ? sent : expect.stringMatching(sent));
  });

  it('is encoded where a module made it', async () => {
    const file = `${import.meta.dirname}/../../../fixtures/raw-path.mjs`;
    expect((await moduleWorkload(file, context())).next().path).toBe('/caf%C3%A9');
  });
});

describe('a module of the user', () => {
  let files = 0;
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pgsweep-module-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('makes the requests', async () => {
    const source = await moduleWorkload(`${import.meta.dirname}/../../../fixtures/workload.mjs`, context());
    expect(source.next()).toEqual({ method: 'GET', path: '/items/1000?x=1', headers: {}, name: 0 });
    expect(source.next()).toMatchObject({
      method: 'POST',
      body: '{"id":1001}',
      headers: { 'content-type': 'application/json' },
      name: 1,
    });
    source.next();
    expect(source.names).toEqual(['GET /items/1000', 'create', 'GET /items/1002']);
  });

  const written = async (text: string, options = {}) => {
    const file = join(folder, `${files++}.mjs`);
    writeFileSync(file, text);
    return moduleWorkload(file, { ...context(), options });
  };

  it('gets its options, names its kinds in their order, and says which statuses are no failure', async () => {
    const source = await written(
      `export default ({ options }) => Object.assign(() => ({ path: options.path, name: 'b', expect: [404] }), { names: ['a', 'b'] });`,
      { path: '/x' },
    );
    expect(source.next()).toMatchObject({ path: '/x', name: 1 });
    expect(source.names).toEqual(['a', 'b']);
    expect(source.expected).toEqual([undefined, [404]]);
  });

  it('keeps what each request expects, where many share the name "other"', async () => {
    const source = await written(
      `export default () => { let sent = 0; return () => (++sent % 3 === 0 ? { method: 'DELETE', path: '/' + sent, expect: [204] } : { path: '/' + sent }); };`,
    );
    const drawn = Array.from({ length: 300 }, () => source.next());
    for (const { method, name } of drawn)
      expect(source.expected?.[name]).toEqual(method === 'DELETE' ? [204] : undefined);
    expect(new Set(source.names).size).toBe(50);
    expect(new Set(drawn.slice(50).map(({ name }) => source.names[name]))).toEqual(new Set(['other']));
  });

  it('keeps what a request expects, where an earlier one of its name expects nothing', async () => {
    const source = await written(
      `export default () => { let sent = 0; return () => (++sent % 2 ? { path: '/' } : { path: '/', expect: [404] }); };`,
    );
    const expected = Array.from({ length: 4 }, () => source.expected?.[source.next().name]);
    expect(expected).toEqual([undefined, [404], undefined, [404]]);
    expect(new Set(source.names)).toEqual(new Set(['GET /']));
  });

  it.each([
    ['dataset', 'no items', "Object.assign(new Error('no items'), { hint: 'Load some.' })"],
    ['load', 'failed: no items', "new Error('no items')"],
  ])('that throws is an error of the user (%s): in its own words where it has a hint', async (code, message, error) => {
    const error_ = { code, message: expect.stringContaining(message) };
    await expect(written(`export default () => { throw ${error}; };`)).rejects.toMatchObject(error_);
    const source = await written(`export default () => () => { throw ${error}; };`);
    expect(() => source.next()).toThrow(expect.objectContaining(error_));
  });

  it.each([
    ['undefined', 'it returned undefined, not a request'],
    ['[]', 'it returned a list, not a request'],
    ["Promise.resolve({ path: '/' })", 'it returned a promise'],
    ["({ url: '/' })", 'its request has no path'],
    ["({ path: '/', method: 'GE T' })", 'the method of its request is none: "GE T"'],
    ["({ path: '/', method: 5 })", 'the method of its request is none: 5'],
    ["({ path: 'items' })", 'the path of its request does not begin with /: "items"'],
    ["({ path: '/', expect: 200 })", 'expect of its request is no list of statuses'],
    ["({ path: '/', expect: ['200'] })", 'expect of its request is no list of statuses'],
    ["({ path: '/', name: 5 })", 'the name of its request is no text but a number'],
    ["({ path: '/', name: Symbol('x') })", 'the name of its request is no text but a symbol'],
    ["({ path: '/', headers: new Headers({ a: 'b' }) })", 'but Headers: write Object.fromEntries(headers)'],
    ["({ path: '/', headers: [['a', 'b']] })", 'headers of its request is no object with texts, but Array'],
    ["({ path: '/', headers: null })", 'headers of its request is no object with texts, but Null'],
    ["({ path: '/', headers: Object.create({ a: 'b' }) })", 'the header a of its request is inherited'],
    ["({ path: '/', headers: { a: undefined } })", 'the header a of its request is no text, but Undefined'],
    [
      "({ path: '/', body: new URLSearchParams({ a: 1 }) })",
      'neither text nor JSON, but URLSearchParams: write String(params)',
    ],
    ["({ path: '/', body: Buffer.from('abc') })", 'neither text nor JSON, but Uint8Array: write its text'],
    ["({ path: '/', body: new ArrayBuffer(3) })", 'neither text nor JSON, but ArrayBuffer: write its text'],
    ["({ path: '/', body: new Map([[1, 2]]) })", 'neither text nor JSON, but Map: write Object.fromEntries(map)'],
    ["({ path: '/', body: new Set([1]) })", 'neither text nor JSON, but Set: write [...set]'],
    ["({ path: '/', body: new FormData() })", 'neither text nor JSON, but FormData: write a text'],
    ["({ path: '/', body: 1n })", 'neither text nor JSON, but BigInt: write a text'],
    ["({ path: '/', body: () => 1 })", 'neither text nor JSON, but Function: call it'],
    [
      "({ path: '/', body: Promise.resolve(1) })",
      'neither text nor JSON, but Promise: a request is made without waiting',
    ],
  ])('that returns %s names its file and the mistake', async (returned, message) => {
    const source = await written(`export default () => () => ${returned};`);
    const named = expect.stringMatching(/^the module .*\.mjs cannot be used: /);
    expect(() => source.next()).toThrow(expect.objectContaining({ code: 'load', message: named }));
    expect(() => source.next()).toThrow(message);
  });

  it.each([
    ['{ a: 5 }', "'text'", 'text'],
    ['Object.create(null)', '[1, { a: null }]', '[1,{"a":null}]'],
    ['undefined', 'new Date(0)', '"1970-01-01T00:00:00.000Z"'],
    ['undefined', 'new (class { a = 1 })()', '{"a":1}'],
    ["new (class { a = 'b' })()", 'null', 'null'],
    ['{}', 'null', 'null'],
  ])('may have headers %s and the body %s', async (headers, body, sent) => {
    const source = await written(`export default () => () => ({ path: '/', headers: ${headers}, body: ${body} });`);
    expect(source.next().body).toBe(sent);
  });

  it('whose names are no texts names the mistake', async () => {
    const made = written("export default () => Object.assign(() => ({ path: '/' }), { names: [5] });");
    await expect(made).rejects.toThrow('names of its function is no list of texts');
  });

  it('may write a method in lower case', async () => {
    const source = await written("export default () => () => ({ method: 'post', path: '/a', body: {} });");
    expect(source.next()).toMatchObject({ method: 'POST', path: '/a' });
    expect(source.names).toEqual(['POST /a']);
  });

  it('that cannot be used is a clear error', async () => {
    await expect(moduleWorkload(`${import.meta.dirname}/../../../fixtures/nothing.mjs`, context())).rejects.toThrow(
      'cannot be loaded',
    );
    await expect(moduleWorkload(`${import.meta.dirname}/../../../fixtures/no-default.mjs`, context())).rejects.toThrow(
      'no default export',
    );
  });
});
