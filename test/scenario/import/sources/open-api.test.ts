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
    expect(mix.leftOut).toEqual([
      { what: 'GET /passwd', why: 'a $ref of its parameters leads to another file' },
      { what: 'GET /old', why: 'it is deprecated' },
      { what: 'POST /elsewhere', why: 'the $ref of its body leads to another file' },
      { what: 'POST /file', why: 'its body is image/png, which is not made from a description' },
    ]);
  });

  it('says where it is not valid', async () => {
    const text =
      'openapi: 3.0.3\ninfo: { title: t, version: 1.0.0 }\npaths:\n  /items:\n    get: { responses: nothing }\n';
    expect(await mistakeOf('api.yaml', text)).toMatch(
      /^api\.yaml:5:23: paths\.\/items\.get\.responses: must be object$/m,
    );
    expect(await mistakeOf('api.yaml', 'openapi: 3.0.3\n\tinfo: {}\n')).toMatch(
      /^api\.yaml:2:1: a tab cannot indent YAML/,
    );
    expect(await mistakeOf('api.json', '{"openapi": "3.0.3"')).toMatch(/^api\.json:1:\d+: /);
  });
});
