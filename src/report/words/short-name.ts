import { cutTo } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';

type Named = Pick<Summary['run'], 'variants' | 'control'>;

/**
 * A variant's name in this many characters. Of `pool=10, release=2, log=INFO` that is too long only the levels in which it is not as the
 * control. Of what is still too long the beginning, and the end or the middle where only those tell it from another.
 */
export function shortName(variant: string, { variants, control }: Named, mostCharacters: number): string {
  if (variant.length <= mostCharacters) return variant;
  const usual = new Set(control.split(', '));
  const bare = (name: string): string => {
    const levels = name.split(', ');
    const own = levels.filter((level) => !usual.has(level));
    return own.length > 0 && levels.every((level) => level.includes('=')) ? own.join(', ') : name;
  };
  return distinctCut(bare(variant), variants.map(bare), mostCharacters);
}

/** The first cut that no other name has: the beginning, then with ever more of the end, then around what differs. */
function distinctCut(name: string, names: readonly string[], most: number): string {
  if (name.length <= most) return name;
  const others = names.filter((other) => other !== name);
  const tails = [3, 2, 1.5].map((part) => Math.floor(most / part));
  const cuts = [
    (text: string) => cutTo(most, text),
    ...tails.map((tail) => (text: string) => around(text, most, text.length - tail)),
  ];
  const found = cuts.find((cut) => others.every((other) => cut(other) !== cut(name)));
  if (found !== undefined) return found(name);
  const like = others.filter((other) => cutTo(most, other) === cutTo(most, name));
  const shared = Math.max(0, ...like.map((other) => commonLength(name, other)));
  return around(name, most, Math.max(0, shared - 2));
}

/** The beginning of a text and, after a gap, what stands from a place on. */
function around(text: string, most: number, from: number): string {
  if (text.length <= most) return text;
  const after = text.slice(Math.max(0, from));
  const kept = Math.min(after.length, Math.floor((2 * most) / 3));
  return `${text.slice(0, Math.max(0, most - kept - 1))}…${cutTo(kept, after)}`;
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** `a, b, c`, or `a, b and 48 more`. */
export function someNames(names: readonly string[], most: number): string {
  return names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
