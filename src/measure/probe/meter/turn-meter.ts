import { readProcessTable, treesOf } from '../../../base/process/process-table.ts';
import { readProc } from '../../../base/process/read-proc.ts';
import type { TurnWorkRecord } from '../../../journal/slice-record.ts';
import { addedUp, eachRow } from '../counters.ts';
import { type CpuClocks, createCpuClocks } from '../machine/cpu-clocks.ts';
import { openTcpReader, type TcpCounts, tcpCounters } from '../machine/tcp-counters.ts';
import {
  addCpu,
  askServers,
  beginBackground,
  endBackground,
  forgetBackground,
  idleBackground,
  newBackground,
  type ServedArm,
  type ServerState,
} from './metered-servers.ts';
import { type MeteredServer, openServerMeter, type ServerMeter } from './server-meter.ts';

/** An arm that takes turns in a pass. */
export interface MeteredArm {
  /** The pids of its service, each of which stands for everything below it; none where somebody else started it. */
  readonly servicePids: readonly number[];
  /** The pids of the processes between the two; absent where there are none. */
  readonly linkPids?: readonly number[];
  /** As it is called on its server; null where there is none that the bench can see. */
  readonly database: string | null;
  readonly server: MeteredServer | null;
  /** True if all arms are the same processes and database: between an arm's turns these work for the others. */
  readonly shared?: true;
}

/**
 * Tells what each arm's own processes and the log did in its turns of a pass and between them. It reads at the turns'
 * edges, when no arm is under load. The run knows only this, so that a fake can stand in. Nothing here fails: what
 * cannot be read is null in the record.
 */
export interface TurnMeter {
  /** A pass begins; one that was broken off before is forgotten. No arm is under load. */
  begin(arms: readonly MeteredArm[]): Promise<void>;
  /**
   * One arm's turn has ended (its last answer has come) and another's is about to begin: indexes of `arms`, null at the
   * beginning, at the end and at pauses. No arm is under load until it resolves.
   */
  edge(ended: number | null, next: number | null): Promise<void>;
  /** The pass is over; a record for each arm, in the order of `begin`. */
  end(): Promise<TurnWorkRecord[]>;
  /** Lets go of the servers, which may stop then. */
  release(): Promise<void>;
}

interface ArmMeter extends ServedArm {
  readonly shared: boolean;
  readonly service: CpuClocks | null;
  readonly link: CpuClocks | null;
  readonly sums: { -readonly [Name in keyof TurnWorkRecord]: TurnWorkRecord[Name] };
  /** When its last turn ended, or the pass began. */
  idleSinceMs: number;
}

export function createTurnMeter(): TurnMeter {
  const tcp = openTcpReader();
  const meters = new Map<string, Promise<ServerMeter | null>>();
  let arms: readonly ArmMeter[] = [];
  let tcpBefore: TcpCounts | null = null;
  const meterOf = (server: MeteredServer): Promise<ServerMeter | null> => {
    const url = server.adminUrl();
    const known = meters.get(url) ?? openServerMeter(server).catch(() => null);
    meters.set(url, known);
    return known;
  };
  const forget = (): void => {
    for (const clocks of arms.flatMap(clocksOf)) clocks.close();
    forgetBackground(arms);
    arms = [];
  };
  return {
    async begin(metered) {
      forget();
      const servers = await serversOf(metered, meterOf);
      const trees = servicePidsOf(metered);
      const own = metered.map((arm, index) => armMeter(arm, servers, trees[index] ?? []));
      // One set of clocks for arms that are one process: what one of them has seen is not to be seen again by another.
      const { service = null, sessions = null, link = null } = own[0] ?? {};
      arms = own.map((arm) => (arm.shared ? { ...arm, service, sessions, link } : arm));
      await look(arms, arms, true);
      await beginBackground(arms);
      const nowMs = performance.now();
      for (const clocks of arms.flatMap(clocksOf)) clocks.grown();
      for (const arm of arms) arm.idleSinceMs = nowMs;
    },
    async edge(ended, next) {
      const [before, after] = [armAt(arms, ended), armAt(arms, next)];
      const tcpNow = tcp.read();
      if (before !== null) {
        const turn = addedUp(tcpCounters, tcpBefore === null ? [] : [tcpBefore, tcpNow]);
        Object.assign(
          before.sums,
          eachRow(turn, (count, name) => plus(before.sums[name], count)),
        );
      }
      const touched = [before, after].filter((arm) => arm !== null);
      const walBefore = before?.server?.edge.walBytes ?? null;
      // Sessions of arms that share a database come and go with every switch.
      const unseen = await look(
        touched,
        arms,
        touched.some(({ shared }) => shared),
        before?.server,
      );
      if (before !== null) endTurn(before, walBefore, unseen);
      if (after !== null) endIdling(after);
      tcpBefore = after === null ? null : tcpNow;
    },
    async end() {
      await look(arms, arms, true);
      for (const arm of arms) endIdling(arm);
      const background = await endBackground(arms.map((arm) => ({ ...arm, walBytes: arm.sums.walBytes })));
      const records = arms.map(({ sums }, index) => {
        const own = background[index];
        return {
          ...roundedSums(sums),
          ...(own?.othersWrote && { walBytes: null }),
          ...(own !== undefined && { background: own }),
        };
      });
      forget();
      return records;
    },
    async release() {
      forget();
      const opened = await Promise.all(meters.values());
      meters.clear();
      await Promise.all(opened.map((meter) => meter?.close()));
    },
  };
}

function clocksOf({ service, sessions, link }: ArmMeter): CpuClocks[] {
  return [service, sessions, link].filter((clocks) => clocks !== null);
}

function armAt(arms: readonly ArmMeter[], index: number | null): ArmMeter | null {
  return index === null ? null : (arms[index] ?? null);
}

/** The servers of a pass, each once, told whose sessions matter. */
async function serversOf(
  arms: readonly MeteredArm[],
  meterOf: (server: MeteredServer) => Promise<ServerMeter | null>,
): Promise<ReadonlyMap<string, ServerState>> {
  const states = new Map<string, ServerState>();
  for (const { server } of arms) {
    if (server === null || states.has(server.adminUrl())) continue;
    const meter = await meterOf(server);
    if (meter === null) continue;
    const own = arms.filter((arm) => arm.server?.adminUrl() === server.adminUrl());
    meter.watch(server.pid === null ? [] : own.flatMap(({ database }) => database ?? []));
    states.set(server.adminUrl(), {
      meter,
      arms: own.length,
      rest: newBackground(own.length > 1 && isVisible(server.pid)),
      edge: { walBytes: null, sessions: null, background: null, endedMs: null },
      from: { walBytes: null, dataBytes: null, rows: null },
    });
  }
  return states;
}

/** The processes of each service, as they are now: the table of all processes takes 10 ms, so it is read once a pass. */
function servicePidsOf(arms: readonly MeteredArm[]): (readonly number[])[] {
  const table = readProcessTable();
  return arms.map(({ servicePids }) =>
    servicePids.length === 0 || table === null ? [] : [...treesOf(table, servicePids)],
  );
}

function armMeter(
  { database, server, shared, linkPids = [] }: MeteredArm,
  servers: ReadonlyMap<string, ServerState>,
  pids: readonly number[],
): ArmMeter {
  const state = server === null ? null : (servers.get(server.adminUrl()) ?? null);
  const seesSessions = state !== null && database !== null && isVisible(server?.pid ?? null);
  const service = pids.length === 0 ? null : createCpuClocks({ threaded: true });
  const sessions = seesSessions ? createCpuClocks({ threaded: false }) : null;
  const link = linkPids.length === 0 ? null : createCpuClocks({ threaded: true });
  service?.include(pids);
  link?.include(linkPids);
  const none = (there: unknown): 0 | null => (there === null ? null : 0);
  return {
    database,
    server: state,
    shared: shared === true,
    service,
    sessions,
    background: newBackground(seesSessions && shared !== true),
    link,
    idleSinceMs: performance.now(),
    sums: {
      ...(link !== null && { linkCpuMs: 0 }),
      serviceCpuMs: none(service),
      postgresCpuMs: none(sessions),
      idleCpuMs: shared === true || (service === null && sessions === null) ? null : 0,
      idleMs: 0,
      walBytes: none(state),
      ...eachRow(tcpCounters, () => 0),
    },
  };
}

function isVisible(pid: number | null): boolean {
  return pid !== null && readProc(`/proc/${pid}/stat`) !== null;
}

/**
 * Asks the servers of some arms. Returns what short-lived children used unseen on the server of the arm whose turn has
 * just ended; such work on any other server came while none of its arms had a turn.
 */
async function look(
  touched: readonly ArmMeter[],
  arms: readonly ArmMeter[],
  now: boolean,
  inTurn?: ServerState | null,
): Promise<number> {
  const servers = [...new Set(touched.flatMap(({ server }) => server ?? []))];
  const unseen = await askServers(servers, arms, now);
  for (const server of servers) {
    if (server !== inTurn) addCpu(idleBackground(server, arms), unseen.get(server) ?? 0);
  }
  return unseen.get(inTurn ?? null) ?? 0;
}

function endTurn(arm: ArmMeter, walBefore: number | null, unseenMs: number): void {
  const { sums, service, sessions, link, server } = arm;
  const between = link?.grown() ?? null;
  if (link !== null) sums.linkCpuMs = plus(sums.linkCpuMs ?? null, between && between.known + between.fresh);
  const own = service?.grown() ?? null;
  const database = sessions?.grown() ?? null;
  sums.serviceCpuMs = plus(sums.serviceCpuMs, own && own.known + own.fresh);
  sums.postgresCpuMs = plus(sums.postgresCpuMs, database && database.known + database.fresh + unseenMs);
  const walNow = server?.edge.walBytes ?? null;
  sums.walBytes = plus(sums.walBytes, walBefore === null || walNow === null ? null : walNow - walBefore);
  arm.idleSinceMs = performance.now();
}

/** Adds counts since the arm's last turn to that turn, since its end was not read. */
function endIdling(arm: ArmMeter): void {
  const { sums, service, sessions, link, shared } = arm;
  link?.grown();
  if (shared) {
    service?.grown();
    sessions?.grown();
    return;
  }
  sums.idleMs += performance.now() - arm.idleSinceMs;
  for (const [clocks, own] of [
    [service, 'serviceCpuMs'],
    [sessions, 'postgresCpuMs'],
  ] as const) {
    const growth = clocks?.grown();
    if (growth === undefined) continue;
    sums[own] = plus(sums[own], growth?.fresh ?? null);
    sums.idleCpuMs = plus(sums.idleCpuMs, growth?.known ?? null);
  }
}

/** Null from the first reading on that failed: a sum over some of the turns would look like the whole. */
function plus(sum: number | null, more: number | null): number | null {
  return sum === null || more === null ? null : sum + more;
}

/** Microseconds are more than CPU time can be measured to, and keep the journal small. */
function roundedSums(sums: TurnWorkRecord): TurnWorkRecord {
  const entries = (Object.entries(sums) as [string, number | null][]).map(([name, value]) => [
    name,
    value && Math.round(1000 * value) / 1000,
  ]);
  return Object.fromEntries(entries) as TurnWorkRecord;
}
