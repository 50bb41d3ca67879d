import { readdirSync } from 'node:fs';
import { readProc } from './read-proc.ts';

export interface ProcessRow {
  readonly pid: number;
  readonly name: string;
  /** One letter: `Z` has ended, and its parent has not asked how. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Its own CPU time, in clock ticks. */
  readonly ticks: number;
  /** CPU time of children that have ended and that it has waited for; theirs included. */
  readonly childTicks: number;
  /** The part of both that the kernel worked for it: system calls. */
  readonly systemTicks: number;
  readonly threads: number;
}

/** kthreadd, the parent of every kernel thread. */
const KERNEL = 2;

/** Every process of this machine that can be seen; null where there is no /proc. */
export function readProcessTable(): ProcessRow[] | null {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return null;
  }
  const rows = names.flatMap((name) => {
    const text = /^\d+$/.test(name) ? readProc(`/proc/${name}/stat`) : null;
    // One that has ended since the folder was read.
    return text === null ? [] : [parseProcess(text)];
  });
  return rows.length === 0 ? null : rows;
}

export function parseProcess(text: string): ProcessRow {
  // The program's name may hold spaces and brackets, so fields are counted from its last closing bracket (field 2).
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid: Number(text.slice(0, open)),
    name: text.slice(open + 1, close),
    state: fields[0] ?? '',
    parent: field(4),
    group: field(5),
    session: field(6),
    ticks: field(14) + field(15),
    childTicks: field(16) + field(17),
    systemTicks: field(15) + field(17),
    threads: field(20),
  };
}

export function isKernelThread({ pid, parent, session }: ProcessRow): boolean {
  // In a container pid 2 may be any process; kernel threads are in no session.
  return session === 0 && (pid === KERNEL || parent === KERNEL);
}

/**
 * The processes below some roots, roots included: by parent, and by group or session, so that a process whose parent
 * has ended (and which init has adopted) still belongs to the tree that it came from.
 */
export function treesOf(table: readonly ProcessRow[], roots: readonly number[]): Set<number> {
  const wanted = new Set(roots);
  const found = new Set<number>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const { pid, parent, group, session } of table) {
      if (wanted.has(pid) || wanted.has(group) || wanted.has(session) || found.has(parent)) found.add(pid);
    }
  }
  return found;
}
