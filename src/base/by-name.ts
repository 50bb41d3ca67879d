/** Values by user-supplied names. Nothing is inherited, so `constructor` and `__proto__` are names like any other. */
export function byName<T>(entries: Iterable<readonly [name: string, value: T]> = []): Record<string, T> {
  const values = Object.create(null) as Record<string, T>;
  for (const [name, value] of entries) values[name] = value;
  return values;
}

/** The value of a user-supplied name; undefined where there is none, also if objects inherit one. */
export function ofName<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
