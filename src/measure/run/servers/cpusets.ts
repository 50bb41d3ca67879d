import type { ServerLimits } from '../../../journal/scenario-record.ts';

/** The CPUs of `0,2` or `0-3`; null for what is no such list. */
export function parseCpuset(text: string): Set<number> | null {
  const cpus = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part.trim());
    if (!match) return null;
    const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (to < from) return null;
    for (let cpu = from; cpu <= to; cpu++) cpus.add(cpu);
  }
  return cpus;
}

/** How servers share the CPUs of a machine badly. */
export type CpusetWarning =
  | {
      readonly kind: 'cpusets-overlap';
      readonly servers: readonly { readonly name: string; readonly cpuset: string }[];
    }
  /** None of this many is left to others alone. */
  | { readonly kind: 'cpusets-take-all'; readonly cpus: number };

/** Warnings on how servers share the CPUs of this machine: sets that overlap, or that leave none to the rest. */
export function cpusetWarnings(
  servers: Readonly<Record<string, Pick<ServerLimits, 'cpuset'>>>,
  cpuCount: number,
): CpusetWarning[] {
  const sets = Object.entries(servers).flatMap(([name, { cpuset }]) => {
    const cpus = cpuset === undefined ? null : parseCpuset(cpuset);
    return cpuset === undefined || cpus === null ? [] : [{ name, cpuset, cpus }];
  });
  const overlaps = sets.flatMap((one, index) =>
    sets
      .slice(index + 1)
      .filter((other) => [...one.cpus].some((cpu) => other.cpus.has(cpu)))
      .map((other) => ({
        kind: 'cpusets-overlap' as const,
        servers: [one, other].map(({ name, cpuset }) => ({ name, cpuset })),
      })),
  );
  const taken = new Set(sets.flatMap(({ cpus }) => [...cpus]));
  return [...overlaps, ...(taken.size >= cpuCount ? [{ kind: 'cpusets-take-all', cpus: cpuCount } as const] : [])];
}
