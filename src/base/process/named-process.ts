/** One of several processes that were started together, as people call it: a service by its name, an instance by its number. */
export interface NamedProcess {
  readonly name: string;
  readonly pid: number;
}

/** Started processes by name; a single one is `service`. */
export function processesOf({
  pid,
  processes,
}: {
  readonly pid: number | null;
  readonly processes?: readonly NamedProcess[];
}): readonly NamedProcess[] {
  return processes ?? (pid === null ? [] : [{ name: 'service', pid }]);
}
