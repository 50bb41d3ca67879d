import { isObject } from '../../../../base/json-path.ts';
import { decoded } from '../../../../journal/run/secret-leaves.ts';

/** A map of a description, whatever it holds. */
export type Fields = Readonly<Record<string, unknown>>;

/** A reference may lead to a reference. */
const MOST_STEPS = 20;

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The map itself, or what its `$ref` leads to in the same file; null where that is not there. Nothing else is ever read. */
export function followed(value: unknown, root: Fields): Fields | null {
  let now = fieldsOf(value);
  for (let step = 0; step < MOST_STEPS; step++) {
    const { $ref } = now;
    if (typeof $ref !== 'string') return now;
    if (!$ref.startsWith('#/')) return null;
    const target = $ref
      .slice(2)
      .split('/')
      .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, part) => (Object.hasOwn(Object(at), part) ? (at as Fields)[part] : undefined), root);
    if (target === undefined) return null;
    now = fieldsOf(target);
  }
  return null;
}
