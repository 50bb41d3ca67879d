import { readdirSync, readlinkSync } from 'node:fs';
import type { TcpSocket } from './socket-list.ts';

/** The processes that hold a socket; forked ones may share it. */
interface Held {
  readonly pids: readonly number[];
}

/** A TCP socket, and the processes that hold it. */
export type SocketRow = TcpSocket & Held;

/** Inodes of the sockets that some processes hold, each with its holders. Processes that this user may not inspect have none. */
export function holdersOf(pids: Iterable<number>): ReadonlyMap<number, readonly number[]> {
  const holders = new Map<number, number[]>();
  for (const pid of pids) {
    for (const inode of socketsOf(pid)) {
      const others = holders.get(inode);
      if (others === undefined) holders.set(inode, [pid]);
      else others.push(pid);
    }
  }
  return holders;
}

/** The sockets that are held, each with its holders. */
export function heldBy<T extends { readonly inode: number }>(
  sockets: readonly T[],
  holders: ReturnType<typeof holdersOf>,
): (T & Held)[] {
  return sockets.flatMap((socket) => {
    const pids = holders.get(socket.inode);
    return pids === undefined ? [] : [{ ...socket, pids }];
  });
}

/** The connections among the sockets of a service that it has opened to others: neither those that were opened to it nor those within it. */
export function openedBy(own: readonly SocketRow[]): SocketRow[] {
  const listening = new Set(own.flatMap(({ listens, local }) => (listens ? [local.port] : [])));
  return own.filter(({ listens, local, peer }) => !listens && !listening.has(local.port) && !listening.has(peer.port));
}

/** The inodes of the sockets that a process has open, each once. */
function socketsOf(pid: number): Set<number> {
  const folder = `/proc/${pid}/fd`;
  const found = new Set<number>();
  for (const name of namesIn(folder)) {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${name}`))?.[1];
    if (inode !== undefined) found.add(Number(inode));
  }
  return found;
}

/** None of a process that has ended, or that is another user's. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty where the file has been closed since its folder was read. */
function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
