import { type JsonKey, valueAt } from '../../base/json-path.ts';
import { shortened } from '../../base/visible.ts';
import { type FactorPlace, factorPlaces } from './parts.ts';

/** A mistake in a scenario: the value at `path`, or the key `key` of the map there. */
interface Mistake {
  readonly path: readonly JsonKey[];
  readonly key?: string;
  readonly message: string;
}

/** However long a value or a name is that a hint repeats. */
const MOST_CHARACTERS = 60;

/**
 * The message of a mistake, with what to write instead: a factor where a part of variants has a list of values, and the
 * part's own place where one of its values stands elsewhere.
 */
export function withFactorHint({ path, key, message }: Mistake, written: unknown): string {
  const value = valueAt(written, key === undefined ? path : [...path, key]);
  if (key !== undefined) {
    const place = holdsParts(path) && factorPlaces.find(({ factor }) => factor === key);
    if (!place) return message;
    const hint = Array.isArray(value) ? asFactor(place, value) : `expected ${asPart(place, path[0], value)}`;
    return `unknown key "${key}" in ${path.map((one) => shortened(String(one), MOST_CHARACTERS)).join('.')}: ${hint}`;
  }
  if (!Array.isArray(value)) return message;
  const place = factorPlaces.find((one) => isAt(one, path)) ?? factorNamed(path);
  return place === undefined ? message : `${message}; ${asFactor(place, value)}`;
}

/** True for a map where people look for the values of a part. */
function holdsParts([root, second, ...deeper]: Mistake['path']): boolean {
  if (deeper.length > 0) return false;
  if (root === 'variants') return second !== undefined;
  return (
    (root === 'stack' && (second === undefined || second === 'postgres')) || (root === 'target' && second === undefined)
  );
}

/** True for the place of a factor's value, in a variant or where it is said for all. */
function isAt({ part, forAllIn, at }: FactorPlace, [root, ...path]: Mistake['path']): boolean {
  const below = root === 'variants' ? path.slice(1) : path;
  return (root === 'variants' || root === forAllIn) && below.join('.') === [part, ...at].join('.');
}

/** The factor whose levels stand without their key, by its name: `sweep: { distance: [0, 1ms] }`. */
function factorNamed([sweep, name, ...deeper]: Mistake['path']): FactorPlace | undefined {
  if (sweep !== 'sweep' || deeper.length > 0) return undefined;
  return factorPlaces.find(({ part, factor }) => part === name || factor === name);
}

/** `to compare several: sweep: { distance: { rtt: [0, 1ms] } }` */
function asFactor({ part, factor }: FactorPlace, levels: readonly unknown[]): string {
  return `to compare several: sweep: { ${part}: { ${factor}: [${levels.map(valueWords).join(', ')}] } }`;
}

/** `stack: { distance: { rtt: 1ms } }`, of a variant without `stack` */
function asPart({ part, forAllIn, at }: FactorPlace, root: JsonKey | undefined, value: unknown): string {
  const [first, ...keys] = [...(root === 'variants' ? [] : [forAllIn]), part, ...at];
  return `${first}: ${keys.reduceRight((inner, key) => `{ ${key}: ${inner} }`, valueWords(value))}`;
}

function valueWords(value: unknown): string {
  return typeof value === 'object' ? '...' : shortened(String(value), MOST_CHARACTERS);
}
