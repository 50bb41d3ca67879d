import { PgsweepError } from '../../../base/errors.ts';
import { maskKnownTexts } from '../../../base/secrets.ts';
import { hasPostgres } from '../../../journal/link/own-database.ts';
import type { JournalRecord, ProbeRecord } from '../../../journal/records.ts';
import type { Variant } from '../../../journal/scenario-record.ts';
import type { AbsentProbe, LoadTimes, Probe, ProbeContext, ProbedArm, ProbeKind } from '../../probe/probe.ts';
import { probes as kinds } from '../../probe/registry.ts';
import { nameOn } from '../servers/arm-databases.ts';
import type { RunningServer, Servers } from '../servers/servers.ts';

/** All probes of a run. The run knows only this, so that a fake can stand in. */
export interface RunProbes {
  /** Begins to observe an arm of a pass, each before the pass. What is returned ends it, after the pass. */
  begin(arm: ProbedArm, variant: Variant): Promise<EndProbes>;
  /** Lets go of the servers, which may stop then. */
  endRound(): Promise<void>;
  /** Throws PgsweepError `disk` where samples could not be written whole. */
  close(): Promise<void>;
}

/** Tells what was seen of an arm in a pass that is over. */
export type EndProbes = (load: LoadTimes) => Promise<ProbeRecord[]>;

export interface RunProbesOptions {
  readonly context: Omit<ProbeContext, 'postgres'>;
  /** Null where no arm has a Postgres. */
  readonly servers: Servers | null;
  readonly off: readonly string[];
  /** True if all arms are one process and one database, so only values by turns are recorded by arm. */
  readonly shared?: boolean;
  /** Which arms' slices they see; absent where all. What they cost is seen by leaving some out. */
  readonly sees?: (arm: ProbedArm) => boolean;
  readonly write: (record: JournalRecord) => void;
}

/** Opens the probes of the machine for the whole run, and those of a server when an arm of a round is on it. */
export async function createRunProbes({
  context,
  servers,
  off,
  shared = false,
  sees,
  write,
}: RunProbesOptions): Promise<RunProbes> {
  const open = async (of: ProbeKind['of'], postgres: ProbeContext['postgres']): Promise<Opened> => {
    const opened = await Promise.all(
      kinds.filter((kind) => kind.of === of).map((kind) => kind.open({ ...context, postgres })),
    );
    const present = opened.filter((probe): probe is Probe => 'begin' in probe);
    const byTurns = kinds.flatMap((kind) => (kind.byTurns ? [kind.name] : []));
    const wanted = present.filter(({ name }) => !off.includes(name) && (!shared || byTurns.includes(name)));
    await Promise.all(present.map((probe) => (wanted.includes(probe) ? null : probe.close())));
    const mixed = present.filter((probe) => !off.includes(probe.name) && !wanted.includes(probe));
    return {
      probes: wanted,
      absent: [
        ...(opened.filter((probe) => 'absent' in probe && !off.includes(probe.name)) as AbsentProbe[]),
        ...mixed.map(({ name }) => ({ name, absent: 'settings that are switched live share what it counts' })),
      ],
    };
  };
  const machine = await open('machine', null);
  const ofServers = new Map<RunningServer, Promise<Opened>>();
  let full: PgsweepError | null = null;
  /** Samples that have no room cost no round: that is said at the end, once for all the files on that disk. */
  const closeAll = async (probes: readonly Probe[]): Promise<void> => {
    for (const closed of await Promise.allSettled(probes.map((probe) => probe.close()))) {
      const { reason } = closed.status === 'rejected' ? closed : { reason: null };
      if (reason instanceof PgsweepError && reason.code === 'disk') full ??= reason;
    }
  };
  let hasWarned = false;
  const tell = (database: Opened): void => {
    if (hasWarned) return;
    hasWarned = true;
    const present = [...machine.probes, ...database.probes].map(({ name }) => name);
    const absent = [...machine.absent, ...database.absent].map(({ name, absent }) => ({ name, absent }));
    write({ type: 'probes', present, absent: maskKnownTexts(absent) });
  };
  const ofServer = (server: RunningServer | null): Promise<Opened> => {
    if (server === null) return open('server', null);
    const known = ofServers.get(server) ?? open('server', reachable(server));
    ofServers.set(server, known);
    return known;
  };
  const endRound = async (): Promise<void> => {
    const opened = await Promise.allSettled(ofServers.values());
    ofServers.clear();
    const probes = opened.flatMap((result) => (result.status === 'fulfilled' ? result.value.probes : []));
    await closeAll(probes);
  };
  return {
    async begin(arm, variant) {
      if (sees?.(arm) === false) return async () => [];
      const server = hasPostgres(variant) ? (servers?.of({ name: arm.arm }) ?? null) : null;
      const database = await ofServer(server);
      // Where some arms have a Postgres, it is these that tell which probes there are.
      if (server !== null || servers === null) tell(database);
      const probed = server === null ? arm : { ...arm, ...serverFacts(server, arm) };
      // Side by side: one after the other they would take as long as a short slice.
      const marks = await Promise.all(
        [...database.probes, ...machine.probes].map(async (probe) => ({ probe, mark: await probe.begin(probed) })),
      );
      return async (load) => {
        const readings = await Promise.all(
          marks.map(async ({ probe, mark }) => ({ probe, reading: await mark.end(load) })),
        );
        const { round, slice, arm: name } = arm;
        return readings.flatMap(({ probe, reading }) =>
          reading === null
            ? []
            : [{ type: 'probe' as const, round, slice, arm: name, probe: probe.name, ...withMaskedRows(reading) }],
        );
      };
    },
    endRound,
    async close() {
      await endRound();
      await closeAll(machine.probes);
      if (full !== null) throw full;
    },
  };
}

/** Statements and messages of the server's log may hold what the service was given. */
function withMaskedRows<T extends { readonly rows?: ProbeRecord['rows'] }>(reading: T): T {
  return reading.rows === undefined ? reading : { ...reading, rows: maskKnownTexts(reading.rows) };
}

interface Opened {
  readonly probes: readonly Probe[];
  readonly absent: readonly AbsentProbe[];
}

/** Where an arm's database is, on the server that it is on. */
function serverFacts({ postgres }: RunningServer, { database }: ProbedArm): Partial<ProbedArm> {
  return {
    database: database === null ? null : nameOn(postgres, database),
    ...(postgres.pid !== null && { postgresPid: postgres.pid }),
    ...(postgres.cgroup !== undefined && { postgresCgroup: postgres.cgroup }),
  };
}

function reachable({ postgres }: RunningServer): NonNullable<ProbeContext['postgres']> {
  // Somebody else's server logs where only they can read.
  const logFile = postgres.own ? postgres.logFile : null;
  const { pid, version, cgroup } = postgres;
  const adminUrl = (database?: string): string => postgres.adminUrl(database);
  return { adminUrl, pid, version, logFile, ...(cgroup !== undefined && { cgroup }) };
}
