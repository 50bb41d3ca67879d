import { describe, expect, it } from 'vitest';
import { importedText, har as of } from './written.ts';

describe('a list in a body', () => {
  it.each([
    ['a batch of GraphQL', [[{ query: 'query A { a }' }, { query: 'mutation B { b }', variables: { x: 1 } }]]],
    [
      'JSON Patch',
      [
        [
          { op: 'add', path: '/a', value: 1 },
          { op: 'remove', path: '/b' },
        ],
      ],
    ],
    ['lines in pairs', [[{ index: { _id: '1' } }, { title: 'x' }, { index: { _id: '2' } }, { title: 'y' }]]],
    [
      'items of one kind',
      [
        {
          items: [
            { productId: 3, qty: 2 },
            { productId: 900, qty: 5 },
          ],
        },
      ],
    ],
    [
      'lists of lists',
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ],
    ['the length that is most frequent', [[{ a: 1 }, { a: 2 }], [{ a: 3 }], [{ a: 1 }, { a: 2 }]]],
    ['the list that is most frequent', [['x'], ['y', 'z'], ['y', 'z']], 1],
  ])('keeps each item of a list as it is: %s', async (_, bodies, most = 0) => {
    const entries = of(bodies.map((body) => ({ method: 'POST', url: '/a', body })));
    const { requests } = await importedText('a.har', entries);
    expect(requests.map(({ body }) => body)).toEqual([bodies[most]]);
  });

  it('draws what varies at one place of a list from that place', async () => {
    const bodies = [1, 2].map((n) => [
      { a: n, kind: 'x' },
      { a: 10 * n, kind: 'y' },
    ]);
    const { requests } = await importedText('a.har', of(bodies.map((body) => ({ method: 'POST', url: '/a', body }))));
    expect(requests[0]?.body).toEqual([
      { a: '${integer 1 2}', kind: 'x' },
      { a: '${integer 10 20}', kind: 'y' },
    ]);
  });

  it('has a request for each kind of items in a list', async () => {
    const bodies = [
      [{ op: 'add', path: '/a', value: 1 }],
      [{ op: 'test', path: '/b', value: 2 }],
      [{ id: 1 }, { id: 2, q: 3 }],
    ];
    const { requests } = await importedText('a.har', of(bodies.map((body) => ({ method: 'PATCH', url: '/a', body }))));
    expect(requests.map(({ body }) => body)).toEqual(bodies);
  });
});
