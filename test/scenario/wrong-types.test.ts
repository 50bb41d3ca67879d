import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { JsonSchema } from '../../src/scenario/examples.ts';
import { scenarioJsonSchema } from '../../src/scenario/schema.ts';
import { mistakes } from './scenario-text.ts';

type Place = readonly (string | number)[];

/** Every place in the schema, six keys deep, with the schema of what stands there; a name of the user's is NAME. */
function placesIn(schema: JsonSchema, path: Place = []): (readonly [Place, JsonSchema])[] {
  if (path.length > 5) return [];
  const below = (key: string | number, value: JsonSchema | boolean): (readonly [Place, JsonSchema])[] =>
    typeof value === 'object' && Object.keys(value).length > 0
      ? [[[...path, key], value], ...placesIn(value, [...path, key])]
      : [];
  return (schema.anyOf ?? [schema]).flatMap(({ properties = {}, additionalProperties = false, items }) => [
    ...Object.entries(properties).flatMap(([key, value]) => below(key, value)),
    ...below('NAME', additionalProperties),
    ...below(0, (items as JsonSchema | undefined) ?? false),
  ]);
}

/** A scenario in which this value stands at this place. */
function withValueAt(path: Place, value: unknown): string {
  const document = {
    target: { command: 'node a.mjs' },
    variants: { A: {}, NAME: {} },
    control: 'A',
    load: { connections: 1, requests: [{ path: '/' }] },
  };
  let at = document as unknown as Record<string | number, unknown>;
  path.slice(0, -1).forEach((key, index) => {
    const isList = typeof path[index + 1] === 'number';
    if (typeof at[key] !== 'object' || at[key] === null || Array.isArray(at[key]) !== isList)
      at[key] = isList ? [] : {};
    at = at[key] as typeof at;
  });
  at[path.at(-1) ?? ''] = value;
  return stringify(document);
}

const places = [...new Map(placesIn(scenarioJsonSchema()).map((place) => [place[0].join('.'), place])).values()];
const wrong = { number: 5, text: 'wibble', list: [7], map: { A: 1 }, true: true, nothing: null };

describe('a value of a wrong type', () => {
  it('is answered in the words of YAML at every place, and never in those of the library', () => {
    const found = places.flatMap(([path]) =>
      Object.values(wrong).flatMap((value) => mistakes(withValueAt(path, value))),
    );
    expect(places.length).toBeGreaterThan(300);
    const ofLibrary = /Invalid|received|Too (small|big)|\b(string|object|array|record)\b/;
    expect([...new Set(found.filter((message) => ofLibrary.test(message)))]).toEqual([]);
  });

  it('is answered with an example wherever a list, a map or a text is wanted', () => {
    const typesOf = ({ type, anyOf }: JsonSchema): unknown[] => [type ?? [], anyOf?.map(typesOf) ?? []].flat(3);
    const wantsOne = places.filter(([, schema]) => {
      const types = typesOf(schema);
      // Words to choose from are themselves the examples.
      return (
        !('enum' in schema || 'const' in schema) && ['object', 'array', 'string'].some((type) => types.includes(type))
      );
    });
    const without = wantsOne.flatMap(([path, schema]) => {
      const value = typesOf(schema).includes('object') ? [[5]] : { A: 1 };
      const dotted = path.join('.');
      const message = mistakes(withValueAt(path, value)).find((one) => one.includes(`: ${dotted}`));
      return message === undefined || /such as|expected \w+(,| or) \w+|expected a text, a number/.test(message)
        ? []
        : [message];
    });
    expect(without).toEqual([]);
  });
});
