import { readdirSync, readlinkSync } from 'node:fs';
import { readProcessTable, treesOf } from '../../base/process/process-table.ts';
import { readProc } from '../../base/process/read-proc.ts';

/** A process that listens where a service should. */
export interface Stranger {
  readonly pid: number;
  /** The name of its program. */
  readonly name: string;
}

/** Started processes: everything below the process, or with the bench's mark in its environment. */
interface Own {
  readonly pid: number;
  readonly mark: Readonly<Record<string, string>>;
}

/** As /proc/net writes them: 127.0.0.1 and any address, each also as IPv6. */
const ADDRESSES = new Set(['0100007F', '00000000', '0000000000000000FFFF00000100007F', '0'.repeat(32)]);
const LISTENS = '0A';
/** Programs that listen on this machine for a service in a container. */
const ENGINES = /^(docker-proxy|com\.docker|rootless|slirp4netns|passt|pasta|gvproxy|conmon)/;

/**
 * Another process that listens on a port of 127.0.0.1 instead of the started one; null where the started one does, and where
 * that is not known: without /proc, and for processes of other users and of containers.
 */
export function strangerOn(port: number, own: Own): Stranger | null {
  const sockets = listenersOn(port);
  if (sockets.size === 0) return null;
  const table = (readProcessTable() ?? []).filter(({ state }) => state !== 'Z');
  const below = treesOf(table, [own.pid]);
  if (table.some(({ pid }) => below.has(pid) && holds(pid, sockets) !== false)) return null;
  const others = table.filter(({ pid }) => !below.has(pid));
  const holders = others.filter(({ pid }) => holds(pid, sockets));
  const isOther = ({ pid, name }: Stranger): boolean =>
    !ENGINES.test(name) && namespaceOf(pid) === namespaceOf('self') && !isMarked(pid, own.mark);
  const [first] = holders;
  return first !== undefined && holders.every(isOther) ? { pid: first.pid, name: first.name } : null;
}

/** The sockets that listen there, as the links of those who hold them name them. */
function listenersOn(port: number): ReadonlySet<string> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = ['tcp', 'tcp6'].flatMap((file) => (readProc(`/proc/net/${file}`) ?? '').split('\n'));
  return new Set(
    rows.flatMap((row) => {
      const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
      const [address = '', itsPort] = local.split(':');
      return state === LISTENS && itsPort === hex && ADDRESSES.has(address) ? [`socket:[${inode}]`] : [];
    }),
  );
}

/** True if a process holds one of some sockets; null if it may not be inspected. */
function holds(pid: number, sockets: ReadonlySet<string>): boolean | null {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((name) => sockets.has(linkOf(`${folder}/${name}`)));
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isGone ? false : null;
  }
}

/** Processes of a container have their own. */
function namespaceOf(pid: number | 'self'): string {
  return linkOf(`/proc/${pid}/ns/pid`);
}

function isMarked(pid: number, mark: Own['mark']): boolean {
  const variables = (readProc(`/proc/${pid}/environ`) ?? '').split('\0');
  return Object.entries(mark).some(([name, value]) => variables.includes(`${name}=${value}`));
}

/** Empty where there is none. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
