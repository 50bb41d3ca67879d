import type { Path, Problem } from './problem.ts';

/** A problem for each name that two requests or steps have; `path` is that of their list. */
export function requireOwnNames(
  names: readonly string[],
  one: 'request' | 'step',
  path: Path,
  problems: Problem[],
): void {
  const twice = new Set(names.filter((name, at) => names.indexOf(name) < at));
  for (const name of twice)
    problems.push({ path, message: `two ${one}s are called "${name}": give one of them its own name` });
}

/**
 * Gives each request its own name, in their order: one that is taken has a number behind it. GraphQL has one path for all,
 * and paths may differ by a secret that is masked.
 */
export function ownNames(written: Iterable<string> = []): (name: string) => string {
  const taken = new Set(written);
  const times = new Map<string, number>();
  return (name) => {
    let own = name;
    let time = times.get(name) ?? 1;
    while (taken.has(own)) own = `${name} (${++time})`;
    times.set(name, time);
    taken.add(own);
    return own;
  };
}
