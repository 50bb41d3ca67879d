import { expect, it } from 'vitest';
import { createRequestNames } from '../../../../src/measure/load/k6/request-names.ts';

const namesOf = (url: string, ...requests: string[]): readonly string[] => {
  const names = createRequestNames(url);
  for (const name of requests) names.of({ name, method: 'GET' });
  return names.names;
};

it('a name of the script is kept', () => {
  expect(namesOf('http://127.0.0.1:4000', 'list', 'create', 'list')).toEqual(['list', 'create']);
});

it('a URL is a name without the address of the arm and without values', () => {
  const base = 'http://127.0.0.1:4000';
  const urls = [
    `${base}/items/17`,
    `${base}/items/42`,
    `${base}/items/\${}`,
    `${base}/items?limit=10&after=3`,
    `${base}/users/0d3f2a10-7b1e-4f6a-9c55-2f8a1b6c7d8e/orders`,
    base,
    'http://127.0.0.2/elsewhere',
  ];
  expect(namesOf(base, ...urls)).toEqual([
    'GET /items/*',
    'GET /items?limit&after',
    'GET /users/*/orders',
    'GET /',
    'GET http://127.0.0.2/elsewhere',
  ]);
});

it('a URL of a service below a path is a name without that', () => {
  const urls = ['http://h/api/items/17', 'http://h/api?a=1', 'http://h/api2/items', 'http://h:81/api/items'];
  expect(namesOf('http://h/api', ...urls)).toEqual([
    'GET /items/*',
    'GET /?a',
    'GET /api2/items',
    'GET http://h:81/api/items',
  ]);
});

it('so many names are enough', () => {
  const names = namesOf('http://127.0.0.1', ...Array.from({ length: 500 }, (_, n) => `request ${n}`));
  expect(names).toHaveLength(101);
  expect(names.at(-1)).toBe('other requests');
});
