import { messageOf } from '../base/errors.ts';
import { cgroupUsage } from './cgroup-usage.ts';
import type { AbsentProbe, Probe, ProbeContext, ProbedArm } from './probe.ts';
import { type ProcessRow, readProcessTable } from './process-table.ts';
import { treeUsage } from './process-usage.ts';
import { type Samples, sampledProbe } from './sampled-probe.ts';
import { type Usage, usageColumns, usageRow, usageValues } from './usage.ts';

const NAME = 'processes';

/** The whole table of processes is read, which takes 10 ms: of short slices the beginning and the end have to do. */
const EVERY_MS = 10_000;

type ByRole = ReadonlyMap<string, Usage>;

/**
 * CPU, memory, context switches and storage I/O of the service, Postgres, OpenSearch and the load generator, each with
 * everything below it: `service_cpu_cores`, `postgres_memory_max_bytes`, ... What runs in a container is read by its
 * control group. What is not on this machine has no values.
 */
export async function openProcesses(context: ProbeContext): Promise<Probe | AbsentProbe> {
  if (readProcessTable() === null) return { name: NAME, absent: 'this machine has no /proc (not Linux)' };
  const warned = new Set<string>();
  const warn = (role: string, error: unknown): void => {
    if (!warned.has(role)) context.onWarning(`${NAME} of ${role} could not be read: ${messageOf(error)}`);
    warned.add(role);
  };
  return sampledProbe<ByRole, ByRole>({
    name: NAME,
    everyMs: EVERY_MS,
    context,
    columns: ['role', ...usageColumns],
    reader: (arm) => rolesReader(context, arm, warn),
    digest: (reading) => reading,
    rows: (byRole) => [...byRole].map(([role, usage]) => [role, ...usageRow(usage)]),
    values: processValues,
  });
}

function processValues(samples: Samples<ByRole>): Record<string, number> {
  const [first] = samples;
  const last = samples.at(-1) ?? first;
  const roles = [...first.value.keys()].filter((role) => last.value.has(role));
  const values = roles.map((role) => {
    const usages = samples.flatMap(({ value }) => value.get(role) ?? []);
    return usageValues(role, usages, (last.atMs - first.atMs) / 1000);
  });
  return Object.assign({}, ...values);
}

type RoleReader = (table: readonly ProcessRow[]) => Usage;

/** A role that cannot be read is left out, so that the others still have values. */
function rolesReader(
  { postgres, opensearch, generatorPid }: ProbeContext,
  arm: ProbedArm,
  warn: (role: string, error: unknown) => void,
): () => ByRole {
  const roles: readonly (readonly [string, RoleReader | null])[] = [
    ['service', place(arm.pid, null)],
    ['postgres', place(arm.postgresPid ?? postgres?.pid ?? null, arm.postgresCgroup ?? postgres?.cgroup ?? null)],
    ['opensearch', place(opensearch?.pid ?? null, opensearch?.cgroup ?? null)],
    ['generator', place(generatorPid, null)],
  ];
  return () => {
    const table = readProcessTable() ?? [];
    const usages = new Map<string, Usage>();
    for (const [role, read] of roles) {
      try {
        if (read !== null) usages.set(role, read(table));
      } catch (error) {
        warn(role, error);
      }
    }
    return usages;
  };
}

function place(pid: number | null, cgroup: string | null): RoleReader | null {
  if (cgroup !== null) return cgroupUsage(cgroup);
  return pid === null ? null : treeUsage(pid);
}
