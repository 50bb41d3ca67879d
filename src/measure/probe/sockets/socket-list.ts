import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A TCP socket of this machine that some processes hold, as `ss` of iproute2 tells. */
export interface SocketRow {
  readonly listens: boolean;
  /** Where it is: the two addresses tell a connection from all others. */
  readonly local: Address;
  readonly peer: Address;
  /** The processes that hold it; forked ones may share it. */
  readonly pids: readonly number[];
  /** Payload since it was opened, that of repeated segments counted once (Linux: struct tcp_info). */
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Numbers for names, with processes and TCP_INFO, without a head line; of those that are closed there may be thousands. */
const ARGUMENTS = ['-tinpH', 'state', 'all', 'exclude', 'time-wait'];
const LIMIT_MS = 5000;
/** A thousand connections are some 500 kB. */
const MOST_BYTES = 64 * 1024 * 1024;

/** All TCP sockets whose processes this user may see. Rejects where there is no `ss`. */
export async function listSockets(): Promise<SocketRow[]> {
  const { stdout } = await promisify(execFile)('ss', ARGUMENTS, { timeout: LIMIT_MS, maxBuffer: MOST_BYTES });
  return parseSockets(stdout);
}

/** A Unix socket of a Postgres, and the processes that are connected to it. */
export interface PostgresPath {
  /** `/var/run/postgresql/.s.PGSQL.5432` */
  readonly path: string;
  readonly pids: readonly number[];
}

/** All connections by Unix sockets to a Postgres whose processes this user may see. Rejects where there is no `ss`. */
export async function listPostgresPaths(): Promise<PostgresPath[]> {
  const { stdout } = await promisify(execFile)('ss', ['-xpH'], { timeout: LIMIT_MS, maxBuffer: MOST_BYTES });
  return parsePostgresPaths(stdout);
}

/** The connections to a Postgres in the output of `ss -xpH`: the server's end has the path, and each end names the other by a number. */
export function parsePostgresPaths(text: string): PostgresPath[] {
  const ends = text.split('\n').flatMap((line) => {
    const [, path = '', own = '', peer = '', rest = ''] =
      /^u_str\s+ESTAB\s+\d+\s+\d+\s+(\S+)\s+(\d+)\s+\S+\s+(\d+)\s*(.*)$/.exec(line) ?? [];
    return own === '' ? [] : [{ path, own, peer, pids: pidsIn(rest) }];
  });
  const served = new Map(ends.flatMap(({ path, own }) => (/\.s\.PGSQL\.\d+$/.test(path) ? [[own, path]] : [])));
  return ends.flatMap(({ peer, pids }) => {
    const path = served.get(peer);
    return path === undefined || pids.length === 0 ? [] : [{ path, pids }];
  });
}

function pidsIn(users: string): number[] {
  return [...users.matchAll(/\bpid=(\d+)/g)].map((match) => Number(match[1]));
}

/** The connections that processes have opened to others: neither those that were opened to them nor those among themselves. */
export function openedBy(sockets: readonly SocketRow[], pids: ReadonlySet<number>): SocketRow[] {
  const own = sockets.filter((socket) => socket.pids.some((pid) => pids.has(pid)));
  const listening = new Set(own.flatMap(({ listens, local }) => (listens ? [local.port] : [])));
  return own.filter(({ listens, local, peer }) => !listens && !listening.has(local.port) && !listening.has(peer.port));
}

/** Why there is nothing to be read; null where there is. */
export async function whyNoSockets(): Promise<string | null> {
  if (process.platform !== 'linux') return 'only Linux reports TCP_INFO of other processes';
  try {
    await promisify(execFile)('ss', ['-V'], { timeout: LIMIT_MS });
    return null;
  } catch {
    return 'there is no ss on this machine (Debian: apt-get install iproute2)';
  }
}

/**
 * The sockets in the output of `ss -tinpH`: a line for each, with a second one for its TCP_INFO, which begins with a tab. The second is blank
 * for a socket that has none, such as one that waits for its peer's FIN after its process ended.
 */
export function parseSockets(text: string): SocketRow[] {
  return text
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const [, state, local, peer, rest = ''] = /^(\S+)\s+\d+\s+\d+\s+(\S+)\s+(\S+)\s*(.*)$/.exec(line) ?? [];
      if (state === undefined || local === undefined || peer === undefined) return [];
      const pids = pidsIn(rest);
      return pids.length === 0
        ? []
        : [{ listens: state === 'LISTEN', ...bytesOf(rest), local: addressOf(local), peer: addressOf(peer), pids }];
    });
}

/** `127.0.0.1:80`, `[::1]:80`, `[::ffff:127.0.0.1]:80`, `127.0.0.1%lo:80`, `*:80` */
function addressOf(text: string): Address {
  const colon = text.lastIndexOf(':');
  const host = text
    .slice(0, colon)
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/, '');
  return { host, port: Number(text.slice(colon + 1)) || 0 };
}

/** Old kernels (before 4.19) tell only what was acknowledged. What is 0 is left out. */
function bytesOf(info: string): Pick<SocketRow, 'sentBytes' | 'receivedBytes'> {
  const count = (name: string): number | null => {
    const found = new RegExp(`\\b${name}:(\\d+)`).exec(info)?.[1];
    return found === undefined ? null : Number(found);
  };
  const sent = count('bytes_sent');
  // The opening of a connection is acknowledged as one byte.
  const acknowledged = Math.max(0, (count('bytes_acked') ?? 0) - 1);
  return {
    sentBytes: sent === null ? acknowledged : sent - (count('bytes_retrans') ?? 0),
    receivedBytes: count('bytes_received') ?? 0,
  };
}
