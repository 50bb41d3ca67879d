import { describe, expect, it } from 'vitest';
import type { BodySpec } from '../../../../src/journal/request-value.ts';
import { checksOf } from '../../../../src/measure/load/requests/body-check.ts';
import { requestSpec } from '../../../fixtures/request-spec.ts';

const lackedBy = (expectBody: BodySpec, body: string): string | null | undefined =>
  checksOf([requestSpec({ expectBody })]).checks?.[0]?.(body);

describe('what is expected of a body', () => {
  it.each<[BodySpec, string, string | null]>([
    [{ json: { '$.errors': 'absent' } }, '{"data":{}}', null],
    [{ json: { '$.errors': 'absent' } }, '{"errors":null}', null],
    [{ json: { '$.errors': 'absent' } }, '{"errors":["no"]}', '$.errors is ["no"]: expected absent'],
    [{ json: { '$.data.post.id': 'present' } }, '{"data":{"post":{"id":0}}}', null],
    [{ json: { '$.data.post.id': 'present' } }, '{"data":{"post":null}}', '$.data.post.id is absent: expected present'],
    [{ json: { '$.id': 7 } }, '{"id":7}', null],
    [{ json: { '$.id': 7 } }, '{"id":"7"}', '$.id is "7": expected 7'],
    [{ json: { '$.tags': ['a', { b: 1 }] } }, '{"tags":["a",{"b":1}]}', null],
    [{ json: { '$.a': 1, '$.b': 2 } }, '{"a":1,"b":3}', '$.b is 3: expected 2'],
    [{ json: { $: 'present' } }, '<html>', 'its body is no JSON'],
    [{ text: 'done' }, 'all done', null],
    [{ text: 'done' }, 'not yet', 'its body does not have the text "done"'],
  ])('%j of %s', (spec, body, lacks) => {
    expect(lackedBy(spec, body)).toBe(lacks);
  });

  it('is told in a line, however much was found', () => {
    expect(lackedBy({ json: { '$.errors': 'absent' } }, `{"errors":"${'x'.repeat(5000)}"}`)?.length).toBeLessThan(400);
  });

  it('is nothing where nothing is said', () => {
    expect(checksOf([requestSpec({}), requestSpec({ expect: [200] })])).toEqual({});
    expect(checksOf([requestSpec({}), requestSpec({ expectBody: { text: 'a' } })]).checks?.[0]).toBeUndefined();
  });
});
