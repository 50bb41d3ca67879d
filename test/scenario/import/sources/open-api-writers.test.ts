import { describe, expect, it } from 'vitest';
import { importedText } from '../written.ts';

const ok = { 200: { description: 'ok' } };
const $ref = (name: string, where = 'components/schemas') => ({ $ref: `#/${where}/${name}` });
const info = { title: 'items', version: '1' };

/** The two operations that all describe, each in its way. */
function three(
  openapi: string,
  { id, body, schemas = {}, more = {} }: { id: object; body: object; schemas?: object; more?: object },
) {
  return {
    openapi,
    info,
    paths: {
      '/items/{id}': { get: { parameters: [{ name: 'id', in: 'path', required: true, ...id }], responses: ok } },
      '/items': { post: { requestBody: { required: true, content: { 'application/json': body } }, responses: ok } },
    },
    components: { schemas },
    ...more,
  };
}

const integer = { schema: { type: 'integer', minimum: 1, maximum: 9 } };
const name = { type: 'string', example: 'a' };

/** What tools write, by their documentation. */
const writers: Readonly<Record<string, object | string>> = {
  '@fastify/swagger, 3.0 with lists of types': three('3.0.3', {
    id: integer,
    body: {
      schema: { type: 'object', required: ['name'], properties: { name: { type: ['string', 'null'], example: 'a' } } },
    },
    schemas: { 'def-0': { type: ['object', 'null'], title: 'unused' } },
  }),
  'NestJS, with allOf around a reference': three('3.0.0', {
    id: { schema: { type: 'number', example: 3 } },
    body: { schema: { allOf: [$ref('CreateItemDto')] } },
    schemas: { CreateItemDto: { type: 'object', properties: { name }, required: ['name'] } },
    more: { tags: [], servers: [] },
  }),
  'springdoc, with inheritance': three('3.0.1', {
    id: { schema: { type: 'integer', format: 'int64', example: 3 } },
    body: { schema: { oneOf: [$ref('Book')] } },
    schemas: {
      Item: { type: 'object', properties: { name }, discriminator: { propertyName: 'kind' }, oneOf: [$ref('Book')] },
      Book: { type: 'object', allOf: [$ref('Item')] },
    },
    more: { servers: [{ url: 'http://localhost:8080', description: 'Generated server url' }] },
  }),
  'FastAPI, 3.1 with anyOf of null': three('3.1.0', {
    id: { schema: { type: 'integer', title: 'Id', minimum: 1, maximum: 9 } },
    body: { schema: $ref('ItemIn') },
    schemas: {
      ItemIn: {
        type: 'object',
        title: 'ItemIn',
        required: ['name'],
        properties: { name: { anyOf: [{ type: 'null' }, { type: 'string', examples: ['a'] }] } },
      },
      ValidationError: {
        type: 'object',
        properties: { loc: { items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } },
      },
    },
  }),
  'swagger-jsdoc, in YAML': `openapi: 3.0.0
info: { title: items, version: 1.0.0 }
paths:
  /items/{id}:
    parameters: [{ $ref: '#/components/parameters/id' }]
    get: { responses: { '200': { description: ok } } }
  /items:
    post:
      requestBody: { $ref: '#/components/requestBodies/Item' }
      responses: { '200': { description: ok } }
components:
  parameters: { id: { name: id, in: path, required: true, schema: { type: integer, minimum: 1, maximum: 9 } } }
  requestBodies: { Item: { content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } } }
  schemas: { Item: &item { type: object, properties: { name: { type: string, example: a } } }, Other: *item }
`,
  'tsoa, Swagger 2.0': {
    swagger: '2.0',
    info,
    basePath: '/',
    consumes: ['application/json'],
    definitions: {
      ItemParams: { properties: { name }, required: ['name'], type: 'object', additionalProperties: false },
    },
    paths: {
      '/items/{id}': {
        get: {
          responses: ok,
          parameters: [{ in: 'path', name: 'id', required: true, format: 'double', type: 'number', 'x-example': 3 }],
        },
      },
      '/items': {
        post: {
          responses: ok,
          parameters: [{ in: 'body', name: 'body', required: true, schema: $ref('ItemParams', 'definitions') }],
        },
      },
    },
  },
  'swaggo, Swagger 2.0 with a header': {
    swagger: '2.0',
    info: { contact: {} },
    paths: {
      '/items/{id}': {
        get: {
          produces: ['application/json'],
          parameters: [
            { type: 'integer', minimum: 1, maximum: 9, description: 'Item ID', name: 'id', in: 'path', required: true },
          ],
          responses: ok,
        },
      },
      '/items': {
        post: {
          parameters: [
            { description: 'Item', name: 'item', in: 'body', required: true, schema: $ref('main.Item', 'definitions') },
          ],
          responses: ok,
        },
      },
    },
    definitions: { 'main.Item': { type: 'object', properties: { name } } },
  },
  'Swashbuckle, with nullable and three types of JSON': three('3.0.1', {
    id: { style: 'simple', schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 9 } },
    body: { schema: $ref('Item') },
    schemas: {
      Item: { type: 'object', properties: { name: { ...name, nullable: true } }, additionalProperties: false },
    },
  }),
  'drf-spectacular, in YAML with enums': `openapi: 3.0.3
info: { title: '', version: 0.0.0 }
paths:
  /items/{id}/: { get: { operationId: items_retrieve, parameters: [{ in: path, name: id, schema: { type: integer, minimum: 1, maximum: 9 }, required: true }], security: [{}], responses: { '200': { description: '' } } } }
  /items/: { post: { operationId: items_create, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Item' } }, multipart/form-data: { schema: {} } } }, responses: { '200': { description: '' } } } }
components: { schemas: { Item: { type: object, properties: { id: { type: integer, readOnly: true }, name: { allOf: [{ $ref: '#/components/schemas/NameEnum' }] } } }, NameEnum: { enum: [a], type: string } } }
`,
  'zod-to-openapi, 3.1 with const and exclusive limits': three('3.1.0', {
    id: { schema: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 } },
    body: {
      schema: {
        type: 'object',
        properties: { name: { type: 'string', const: 'a' } },
        $schema: 'https://json-schema.org/draft/2020-12/schema',
      },
    },
    more: { webhooks: {} },
  }),
  'TypeSpec, with named examples': three('3.0.0', {
    id: { ...integer, examples: { one: { value: 3 } } },
    body: { schema: $ref('Item'), examples: { first: { summary: 'one', value: { name: 'a' } } } },
    schemas: { Item: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
  }),
};

describe('a description as it is written by', () => {
  it.each(Object.entries(writers))('%s', async (_, written) => {
    const text = typeof written === 'string' ? written : JSON.stringify(written);
    const { requests } = await importedText(typeof written === 'string' ? 'api.yaml' : 'api.json', text);
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
    expect(requests[0]?.path).toMatch(/^\/items\/(3|1\.5|\$\{integer 1 9\})\/?$/);
    expect(requests[1]?.body).toMatchObject({ name: 'a' });
  });
});

describe('the type of a body of JSON', () => {
  it.each([
    [['application/vnd.api+json'], 'application/vnd.api+json'],
    [['application/merge-patch+json', 'application/json'], undefined],
    [['*/*'], undefined],
    [['application/*+json'], undefined],
  ])('is sent where it is another than application/json: %s', async (types, type) => {
    const content = Object.fromEntries(types.map((one) => [one, { example: { name: 'a' } }]));
    const body = { name: 'b', in: 'body', schema: { example: { name: 'a' } } };
    const paths = (more: object) => ({ '/items': { patch: { ...more, responses: ok } } });
    for (const written of [
      { openapi: '3.0.0', info, paths: paths({ requestBody: { content } }) },
      { swagger: '2.0', info, consumes: types, paths: paths({ parameters: [body] }) },
    ]) {
      const { requests } = await importedText('api.json', JSON.stringify(written));
      expect(requests[0]).toMatchObject({ body: { name: 'a' } });
      expect(requests[0]?.headers['content-type']).toBe(type);
    }
  });
});

it.each([
  [{ type: 'string', example: 'a "b"' }, '"a \\"b\\""'],
  [{ type: 'string' }, '"text ${integer 1 1000}"'],
  [{ type: 'integer', maximum: 9 }, '${integer 1 9}'],
])('a body of JSON that is no list and no map has its type: %j', async (schema, body) => {
  const requestBody = { content: { 'application/json': { schema } } };
  const written = { openapi: '3.0.0', info, paths: { '/name': { put: { requestBody, responses: ok } } } };
  const { requests } = await importedText('api.json', JSON.stringify(written));
  expect(requests[0]).toMatchObject({ body, headers: { 'content-type': 'application/json' } });
});

describe('servers', () => {
  const at = (...urls: readonly string[]) => ({ servers: urls.map((url) => ({ url })) });
  const pathsOf = async (paths: object, more: object = {}) => {
    const { requests, mix } = await importedText(
      'api.json',
      JSON.stringify({ openapi: '3.0.0', info, paths, ...more }),
    );
    return { sent: requests.map(({ path }) => path), leftOut: mix.leftOut.map(({ what, why }) => `${what}: ${why}`) };
  };
  const get = { responses: ok };

  it('of an operation come before those of its path and of the description; those of another host are left out', async () => {
    const paths = {
      '/a': { get },
      '/b': { ...at('/v2'), get, put: { ...get, ...at('https://api.example/v3/', 'https://x.example') } },
      '/c': { ...at('https://files.example/upload'), get, delete: { ...get, servers: [] } },
    };
    expect(await pathsOf(paths, at('https://api.example/v1'))).toEqual({
      sent: ['/v1/a', '/v2/b', '/v3/b'],
      leftOut: ['GET /c: its server is another: files.example', 'DELETE /c: its server is another: files.example'],
    });
  });

  it('of operations alone are of the host of the first', async () => {
    const own = { '/a': { ...at('https://a.example/v1'), get }, '/b': { ...at('https://b.example'), get } };
    expect((await pathsOf(own)).sent).toEqual(['/v1/a']);
    expect(await pathsOf({ '/c': { get }, ...own })).toEqual({
      sent: ['/c'],
      leftOut: ['GET /a: its server is another: a.example', 'GET /b: its server is another: b.example'],
    });
  });
});
