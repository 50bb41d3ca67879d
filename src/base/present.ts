/** A list that has something in it. */
export type NonEmpty<T> = readonly [T, ...T[]];

export function isNonEmpty<T>(list: readonly T[]): list is NonEmpty<T> {
  return list.length > 0;
}

/** The parts that are there: those that are false, null, undefined or an empty text are left out. */
export function present<T extends string | object>(parts: readonly (T | false | null | undefined)[]): T[] {
  return parts.filter((part): part is T => Boolean(part));
}

/**
 * The text with a capital letter, unless it begins with a name, which stays as it is written: one of `names`, or
 * `stack.postgres.cpus`, `pg_stat_database`, `pool=10`.
 */
export function asSentence(text: string, names: readonly string[] = []): string {
  if (names.some((name) => text.startsWith(name) && !/^[\w-]/.test(text.slice(name.length)))) return text;
  return text.replace(/^[a-z]+(?![\w.=/-])/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}
