/** The parts that are there: those that are false, null, undefined or an empty text are left out. */
export function present<T extends string | object>(parts: readonly (T | false | null | undefined)[]): T[] {
  return parts.filter((part): part is T => Boolean(part));
}
