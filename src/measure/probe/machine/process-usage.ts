import { type ProcessRow, treesOf } from '../../../base/process/process-table.ts';
import { readProc } from '../../../base/process/read-proc.ts';
import {
  parseMemory,
  parseStorageBytes,
  parseSwitches,
  type StorageBytes,
  type Switches,
  secondsOf,
  threadsOf,
  threadTicks,
  threadWaitNs,
} from './process-files.ts';
import { growingCounts, type Part, processTreeTotal } from './process-tree-total.ts';
import type { Usage } from './usage.ts';

/** Which processes of the table are meant, by pid. */
export type Selection = (table: readonly ProcessRow[]) => ReadonlySet<number>;

/** Some processes, each with everything below it. Throws where one of them is gone. */
export function treesBelow(roots: readonly number[]): Selection {
  return (table) => {
    const gone = roots.find((root) => !table.some(({ pid }) => pid === root));
    if (gone !== undefined) throw new Error(`process ${gone} is gone`);
    return treesOf(table, roots);
  };
}

/**
 * A postmaster's sessions in one database. They say in their titles whose they are (`postgres: user database host idle`),
 * which costs no query.
 */
export function sessionsOf(postmaster: number, database: string): Selection {
  return (table) => {
    const title = (pid: number): string => readProc(`/proc/${pid}/cmdline`) ?? '';
    const own = table.filter(({ pid, parent }) => parent === postmaster && title(pid).includes(` ${database} `));
    return new Set(own.map(({ pid }) => pid));
  };
}

/**
 * Takes readings of some processes, from Linux's /proc; each is given the table of all processes,
 * so that several trees share one. Cumulative figures count from the first reading. Context switches are not passed on
 * to the parent, so of a process that ends they are those of the last reading before. Throws what the selection throws.
 */
export function usageOf(select: Selection): (table: readonly ProcessRow[]) => Usage {
  const cpu = processTreeTotal();
  const user = processTreeTotal();
  const system = processTreeTotal();
  const read = processTreeTotal();
  const written = processTreeTotal();
  const voluntary = growingCounts();
  const involuntary = growingCounts();
  const threads = growingCounts();
  const waits = growingCounts();
  return (table) => {
    const selected = select(table);
    const rows = table.filter(({ pid }) => selected.has(pid));
    const statuses = rows.map((row) => ({ ...row, status: readProc(`/proc/${row.pid}/status`) ?? '' }));
    const counted = statuses.flatMap(threadCounts);
    const storage = rows.map(storageOf);
    const known = storage.flatMap((part) => part ?? []);
    // All or none: a sum over some of them would look like the whole.
    const complete = known.length === storage.length;
    const busiest = threads(new Map(counted.flatMap(({ key, ticks }) => (ticks === null ? [] : [[key, ticks]]))));
    const waited = waits(new Map(counted.flatMap(({ key, waitedNs }) => (waitedNs === null ? [] : [[key, waitedNs]]))));
    const [busiestThread = ''] = [...busiest].sort(([, a], [, b]) => b - a)[0] ?? [];
    const waitedNs = waited.get(busiestThread);
    const cpuOf = (total: typeof cpu, used: (row: ProcessRow) => number): number =>
      secondsOf(total(rows.map((row) => ({ ...row, used: used(row) }))));
    return {
      cpuSeconds: cpuOf(cpu, (row) => row.ticks + row.childTicks),
      userSeconds: cpuOf(user, (row) => row.ticks + row.childTicks - row.systemTicks),
      systemSeconds: cpuOf(system, ({ systemTicks }) => systemTicks),
      busiestThreadSeconds: secondsOf(Math.max(0, ...busiest.values())),
      busiestThreadWaitedSeconds: waitedNs === undefined ? null : waitedNs / 1e9,
      throttledSeconds: null,
      memoryBytes: memoryOf(statuses),
      voluntarySwitches: sumOf(voluntary(switchesOf(counted, ({ voluntary: count }) => count))),
      involuntarySwitches: sumOf(involuntary(switchesOf(counted, ({ involuntary: count }) => count))),
      readBytes: complete ? read(known.map(({ part, bytes }) => ({ ...part, used: bytes.read }))) : null,
      writtenBytes: complete ? written(known.map(({ part, bytes }) => ({ ...part, used: bytes.written }))) : null,
    };
  };
}

interface ThreadCounts {
  readonly key: string;
  readonly ticks: number | null;
  readonly waitedNs: number | null;
  readonly switches: Switches | null;
}

interface Status extends ProcessRow {
  readonly status: string;
}

/** A process of a single thread says all about it; Postgres has a hundred such, and reading them must not be felt. */
function threadCounts({ pid, threads, ticks, status }: Status): ThreadCounts[] {
  if (threads === 1) return [{ key: `${pid}/${pid}`, ticks, waitedNs: null, switches: parseSwitches(status) }];
  return threadsOf(pid).map((thread) => ({
    key: `${pid}/${thread}`,
    ticks: threadTicks(pid, thread),
    waitedNs: threadWaitNs(pid, thread),
    switches: parseSwitches(readProc(`/proc/${pid}/task/${thread}/status`) ?? ''),
  }));
}

function switchesOf(threads: readonly ThreadCounts[], pick: (switches: Switches) => number): Map<string, number> {
  return new Map(threads.flatMap(({ key, switches }) => (switches === null ? [] : [[key, pick(switches)]])));
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Null where this user may not read it. */
function storageOf(row: ProcessRow): { readonly part: Omit<Part, 'used'>; readonly bytes: StorageBytes } | null {
  const bytes = parseStorageBytes(readProc(`/proc/${row.pid}/io`) ?? '');
  return bytes === null ? null : { part: row, bytes };
}

/** Postgres's processes all map the same shared memory, so what is shared counts once: as the largest share of one. */
function memoryOf(rows: readonly Status[]): number | null {
  const memories = rows.flatMap(({ status }) => parseMemory(status) ?? []);
  if (memories.length === 0) return null;
  const own = memories.reduce((sum, { anonymous }) => sum + anonymous, 0);
  return own + Math.max(...memories.map(({ shared }) => shared));
}
