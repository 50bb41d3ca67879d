import { describe, expect, it } from 'vitest';
import { imported, importedText, mistakeOf } from '../written.ts';

const described = (more: object): string =>
  JSON.stringify({ openapi: '3.1.0', info: { title: 't', version: '1' }, ...more });
const ok = { responses: { 200: { description: 'ok' } } };

describe('an OpenAPI description', () => {
  it('becomes a request for every operation, with bodies by their schemas', async () => {
    const { requests, text } = await imported('docs/examples/captures/openapi.yaml');
    expect(requests).toEqual([
      { name: 'listItems', method: 'GET', path: '/items?limit=10', headers: {}, weight: 1 },
      {
        name: 'createItem',
        method: 'POST',
        path: '/items',
        headers: { authorization: 'Bearer secret-value' },
        body: { id: '${unique}', name: 'name ${integer 1 1000}', colour: '${pick red green blue}' },
        weight: 1,
      },
    ]);
    expect(text).toContain('#   API_TOKEN\n');
  });

  it('of Swagger 2.0 with its base path, parameters and forms', async () => {
    const { requests } = await importedText(
      'swagger.json',
      JSON.stringify({
        swagger: '2.0',
        info: { title: 't', version: '1' },
        basePath: '/v1',
        paths: {
          '/items/{id}': {
            parameters: [{ name: 'id', in: 'path', required: true, type: 'integer', maximum: 9 }],
            get: ok,
          },
          '/items': {
            post: { ...ok, parameters: [{ name: 'body', in: 'body', schema: { $ref: '#/definitions/Item' } }] },
            put: {
              ...ok,
              parameters: [{ name: 'name', in: 'formData', type: 'string', required: true }],
              consumes: ['application/x-www-form-urlencoded'],
            },
          },
        },
        definitions: {
          Item: {
            type: 'object',
            properties: { id: { type: 'string', format: 'uuid' }, readable: { type: 'string', readOnly: true } },
          },
        },
      }),
    );
    expect(requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', '/v1/items/${integer 1 9}', undefined],
      ['POST', '/v1/items', { id: '${uuid}' }],
      ['PUT', '/v1/items', 'name=name%20${integer 1 1000}'],
    ]);
  });

  it('keeps what a description shows, and encodes what stands in an address', async () => {
    const { requests } = await importedText(
      'api.json',
      described({
        paths: {
          '/a/{kind}': {
            post: {
              ...ok,
              parameters: [
                { name: 'kind', in: 'path', required: true, schema: { enum: ['a b', 'c'] } },
                { name: 'q', in: 'query', required: true, schema: { type: 'string' } },
                { name: 'other', in: 'query', schema: { type: 'string' } },
                { name: 'x-tenant', in: 'header', required: true, example: '${t}', schema: { type: 'string' } },
              ],
              requestBody: { content: { 'application/json': { example: { text: 'costs ${x}', '${k}': 1 } } } },
            },
          },
        },
      }),
    );
    expect(requests[0]).toMatchObject({
      path: '/a/a%20b?q=q%20${integer 1 1000}',
      headers: { 'x-tenant': '$${t}' },
      body: { text: 'costs $${x}', '$${k}': 1 },
    });
  });

  it('follows no $ref to other files, and ends with schemas that hold themselves', async () => {
    const node = { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Node' } } };
    const body = (schema: object): object => ({ ...ok, requestBody: { content: { 'application/json': { schema } } } });
    const { requests, mix } = await importedText(
      'api.json',
      described({
        paths: {
          '/node': { post: body({ $ref: '#/components/schemas/Node' }) },
          '/passwd': { get: { ...ok, parameters: [{ $ref: 'file:///etc/passwd' }] } },
          '/old': { get: { ...ok, deprecated: true } },
          '/elsewhere': { post: body({ $ref: './other.yaml#/Item' }) },
          '/file': { post: { ...ok, requestBody: { content: { 'image/png': {} } } } },
        },
        components: { schemas: { Node: node } },
      }),
    );
    expect(requests.map(({ path }) => path)).toEqual(['/node']);
    expect(JSON.stringify(requests[0]?.body).length).toBeLessThan(1000);
    expect(mix.leftOut.map(({ what, why }) => ({ what, why }))).toEqual([
      { what: 'a part of POST /node', why: 'its schema next holds itself, and ends there' },
      { what: 'GET /passwd', why: 'a $ref of its parameters leads to another file' },
      { what: 'GET /old', why: 'it is deprecated' },
      { what: 'POST /elsewhere', why: 'the $ref of its body leads to another file' },
      { what: 'POST /file', why: 'its body is image/png, which is not made from a description' },
    ]);
  });

  const parameters = (more: readonly object[], path = '/a', swagger = false) => {
    const paths = { [path]: { get: { ...ok, parameters: more } } };
    return swagger ? JSON.stringify({ swagger: '2.0', info: {}, paths }) : described({ paths });
  };
  const ids = { type: 'array', items: { type: 'integer' }, example: [3, 4, 5] };
  const map = { type: 'object', example: { R: 100, G: 'a b' } };

  // The table of styles in OpenAPI 3.1, and collectionFormat of Swagger 2.0.
  it.each([
    ['form', { in: 'query', schema: ids }, '/a?x=3&x=4&x=5'],
    ['form, in one', { in: 'query', explode: false, schema: ids }, '/a?x=3,4,5'],
    ['a map as form', { in: 'query', schema: map }, '/a?R=100&G=a%20b'],
    ['a map as form, in one', { in: 'query', explode: false, schema: map }, '/a?x=R,100,G,a%20b'],
    ['spaceDelimited', { in: 'query', style: 'spaceDelimited', explode: false, schema: ids }, '/a?x=3%204%205'],
    ['pipeDelimited', { in: 'query', style: 'pipeDelimited', explode: false, schema: ids }, '/a?x=3%7C4%7C5'],
    ['deepObject', { in: 'query', style: 'deepObject', schema: map }, '/a?x%5BR%5D=100&x%5BG%5D=a%20b'],
    [
      'a type of media',
      { in: 'query', content: { 'application/json': { schema: map } } },
      '/a?x=%7B%22R%22%3A100%2C%22G%22%3A%22a%20b%22%7D',
    ],
    ['an empty list', { in: 'query', schema: { ...ids, example: [] } }, '/a'],
    ['simple', { in: 'path', schema: ids }, '/a/3,4,5'],
    ['a map as simple', { in: 'path', schema: map }, '/a/R,100,G,a%20b'],
    ['a map as simple, each', { in: 'path', explode: true, schema: map }, '/a/R=100,G=a%20b'],
    ['label', { in: 'path', style: 'label', schema: ids }, '/a/.3,4,5'],
    ['label, each', { in: 'path', style: 'label', explode: true, schema: ids }, '/a/.3.4.5'],
    ['matrix', { in: 'path', style: 'matrix', schema: ids }, '/a/;x=3,4,5'],
    ['matrix, each', { in: 'path', style: 'matrix', explode: true, schema: ids }, '/a/;x=3;x=4;x=5'],
    ['csv of Swagger', { in: 'query', ...ids }, '/a?x=3,4,5', true],
    ['ssv of Swagger', { in: 'query', collectionFormat: 'ssv', ...ids }, '/a?x=3%204%205', true],
    ['tsv of Swagger', { in: 'query', collectionFormat: 'tsv', ...ids }, '/a?x=3%094%095', true],
    ['pipes of Swagger', { in: 'query', collectionFormat: 'pipes', ...ids }, '/a?x=3%7C4%7C5', true],
    ['multi of Swagger', { in: 'query', collectionFormat: 'multi', ...ids }, '/a?x=3&x=4&x=5', true],
    ['csv in a path', { in: 'path', ...ids }, '/a/3,4,5', true],
  ])('has parameters by their style: %s', async (_, parameter, sent, swagger = false) => {
    const path = parameter.in === 'path' ? '/a/{x}' : '/a';
    const text = parameters([{ name: 'x', required: true, ...parameter }], path, swagger);
    expect((await importedText('api.json', text)).requests[0]?.path).toBe(sent);
  });

  it('has lists in headers, cookies and forms by their style', async () => {
    const text = described({
      paths: {
        '/a': {
          post: {
            ...ok,
            parameters: [
              { name: 'x-ids', in: 'header', required: true, schema: ids },
              { name: 'c', in: 'cookie', required: true, explode: false, schema: ids },
            ],
            requestBody: {
              content: {
                'application/x-www-form-urlencoded': {
                  schema: { type: 'object', properties: { ids, one: ids, map } },
                  encoding: { one: { explode: false } },
                },
              },
            },
          },
        },
      },
    });
    const [request] = (await importedText('api.json', text)).requests;
    expect(request).toMatchObject({
      headers: { 'x-ids': '3,4,5' },
      body: 'ids=3&ids=4&ids=5&one=3%2C4%2C5&map=%7B%22R%22%3A100%2C%22G%22%3A%22a%20b%22%7D',
    });
  });

  const posted = (schemas: object, schema: object): string =>
    described({
      paths: { '/a': { post: { ...ok, requestBody: { content: { 'application/json': { schema } } } } } },
      components: { schemas },
    });
  const $ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

  it('ends with schemas that hold themselves by oneOf, anyOf and allOf, and says where', async () => {
    const cat = { allOf: [$ref('Pet'), { type: 'object', properties: { lives: { type: 'integer', maximum: 1 } } }] };
    const pet = {
      required: ['kind'],
      discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } },
      properties: { kind: { type: 'string' } },
    };
    const holder = { type: 'object', properties: { pet: $ref('Pet') } };
    const full = { kind: 'cat', lives: '${integer 1 1}' };
    const left = (name: string) => [
      { what: 'a part of POST /a', why: `its schema ${name} holds itself, and ends there` },
    ];
    for (const alternatives of ['oneOf', 'anyOf']) {
      const schemas = { Cat: cat, Pet: { ...pet, [alternatives]: [$ref('Cat')] } };
      const above = await importedText('api.json', posted(schemas, holder));
      expect(above.requests[0]?.body).toEqual({ pet: full });
      expect(above.mix.leftOut).toEqual(left('Pet'));
      const below = await importedText('api.json', posted(schemas, $ref('Cat')));
      expect(below.requests[0]?.body).toEqual(full);
      expect(below.mix.leftOut).toEqual([]);
    }
    // As NestJS and Spring write it: the base has no list of what extends it.
    const base = await importedText('api.json', posted({ Cat: cat, Pet: pet }, $ref('Cat')));
    expect(base.requests[0]?.body).toEqual(full);
    const itself = await importedText(
      'api.json',
      posted(
        {
          A: { allOf: [$ref('B')], type: 'object', properties: { a: { type: 'boolean' } } },
          B: { allOf: [$ref('A')] },
        },
        $ref('A'),
      ),
    );
    expect(itself.requests[0]?.body).toEqual({ a: true });
    expect(itself.mix.leftOut).toEqual(left('A'));
    const only = await importedText(
      'api.json',
      posted(
        { A: { oneOf: [$ref('A'), { type: 'null' }] } },
        { anyOf: [{ type: 'null' }, { type: 'object', properties: { a: { type: ['null', 'boolean'] } } }] },
      ),
    );
    expect(only.requests[0]?.body).toEqual({ a: true });
  });

  it('gives up an operation whose schemas refer to each other so often that it has no end', async () => {
    const levels = 30;
    const schemas = Object.fromEntries(
      Array.from({ length: levels }, (_, n) => [
        `S${n}`,
        { allOf: [$ref(`S${n + 1}`), { allOf: [$ref(`S${n + 1}`)] }] },
      ]),
    );
    const message = await mistakeOf('api.json', posted({ ...schemas, [`S${levels}`]: { type: 'object' } }, $ref('S0')));
    expect(message).toContain('left out: POST /a: its schemas have too many parts');
  });

  it('loses to a bad schema its own operation, and no other; what is wrong in an answer costs nothing', async () => {
    const bad = (schema: unknown) => ({ ...ok, requestBody: { content: { 'application/json': { schema } } } });
    const { requests, mix } = await importedText(
      'api.json',
      JSON.stringify({
        openapi: '3.0.3',
        paths: {
          '/answer': {
            get: { responses: { 200: { content: { 'application/json': { schema: { type: 7, properties: [] } } } } } },
          },
          '/nullable': { post: bad({ type: 'object', properties: { a: { type: ['boolean', 'null'] } } }) },
          '/type': { post: bad({ type: 'object', properties: { a: { type: 'strin' } } }) },
          '/properties': { post: bad({ type: 'object', properties: 'none' }) },
          '/items': { post: bad({ type: 'array', items: 'string' }) },
          '/ref': { post: bad({ type: 'object', properties: { a: $ref('Gone') } }) },
          '/parameter': { get: { ...ok, parameters: [{ schema: {} }] } },
        },
      }),
    );
    expect(requests.map(({ path, body }) => [path, body])).toEqual([
      ['/answer', undefined],
      ['/nullable', { a: true }],
    ]);
    expect(mix.leftOut).toEqual([
      { what: 'POST /type', why: 'it has a schema of type "strin"', place: 'line 1' },
      { what: 'POST /properties', why: 'it has a schema whose properties are no map', place: 'line 1' },
      { what: 'POST /items', why: 'it has a schema that is none', place: 'line 1' },
      { what: 'POST /ref', why: 'its $ref #/components/schemas/Gone leads nowhere in this file', place: 'line 1' },
      { what: 'GET /parameter', why: 'it has a parameter without name or in', place: 'line 1' },
    ]);
  });

  it('says where it is not valid', async () => {
    expect(await mistakeOf('api.yaml', 'openapi: 3.0.3\npaths: [/items]\n')).toBe(
      'api.yaml:2:8: paths: expected a map of paths',
    );
    expect(await mistakeOf('api.yaml', 'info: {}\nopenapi: 4.0.0\npaths: {}\n')).toBe(
      'api.yaml:2:10: expected openapi: 3.0.x, 3.1.x or swagger: "2.0"',
    );
    expect(await mistakeOf('api.yaml', 'openapi: 3.0.3\n\tinfo: {}\n')).toMatch(
      /^api\.yaml:2:1: a tab cannot indent YAML/,
    );
    expect(await mistakeOf('api.json', '{"openapi": "3.0.3"')).toMatch(/^api\.json:1:\d+: /);
  });
});
