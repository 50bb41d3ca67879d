import { lookup } from 'node:dns/promises';
import { isLoopback } from '../../../base/loopback.ts';
import { readProcessTable, treesOf } from '../../../base/process/process-table.ts';
import { readProc } from '../../../base/process/read-proc.ts';
import { heldBy, holdersOf, openedBy } from '../../probe/sockets/socket-holders.ts';
import { type Address, listConnections } from '../../probe/sockets/socket-list.ts';
import type { CopyUse } from '../servers/arm-databases.ts';
import { POSTGRES_PORT, speaksPostgres } from './speaks-postgres.ts';

/** A Postgres other than the one of the copy: an address, the path of a Unix socket, or another database beside the copy. */
export type Other =
  | { readonly kind: 'server'; readonly at: Address }
  | { readonly kind: 'path'; readonly at: string }
  | { readonly kind: 'database'; readonly at: string };

/** Where the processes of a service are connected at one moment. */
export interface Reached {
  readonly others: readonly Other[];
  /** Sessions in the copy. */
  readonly sessions: number;
  /** The roles that they have. */
  readonly roles: readonly string[];
  /** How many processes hold connections to the copy; null where that cannot be seen. */
  readonly processes: number | null;
  /** Transactions that have ended in the copy. */
  readonly transactions: number;
  /** Scans of tables of the copy, and rows written. */
  readonly accesses: number;
  /** When its last known statement began; null if it had none or it cannot be seen. */
  readonly askedMs: number | null;
  /** When this was seen, by the same clock: the server's. */
  readonly atMs: number;
}

/** A service and its copy. */
export interface Service {
  /** Processes that were started for it: each stands for everything below it. */
  readonly pids: readonly number[];
  /** Variables of its environment by which processes that left the tree are known. */
  readonly mark: Readonly<Record<string, string>>;
  /** The database, as the service was given it. */
  readonly databaseUrl: string;
  /** Servers that are known to be other ones. They are not asked. */
  readonly known: readonly string[];
  /** True if something stands between it and its copy: the ports of its sessions are then not the service's. */
  readonly isLinked: boolean;
}

/** Finds where a service is connected. Sockets that cannot be seen are left out: the sessions of the copy still show it. */
export async function lookAt(service: Service, { name, sessions, ...counts }: CopyUse): Promise<Reached> {
  const own = sessions.filter(({ database }) => database === name);
  const asked = own.flatMap(({ askedMs }) => askedMs ?? []);
  const copy = {
    ...counts,
    sessions: own.length,
    roles: [...new Set(own.map(({ role }) => role))].sort(),
    askedMs: asked.length === 0 ? null : Math.max(...asked),
  };
  const listed = process.platform === 'linux' ? await listConnections().catch(() => null) : null;
  // A server by its socket has no address: which connections lead to it is not seen.
  if (listed === null || tcpHostOf(service.databaseUrl) === null) return { ...copy, others: [], processes: null };
  const holders = holdersOf(processesOf(service));
  const opened = openedBy(heldBy(listed.sockets, holders));
  const isGiven = await addressTest(service.databaseUrl);
  const known = await Promise.all([...service.known].map(addressTest));
  const toCopy = opened.filter(({ peer }) => isGiven(peer));
  const others = opened.filter(({ peer }) => !isGiven(peer) && !known.some((isKnown) => isKnown(peer)));
  const elsewhere = new Map(others.map(({ peer }) => [textOf(peer), peer]));
  const speaking = await Promise.all(
    [...elsewhere.values()].map(async (at) => ((await speaksPostgres(at)) ? [{ kind: 'server' as const, at }] : [])),
  );
  const holding = new Set(toCopy.flatMap(({ pids }) => pids));
  const ports = new Set(service.isLinked ? [] : toCopy.map(({ local }) => local.port));
  const beside = sessions.filter(({ database, port }) => database !== name && port !== null && ports.has(port));
  return {
    ...copy,
    others: [
      ...speaking.flat(),
      ...heldBy(listed.paths, holders).map(({ path: at }) => ({ kind: 'path' as const, at })),
      ...[...new Set(beside.map(({ database }) => database))].map((at) => ({ kind: 'database' as const, at })),
    ],
    processes: holding.size === 0 ? null : holding.size,
  };
}

/** The processes of a service: the trees below those that were started, and daemons that have left them. */
function processesOf({ pids, mark }: Service): Set<number> {
  const table = readProcessTable() ?? [];
  const wanted = Object.entries(mark).map(([name, value]) => `${name}=${value}`);
  const left = table.filter(({ pid }) => {
    const environment = wanted.length === 0 ? [] : (readProc(`/proc/${pid}/environ`) ?? '').split('\0');
    return wanted.length > 0 && wanted.every((variable) => environment.includes(variable));
  });
  return treesOf(table, [...pids, ...left.map(({ pid }) => pid)]);
}

/** Tells if an address is that of a URL; none is where the URL has a socket. Names are looked up; all addresses of this machine's own are one. */
export async function addressTest(url: string): Promise<(address: Address) => boolean> {
  const { port } = new URL(url);
  const host = tcpHostOf(url);
  if (host === null) return () => false;
  const found = await lookup(host, { all: true }).catch(() => []);
  const hosts = new Set([host, ...found.map(({ address }) => address)]);
  const isHere = [...hosts].some(isOwn);
  const its = Number(port) || POSTGRES_PORT;
  return (address) => address.port === its && (hosts.has(address.host) || (isHere && isOwn(address.host)));
}

/** Null where a URL has the folder of a Unix socket, or no host. */
function tcpHostOf(url: string): string | null {
  const host = decodeURIComponent(new URL(url).hostname).replace(/^\[(.*)\]$/, '$1');
  return host === '' || host.startsWith('/') ? null : host;
}

function isOwn(host: string): boolean {
  return isLoopback(`http://${host.includes(':') ? `[${host}]` : host}`);
}

/** `127.0.0.1:5432`, `[::1]:5432` */
export function textOf({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
