/** Values by names that anybody chose. Nothing is inherited, so `constructor` and `__proto__` are names as any other. */
export function byName<T>(entries: Iterable<readonly [name: string, value: T]> = []): Record<string, T> {
  const values = Object.create(null) as Record<string, T>;
  for (const [name, value] of entries) values[name] = value;
  return values;
}

/** The value of such a name; undefined where there is none. */
export function ofName<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
