import type { BackgroundRecord } from '../../../journal/slice-record.ts';
import { type CpuClocks, createCpuClocks } from '../machine/cpu-clocks.ts';
import { isLogShared, type RowsWritten } from './rows-written.ts';
import type { ServerEdge, ServerMeter } from './server-meter.ts';

/** A server in a pass, as of the last edge that looked at it. */
export interface ServerState {
  readonly meter: ServerMeter;
  /** How many arms of the pass are on it. */
  readonly arms: number;
  /** Its background processes that work for all arms. */
  readonly rest: Background;
  edge: ServerEdge;
  /** As the pass began. */
  from: { readonly walBytes: number | null; readonly dataBytes: number | null; readonly rows: RowsWritten | null };
}

/** Background processes, and what they have used in the pass. */
export interface Background {
  /** Null where they cannot be seen, or none of them would be the arm's. */
  readonly clocks: CpuClocks | null;
  cpuMs: number | null;
}

/** An arm, as far as its server matters. */
export interface ServedArm {
  readonly database: string | null;
  readonly server: ServerState | null;
  readonly sessions: CpuClocks | null;
  /** The processes that work in its database; of a server that it has for itself, all of them. */
  readonly background: Background;
}

/** `isSeen`: whether there are such processes, and this machine shows them. */
export function newBackground(isSeen: boolean): Background {
  return isSeen ? { clocks: createCpuClocks({ threaded: false }), cpuMs: 0 } : { clocks: null, cpuMs: null };
}

/** Begins a pass, after the first look at its servers. What background processes had used before is not the pass's. */
export async function beginBackground(arms: readonly ServedArm[]): Promise<void> {
  await Promise.all(
    serversOf(arms).map(async (server) => {
      const dataBytes = await server.meter.dataBytes();
      server.from = { walBytes: server.edge.walBytes, dataBytes, rows: await server.meter.rowsWritten() };
    }),
  );
  for (const background of backgroundsOf(arms)) {
    background.clocks?.grown();
    if (background.clocks !== null) background.cpuMs = 0;
  }
}

/**
 * Asks servers, side by side, and gives the processes that are found to the arms' clocks. Returns by server what those of
 * its children that have ended since its last edge had used unseen: short-lived sessions and parallel workers. Where a
 * known background process of an arm has ended, that is its last work.
 */
export async function askServers(
  servers: readonly ServerState[],
  arms: readonly ServedArm[],
  now: boolean,
): Promise<ReadonlyMap<ServerState | null, number>> {
  await Promise.all(
    servers.map(async (server) => {
      server.edge = await server.meter.edge({ now });
    }),
  );
  const unseen = new Map<ServerState | null, number>();
  for (const server of servers) {
    const own = arms.filter((arm) => arm.server === server);
    showProcesses(server, own);
    const { endedMs } = server.edge;
    if (endedMs === null || endedMs === 0) continue;
    // An idle session of another arm may be among them, with all that it ever used.
    const sessionsMs = own.reduce((sum, arm) => sum + (arm.sessions?.dropEnded() ?? 0), 0);
    const ended = backgroundsOf(own).map((background) => ({ background, ms: background.clocks?.dropEnded() ?? 0 }));
    const known = ended.reduce((sum, { ms }) => sum + ms, sessionsMs);
    const leftMs = Math.max(0, endedMs - known);
    const last = ended.find(({ ms }) => ms > 0)?.background;
    if (last === undefined) unseen.set(server, leftMs);
    else addCpu(last, leftMs);
  }
  return unseen;
}

function showProcesses({ edge: { sessions, background }, rest }: ServerState, own: readonly ServedArm[]): void {
  if (sessions !== null) for (const arm of own) arm.sessions?.include(sessions[arm.database ?? ''] ?? []);
  if (background === null) return;
  const claimed = new Set<string>();
  for (const arm of own) {
    const { clocks } = arm.background;
    if (clocks === null) continue;
    const databases = own.length === 1 ? Object.keys(background) : [arm.database ?? ''];
    clocks.include(databases.flatMap((database) => background[database] ?? []));
    for (const database of databases) claimed.add(database);
  }
  const others = Object.entries(background).filter(([database]) => !claimed.has(database));
  rest.clocks?.include(others.flatMap(([, pids]) => pids));
  for (const one of backgroundsOf(own)) grow(one);
}

/** Reads what background processes have used since they were read last. */
function grow(background: Background): void {
  if (background.clocks === null) return;
  const growth = background.clocks.grown();
  addCpu(background, growth && growth.known + growth.fresh);
}

/** Adds CPU; null from the first reading on that failed. */
export function addCpu(background: Background, ms: number | null): void {
  background.cpuMs = background.cpuMs === null || ms === null ? null : background.cpuMs + ms;
}

/** Where the work of children goes that ended unseen while none of its arms had a turn. */
export function idleBackground(server: ServerState, arms: readonly ServedArm[]): Background {
  const [only] = arms.filter((arm) => arm.server === server);
  return server.arms === 1 && only !== undefined ? only.background : server.rest;
}

/** Ends a pass, after the last look at its servers: a record for each arm, undefined where its server cannot be asked. */
export async function endBackground(
  arms: readonly (ServedArm & { readonly walBytes: number | null })[],
): Promise<(BackgroundRecord | undefined)[]> {
  const servers = serversOf(arms);
  const dataNow = await Promise.all(servers.map(({ meter }) => meter.dataBytes()));
  const isShared = await Promise.all(
    servers.map(async ({ meter, from }) => isLogShared(from.rows, await meter.rowsWritten())),
  );
  return arms.map(({ server, background }) => {
    if (server === null) return undefined;
    const isOwn = server.arms === 1;
    const othersWrote = isShared[servers.indexOf(server)] === true;
    const inTurns = arms.filter((arm) => arm.server === server).map((arm) => arm.walBytes);
    const walInTurns = inTurns.reduce<number | null>(
      (sum, wal) => (sum === null || wal === null ? null : sum + wal),
      0,
    );
    const walOfPass = between(server.from.walBytes, server.edge.walBytes);
    return {
      arms: server.arms,
      cpuMs: rounded(background.cpuMs),
      sharedCpuMs: isOwn ? 0 : rounded(shareOf(server.rest.cpuMs, server.arms)),
      dataBytes: othersWrote
        ? null
        : rounded(shareOf(between(server.from.dataBytes, dataNow[servers.indexOf(server)] ?? null), server.arms)),
      laterWalBytes: othersWrote ? null : rounded(shareOf(between(walInTurns, walOfPass), server.arms)),
      ...(othersWrote && { othersWrote: true as const }),
    };
  });
}

function between(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : Math.max(0, to - from);
}

function shareOf(whole: number | null, arms: number): number | null {
  return whole === null ? null : whole / arms;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(1000 * value) / 1000;
}

function serversOf(arms: readonly ServedArm[]): ServerState[] {
  return [...new Set(arms.flatMap(({ server }) => server ?? []))];
}

function backgroundsOf(arms: readonly ServedArm[]): Background[] {
  return [...arms.map(({ background }) => background), ...serversOf(arms).map(({ rest }) => rest)];
}

/** Lets go of the processes of a pass. */
export function forgetBackground(arms: readonly ServedArm[]): void {
  for (const { clocks } of backgroundsOf(arms)) clocks?.close();
}
