import { cutTo } from '../../judge/format.ts';

/**
 * A variant's name in so many characters: of `pool=10, release=2, log=INFO` that is too long only the levels in which it is not as the
 * control, so that two variants of a grid are not cut to the same; of others the beginning.
 */
export function shortName(variant: string, control: string, mostCharacters: number): string {
  if (variant.length <= mostCharacters) return variant;
  const levels = variant.split(', ');
  const usual = new Set(control.split(', '));
  const own = levels.filter((level) => !usual.has(level));
  const isOfGrid = levels.every((level) => level.includes('=')) && own.length > 0;
  return cutTo(mostCharacters, isOfGrid ? own.join(', ') : variant);
}

/** `a, b, c`, or `a, b and 48 more`. */
export function someNames(names: readonly string[], most: number): string {
  return names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
