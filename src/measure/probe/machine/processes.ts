import { join } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { processesOf } from '../../../base/process/named-process.ts';
import { type ProcessRow, readProcessTable } from '../../../base/process/process-table.ts';
import { readProc } from '../../../base/process/read-proc.ts';
import { eachRow, inOrder } from '../counters.ts';
import type { AbsentProbe, LoadTimes, Probe, ProbeContext, ProbedArm, ProbeKind } from '../probe.ts';
import { type Samples, sampledProbe } from '../sampled-probe.ts';
import { createPlaces, type Place } from '../shared-by.ts';
import { sessionsOf, treesBelow, usageOf } from './process-usage.ts';
import { type GroupSource, type ReadUsage, type Usage, usageCounters, usageNames, usageValues } from './usage.ts';

const NAME = 'processes';

/** The whole table of processes is read, which takes 10 ms an arm: of most passes the beginning and the end have to do. */
const EVERY_MS = 30_000;
/** The course of a bounded run is drawn from this many samples of each arm, no more than one a second. */
const BOUNDED_SAMPLES = 120;
const LEAST_MS = 1000;

/** In the samples; the sessions of the arm's own database are `postgres` in the values where the server is shared. */
type Role = 'service' | 'postgres' | 'postgres_sessions' | 'opensearch' | 'generator' | OneOfSeveral;
/** One of the processes that the service is, by its name. */
type OneOfSeveral = `service ${string}`;

interface Reading {
  readonly byRole: ReadonlyMap<Role, Usage>;
  readonly postgres: Place;
}

/**
 * CPU (of it the kernel's work), memory, context switches and storage I/O of the service, Postgres, OpenSearch and the load generator, each with
 * everything below it: `service_cpu_cores`, `postgres_memory_max_bytes`, ... What runs in a container is read by its
 * control group. What is not on this machine has no values. A service that is several processes has its values as a
 * whole, and for each of them: `service_cpu_cores{process="api"}`.
 *
 * The service works in its arm's turns, so it is reported per second of the arm's load. Of a Postgres that arms share it is
 * the sessions of the arm's own database; their CPU is what the turn meter saw, since parallel workers and sessions shorter
 * than a pass are in no reading at its ends. Generator and OpenSearch, and a shared Postgres in a container, work for
 * whoever has its turn: they are reported per second of the pass, much the same for all its arms.
 */
export const processes: ProbeKind = { name: NAME, of: 'machine', values: usageNames, open };

async function open(context: ProbeContext): Promise<Probe | AbsentProbe> {
  if (readProcessTable() === null) return { name: NAME, absent: 'this machine has no /proc (not Linux)' };
  const warned = new Set<string>();
  const warn = (role: string, error: unknown): void => {
    if (!warned.has(role)) context.onWarning({ kind: 'probe-missed', probe: NAME, role, cause: messageOf(error) });
    warned.add(role);
  };
  const places = createPlaces<string>();
  return sampledProbe<Reading, Reading>({
    name: NAME,
    everyMs: everyMs(context),
    context,
    columns: ['role', ...Object.keys(usageCounters)],
    reader(arm) {
      const read = rolesReader(context, arm, warn);
      const where = serverOf(context, arm);
      // Without a Postgres that can be seen an arm is in its own place.
      const postgres = places.enter(where.cgroup ?? String(where.pid ?? `${arm.round} ${arm.slice}`));
      return () => ({ byRole: read(), postgres });
    },
    digest: (reading) => reading,
    rows: ({ byRole }) => [...byRole].map(([role, usage]) => [role, ...inOrder(usageCounters, usage)]),
    values(samples, load) {
      samples[0].value.postgres.leave();
      return processValues(samples, load);
    },
  });
}

function everyMs({ boundedMs }: Pick<ProbeContext, 'boundedMs'>): number {
  return boundedMs === undefined ? EVERY_MS : Math.min(EVERY_MS, Math.max(LEAST_MS, boundedMs / BOUNDED_SAMPLES));
}

function processValues(samples: Samples<Reading>, load: LoadTimes): Record<string, number> {
  const { loadMs, passMs } = load;
  const [first] = samples;
  const last = samples.at(-1) ?? first;
  const { shared } = first.value.postgres;
  const hasSessions = last.value.byRole.has('postgres_sessions');
  const valuesOf = (role: Role, name: string, ms: number, process?: string): Record<string, number> => {
    if (!first.value.byRole.has(role) || !last.value.byRole.has(role)) return {};
    const usages = samples.flatMap(({ value }) => value.byRole.get(role) ?? []);
    return usageValues(name, usages, ms / 1000, process);
  };
  const several = [...first.value.byRole.keys()].filter(isOneOfSeveral);
  return {
    ...valuesOf('service', 'service', loadMs),
    ...Object.assign({}, ...several.map((role) => valuesOf(role, 'service', loadMs, roleName(role)))),
    ...(shared && hasSessions
      ? { ...valuesOf('postgres_sessions', 'postgres', loadMs), ...meteredCores(load) }
      : valuesOf('postgres', 'postgres', shared ? passMs : loadMs)),
    ...valuesOf('opensearch', 'opensearch', passMs),
    ...valuesOf('generator', 'generator', passMs),
  };
}

/** Empty where nobody metered them. Only the readings distinguish their own work from the kernel's. */
function meteredCores({ postgresCpuMs = null, loadMs }: LoadTimes): Record<string, number> {
  return postgresCpuMs === null || loadMs <= 0 ? {} : { postgres_cpu_cores: postgresCpuMs / loadMs };
}

const ONE = 'service ';

function isOneOfSeveral(role: Role): role is OneOfSeveral {
  return role.startsWith(ONE);
}

function roleName(role: OneOfSeveral): string {
  return role.slice(ONE.length);
}

type RoleReader = (table: readonly ProcessRow[]) => Usage;

/** The arm's Postgres: a postmaster's pid, or its container's control group. */
function serverOf({ postgres }: ProbeContext, arm: ProbedArm): { pid: number | null; cgroup: string | null } {
  return { pid: arm.postgresPid ?? postgres?.pid ?? null, cgroup: arm.postgresCgroup ?? postgres?.cgroup ?? null };
}

/** A role that cannot be read is left out, so that the others still have values. */
function rolesReader(
  context: ProbeContext,
  arm: ProbedArm,
  warn: (role: Role, error: unknown) => void,
): () => ReadonlyMap<Role, Usage> {
  const { opensearch, generatorPid } = context;
  const { pid, cgroup } = serverOf(context, arm);
  const seesSessions = pid !== null && cgroup === null && arm.database !== null;
  const roles: readonly (readonly [Role, RoleReader | null])[] = [
    ['service', below(processesOf(arm).map((one) => one.pid))],
    ...(arm.processes ?? []).map((one) => [`${ONE}${one.name}`, below([one.pid])] as const),
    ['postgres', place(pid, cgroup)],
    ['postgres_sessions', seesSessions ? usageOf(sessionsOf(pid, arm.database)) : null],
    ['opensearch', place(opensearch?.pid ?? null, opensearch?.cgroup ?? null)],
    ['generator', place(generatorPid, null)],
  ];
  return () => {
    const table = readProcessTable() ?? [];
    const usages = new Map<Role, Usage>();
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
  return cgroup === null ? below(pid === null ? [] : [pid]) : cgroupUsage(cgroup);
}

function below(pids: readonly number[]): RoleReader | null {
  return pids.length === 0 ? null : usageOf(treesBelow(pids));
}

/** A file that `docker stats` leaves out of the memory: what nobody has used lately is the kernel's cache, not the container's need. */
const unusedCache = {
  v2: ['memory.stat', /^inactive_file (\d+)$/gm],
  v1: ['memory/memory.stat', /^total_inactive_file (\d+)$/gm],
} as const satisfies Record<string, GroupSource>;

/**
 * Takes readings of a container by its control group, as /proc/<pid>/cgroup names it (`/docker/<id>`), under
 * `/sys/fs/cgroup`: version 2 where that folder has `cgroup.controllers`, else version 1 with a folder for each
 * controller. Throws where there is no such group. (Linux: Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/.)
 */
export function cgroupUsage(group: string, root = '/sys/fs/cgroup'): ReadUsage {
  const version = readProc(join(root, 'cgroup.controllers')) === null ? 'v1' : 'v2';
  const pathOf = (file: string): string => {
    const [controller = '', name = ''] = file.split('/');
    return version === 'v2' ? join(root, group, file) : join(root, controller, group, name);
  };
  /** Over all devices; null where there is no such file. A group that has not used any device has an empty one. */
  const read = ([file, lines, unit = 1]: GroupSource): number | null => {
    const found = [...(readProc(pathOf(file)) ?? '').matchAll(lines)];
    return found.length === 0 ? null : found.reduce((sum, match) => sum + Number(match[1]), 0) / unit;
  };
  return () => {
    const usage = eachRow(usageCounters, ({ [version]: source }) => (source === undefined ? null : read(source)));
    const { cpu_s, memory_bytes: bytes } = usage;
    if (cpu_s === null && bytes === null) throw new Error(`there is no control group ${group}`);
    return { ...usage, memory_bytes: bytes && Math.max(0, bytes - (read(unusedCache[version]) ?? 0)) };
  };
}
