/** The ends of a value, by where they stand. */
export function leavesOf(path: string, value: unknown): [string, string][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(path === '' ? key : `${path}.${key}`, one));
}
