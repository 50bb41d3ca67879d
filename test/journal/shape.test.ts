import { expect, it } from 'vitest';
import {
  byKind,
  count,
  eachOf,
  either,
  fields,
  list,
  number,
  oneOf,
  optional,
  orNull,
  text,
  type ValueOf,
} from '../../src/journal/shape.ts';

const place = fields({
  kind: oneOf('place'),
  x: number,
  label: optional(text),
  ...eachOf(['east', 'west'], orNull(count)),
});
type Place = ValueOf<typeof place>;
const whole: Place = { kind: 'place', x: 1, east: 0, west: null };

it('a field without a shape does not compile, since a record has the fields of its shape alone', () => {
  // @ts-expect-error: y has no shape.
  const other: Place = { ...whole, y: 1 };
  // @ts-expect-error: nor can it be read.
  expect(whole.y).toBeUndefined();
  // @ts-expect-error: a field needs a shape.
  expect(() => fields({ y: undefined })(other)).toThrow();
  // @ts-expect-error: x may not be left out.
  const lacking: Place = { kind: 'place', east: 0, west: null };
  expect([place(whole), place(other), place(lacking)]).toEqual([null, null, 'x: a number']);
});

it('says where a value has not its shape, and what was expected', () => {
  expect(place({ ...whole, label: 7 })).toBe('label: text');
  expect(place({ ...whole, west: -1 })).toBe('west: a whole number that is not below 0');
  expect(list(place)([whole, { ...whole, kind: 'route' }])).toBe('1.kind: one of place');
  expect(either(number, text)(null)).toBe('text');
});

it('a kind is the name of its shape', () => {
  const kinds = byKind({ place, point: fields({ kind: oneOf('point') }) });
  expect([kinds(whole), kinds({ kind: 'point' }), kinds({ kind: 'line' })]).toEqual([
    null,
    null,
    'kind: one of place, point',
  ]);
  // @ts-expect-error: the shape is of another kind.
  expect(byKind({ point: place })(whole)).toBe('kind: one of point');
});
