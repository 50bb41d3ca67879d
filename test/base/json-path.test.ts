import { describe, expect, it } from 'vitest';
import { parseJsonPath, valueAt } from '../../src/base/json-path.ts';

const value = { id: 7, items: [{ id: 'a' }, { id: 'b', 'first name': 'x' }], 'odd.key': true };

describe('a path into JSON', () => {
  it.each([
    ['$', value],
    ['$.id', 7],
    ['$.items[0].id', 'a'],
    ['$.items[-1].id', 'b'],
    ["$.items[1]['first name']", 'x'],
    ['$["odd.key"]', true],
    ['$.none', undefined],
    ['$.id.none', undefined],
    ['$.items.id', undefined],
    ['$.toString', undefined],
  ])('%s finds what stands there', (path, found) => {
    expect(valueAt(value, parseJsonPath(path) ?? ['no path'])).toEqual(found);
  });

  it.each(['id', '', '$id', '$.', '$..id', '$.items[*].id', '$.items[0', '$.a b'])('"%s" is none', (path) => {
    expect(parseJsonPath(path)).toBeNull();
  });
});
