import { processesOf } from '../../../base/process/named-process.ts';
import { type ProcessRow, readProcessTable, treesOf } from '../../../base/process/process-table.ts';
import type { AbsentProbe, LoadTimes, Probe, ProbeContext, ProbedArm, ProbeKind } from '../probe.ts';
import { type Samples, sampledProbe } from '../sampled-probe.ts';
import { heldBy, holdersOf, type SocketRow } from './socket-holders.ts';
import { type Address, listSockets, type TcpSocket, whyNoSockets } from './socket-list.ts';

const NAME = 'backend-bytes';

/** The beginning and the end tell the bytes; what is seen between them tells of connections that were at neither. */
const EVERY_MS = 5000;

/** A connection of a process of the service to something else. */
interface Connection {
  /** Tells it from all others. */
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/**
 * Bytes that went between the service and each of its backends, a request, as TCP counts them (payload; neither heads nor
 * what was sent again): `backend_sent_bytes_per_request{from="api",to="postgres"}`. A backend is Postgres (by whatever way),
 * OpenSearch, another of several services by its name, or `host:port`. Of connections that were closed in the pass nobody
 * knows what went over them: `backend_connections_closed` counts them, and they are in no other value.
 */
export const backendBytes: ProbeKind = { name: NAME, of: 'machine', values: [], open };

async function open(context: ProbeContext): Promise<Probe | AbsentProbe> {
  const absent = await whyNoSockets();
  if (absent !== null) return { name: NAME, absent };
  const atEnds = shared(async () => ({ sockets: await listSockets(), table: readProcessTable() ?? [] }));
  return sampledProbe<readonly Connection[], readonly Connection[]>({
    name: NAME,
    everyMs: EVERY_MS,
    context,
    columns: ['connection', 'from', 'to', 'sent_bytes', 'received_bytes'],
    reader: (arm) => {
      const backends = backendsOf(context, arm);
      let table: readonly ProcessRow[] = [];
      return async () => {
        // The table of processes takes 10 ms: beside the load that of the beginning has to do.
        const look = arm.underLoad() ? { sockets: await listSockets(), table } : await atEnds();
        table = look.table;
        return connectionsOf(ofArm(look, arm), arm, backends);
      };
    },
    digest: (connections) => connections,
    rows: (connections) =>
      connections.map(({ key, from, to, sentBytes, receivedBytes }) => [key, from, to, sentBytes, receivedBytes]),
    values: bytesPerRequest,
  });
}

export interface Look {
  readonly sockets: readonly SocketRow[];
  readonly table: readonly ProcessRow[];
}

/** A look with the sockets of the arm's processes alone. */
function ofArm(
  { sockets, table }: { sockets: readonly TcpSocket[]; table: readonly ProcessRow[] },
  arm: ProbedArm,
): Look {
  const roots = processesOf(arm).map(({ pid }) => pid);
  return { sockets: heldBy(sockets, holdersOf(treesOf(table, roots))), table };
}

/** All arms of a pass are looked at in the same moment, by one reading. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null;
  return () => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
}

/** Names of backends that are not processes of the arm, by port. */
export function backendsOf(
  { opensearch }: Pick<ProbeContext, 'opensearch'>,
  { databasePort }: Pick<ProbedArm, 'databasePort'>,
): ReadonlyMap<number, string> {
  const search = opensearch?.url === undefined ? 0 : portOf(new URL(opensearch.url));
  return new Map([
    [search, 'opensearch'],
    [databasePort ?? 0, 'postgres'],
  ]);
}

/** The port of an HTTP URL, which leaves out the usual one of its protocol. */
function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** The connections that an arm's processes have opened; those that were opened to them lead to ports on which they listen. */
export function connectionsOf(
  { sockets, table }: Look,
  arm: Pick<ProbedArm, 'pid' | 'processes'>,
  backends: ReadonlyMap<number, string>,
): Connection[] {
  const trees = processesOf(arm).map(({ name, pid }) => ({ name, pids: treesOf(table, [pid]) }));
  const ownerOf = ({ pids }: SocketRow): string | undefined =>
    trees.find((tree) => pids.some((pid) => tree.pids.has(pid)))?.name;
  const listening = new Map(
    sockets.flatMap((socket) => {
      const owner = socket.listens ? ownerOf(socket) : undefined;
      return owner === undefined ? [] : [[socket.local.port, owner] as const];
    }),
  );
  return sockets.flatMap((socket): Connection[] => {
    const { listens, local, peer, sentBytes, receivedBytes } = socket;
    const from = ownerOf(socket);
    if (listens || from === undefined || listening.get(local.port) === from) return [];
    const to = listening.get(peer.port) ?? backends.get(peer.port) ?? textOf(peer);
    return [{ key: `${textOf(local)} ${textOf(peer)}`, from, to, sentBytes, receivedBytes }];
  });
}

function textOf({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The values of a pass. Connections that were there at its end are counted from its beginning, or from their own. */
export function bytesPerRequest(
  samples: Samples<readonly Connection[]>,
  { requests = 0 }: Pick<LoadTimes, 'requests'>,
): Record<string, number> {
  const [first] = samples;
  const last = (samples.at(-1) ?? first).value;
  const before = new Map(first.value.map((one) => [one.key, one]));
  const atEnd = new Set(last.map(({ key }) => key));
  const values: Record<string, number> = {};
  const add = (name: string, { from, to }: Connection, more: number): void => {
    const labelled = `${name}{from="${from}",to="${to}"}`;
    values[labelled] = (values[labelled] ?? 0) + more;
  };
  const seen = new Map(samples.flatMap(({ value }) => value.map((one) => [one.key, one] as const)));
  for (const one of seen.values()) add('backend_connections_closed', one, atEnd.has(one.key) ? 0 : 1);
  if (requests <= 0) return values;
  for (const one of last) {
    const known = before.get(one.key);
    // The same two ports may be those of a later connection, which has counted from 0.
    const from = known !== undefined && known.sentBytes <= one.sentBytes ? known : null;
    add('backend_sent_bytes_per_request', one, (one.sentBytes - (from?.sentBytes ?? 0)) / requests);
    add('backend_received_bytes_per_request', one, (one.receivedBytes - (from?.receivedBytes ?? 0)) / requests);
  }
  return values;
}
