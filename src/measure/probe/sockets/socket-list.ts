import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A TCP socket of this machine, as `ss` of iproute2 reports it. */
export interface TcpSocket {
  /** Its number on this machine, by which the links in /proc name it. */
  readonly inode: number;
  readonly listens: boolean;
  /** Where it is: the two addresses tell a connection from all others. */
  readonly local: Address;
  readonly peer: Address;
  /** Payload since it was opened, that of repeated segments counted once (Linux: struct tcp_info). */
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Numbers for names, with inodes and TCP_INFO, without a head line; of those that are closed there may be thousands. Processes
 * are not asked for: `ss` would read the open files of all that run, which takes most of its time (socket-holders.ts).
 */
const ARGUMENTS = ['-ineH', 'state', 'all', 'exclude', 'time-wait'];
const LIMIT_MS = 5000;
/** A thousand connections are some 500 kB. */
const MOST_BYTES = 64 * 1024 * 1024;

/** All TCP sockets of this machine. Rejects where there is no `ss`. */
export async function listSockets(): Promise<TcpSocket[]> {
  return parseSockets(await ss('-t'));
}

/** A connection by a Unix socket to a Postgres. */
export interface PostgresPath {
  /** `/var/run/postgresql/.s.PGSQL.5432` */
  readonly path: string;
  /** The number of the client's end. */
  readonly inode: number;
}

/** All TCP sockets of this machine, and the connections by Unix sockets to a Postgres, in one look. Rejects where there is no `ss`. */
export async function listConnections(): Promise<{ sockets: TcpSocket[]; paths: PostgresPath[] }> {
  const text = await ss('-tx');
  return { sockets: parseSockets(text), paths: parsePostgresPaths(text) };
}

async function ss(families: string): Promise<string> {
  const { stdout } = await promisify(execFile)('ss', [families, ...ARGUMENTS], {
    timeout: LIMIT_MS,
    maxBuffer: MOST_BYTES,
  });
  return stdout;
}

/** The connections to a Postgres in the output of `ss -xH`: the server's end has the path, and each end names the other by its inode. */
export function parsePostgresPaths(text: string): PostgresPath[] {
  const ends = text.split('\n').flatMap((line) => {
    const [, path = '', own = '', peer = ''] =
      /^u_str\s+ESTAB\s+\d+\s+\d+\s+(\S+)\s+(\d+)\s+\S+\s+(\d+)\b/.exec(line) ?? [];
    return own === '' ? [] : [{ path, own, peer }];
  });
  const served = new Map(ends.flatMap(({ path, own }) => (/\.s\.PGSQL\.\d+$/.test(path) ? [[own, path]] : [])));
  return ends.flatMap(({ own, peer }) => {
    const path = served.get(peer);
    return path === undefined ? [] : [{ path, inode: Number(own) }];
  });
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
 * The TCP sockets in the output of `ss -tineH`: a line for each, which `-tx` begins with `tcp`, with a second one for its TCP_INFO,
 * which begins with a tab. The second is blank for a socket that has none, such as one that waits for its peer's FIN after its
 * process ended; no process holds that one, and it has no inode.
 */
export function parseSockets(text: string): TcpSocket[] {
  return text
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const [, state, local, peer, rest = ''] =
        /^(?:tcp\s+)?([A-Z]\S*)\s+\d+\s+\d+\s+(\S+)\s+(\S+)\s*(.*)$/.exec(line) ?? [];
      if (state === undefined || local === undefined || peer === undefined) return [];
      const inode = Number(/\bino:(\d+)/.exec(rest)?.[1] ?? 0);
      return inode === 0
        ? []
        : [{ inode, listens: state === 'LISTEN', ...bytesOf(rest), local: addressOf(local), peer: addressOf(peer) }];
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
function bytesOf(info: string): Pick<TcpSocket, 'sentBytes' | 'receivedBytes'> {
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
