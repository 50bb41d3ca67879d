import { describe, expect, it } from 'vitest';
import {
  exactJson,
  exactJsonOf,
  isSameJson,
  NumberText,
  withNumberPlaceholders,
  withNumbers,
} from '../../src/base/exact-json.ts';

describe('JSON with numbers as they stand there', () => {
  it.each([
    '9007199254740993',
    '{"id":-4634343214213523454,"price":12345678901234567890.12}',
    '[1.0,1.10,1e3,1E+400,-0,0.1,5,9007199254740991]',
    '{"9007199254740993":"9007199254740993 \\"1.10\\" \\\\","at":[{"n":1.50}]}',
  ])('comes out as it went in: %s', (text) => {
    expect(exactJson(exactJsonOf(text))).toBe(text);
    expect(exactJson(withNumbers(JSON.parse(JSON.stringify(withNumberPlaceholders(exactJsonOf(text))))))).toBe(text);
  });

  it.each([
    '',
    '{',
    '01.5',
    '1.',
    '.9007199254740993',
    '+9007199254740993',
    '9007199254740993a',
    '1.10 1.10',
    "'1.10'",
  ])('is none where JSON.parse refuses it: %s', (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(exactJsonOf(text)).toBeUndefined();
  });

  it('has plain numbers where a double is written the same', () => {
    expect(exactJsonOf('{"id":5,"price":1.5}')).toEqual({ id: 5, price: 1.5 });
    expect(exactJsonOf('{"id":9007199254740993}')).toEqual({ id: new NumberText('9007199254740993') });
  });
});

describe('numbers are the same', () => {
  it.each([
    ['1.10', '1.1', true],
    ['1e3', '1000', true],
    ['0.0', '-0', true],
    ['12.50e-1', '1.25', true],
    ['9007199254740993', '9007199254740992', false],
    ['-1', '1', false],
    ['"1"', '1', false],
    ['{"a":[1.0]}', '{"a":[1]}', true],
  ])('by their value: %s and %s: %s', (a, b, expected) => {
    expect(isSameJson(exactJsonOf(a), exactJsonOf(b))).toBe(expected);
  });
});
