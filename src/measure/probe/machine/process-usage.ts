import { type ProcessRow, treesOf } from '../../../base/process/process-table.ts';
import { readProc } from '../../../base/process/read-proc.ts';
import { eachRow } from '../counters.ts';
import { lineOf, parseMemory, TICKS_PER_SECOND, threadsOf, threadTicks, threadWaitNs } from './process-files.ts';
import { type SeenProcess, type SeenThread, type Usage, usageCounters } from './usage.ts';

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
  const totals = eachRow(usageCounters, processTreeTotal);
  const counts = eachRow(usageCounters, growingCounts);
  const [ticksOf, waitsOf] = [growingCounts(), growingCounts()];
  return (table) => {
    const selected = select(table);
    const processes = table.filter(({ pid }) => selected.has(pid)).map(look);
    const threads = processes.flatMap(threadsIn);
    const grown = (of: typeof ticksOf, used: (thread: SeenThread) => number | null): ReadonlyMap<string, number> =>
      of(new Map(threads.flatMap((thread) => pairOf(thread.key, used(thread)))));
    const sums = eachRow(usageCounters, ({ process, thread }, name): number | null => {
      if (thread !== undefined) return sumOf([...grown(counts[name], thread).values()]);
      if (process === undefined) return null;
      const [use, unit = 1] = process;
      const parts = processes.flatMap((one) => {
        const used = use(one);
        return used === null ? [] : [{ pid: one.pid, parent: one.parent, used }];
      });
      // All or none: a sum over some of them would look like the whole.
      return parts.length < processes.length ? null : totals[name](parts) / unit;
    });
    const busiest = grown(ticksOf, ({ ticks }) => ticks);
    const waits = grown(waitsOf, ({ waitedNs }) => waitedNs);
    const [busiestThread = ''] = [...busiest].sort(([, a], [, b]) => b - a)[0] ?? [];
    const waitedNs = waits.get(busiestThread);
    return {
      ...sums,
      busiest_thread_s: Math.max(0, ...busiest.values()) / TICKS_PER_SECOND,
      busiest_thread_waited_s: waitedNs === undefined ? null : waitedNs / 1e9,
      memory_bytes: memoryOf(processes),
    };
  };
}

interface LookedAt extends SeenProcess {
  readonly threads: number;
  /** Its /proc/<pid>/status. */
  readonly text: string;
}

function look(row: ProcessRow): LookedAt {
  const text = readProc(`/proc/${row.pid}/status`) ?? '';
  const storage = readProc(`/proc/${row.pid}/io`) ?? '';
  return { ...row, text, status: (name) => lineOf(text, name), io: (name) => lineOf(storage, name) };
}

/** A process of a single thread says all about it; Postgres has a hundred such, and reading them must not be felt. */
function threadsIn({ pid, threads, ticks, status }: LookedAt): SeenThread[] {
  if (threads === 1) return [{ key: `${pid}/${pid}`, ticks, waitedNs: null, status }];
  return threadsOf(pid).map((thread) => {
    const text = readProc(`/proc/${pid}/task/${thread}/status`) ?? '';
    return {
      key: `${pid}/${thread}`,
      ticks: threadTicks(pid, thread),
      waitedNs: threadWaitNs(pid, thread),
      status: (name) => lineOf(text, name),
    };
  });
}

function pairOf(key: string, count: number | null): [string, number][] {
  return count === null ? [] : [[key, count]];
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Postgres's processes all map the same shared memory, so what is shared counts once: as the largest share of one. */
function memoryOf(processes: readonly LookedAt[]): number | null {
  const memories = processes.flatMap(({ text }) => parseMemory(text) ?? []);
  if (memories.length === 0) return null;
  return sumOf(memories.map(({ anonymous }) => anonymous)) + Math.max(...memories.map(({ shared }) => shared));
}

/** Use of one process since it began. */
interface Part {
  readonly pid: number;
  readonly parent: number;
  /** Its own, and that of the children that it has waited for. */
  readonly used: number;
}

/**
 * Sum of a counter over a changing set of processes since the first call; each call has all that are alive now. A process
 * that ends moves its use to the parent that waits for it, and so on upwards. If no ancestor is in the set (init waits for
 * it), its use counts up to the last call with it. The sum never falls.
 */
export function processTreeTotal(): (parts: readonly Part[]) => number {
  let before: readonly Part[] | null = null;
  let sum = 0;
  return (parts) => {
    if (before !== null) sum += Math.max(0, total(parts) - total(before) + total(lostBetween(before, parts)));
    before = parts;
    return sum;
  };
}

function lostBetween(before: readonly Part[], now: readonly Part[]): Part[] {
  const alive = new Set(now.map(({ pid }) => pid));
  const known = new Map(before.map((part) => [part.pid, part]));
  return before.filter((part) => {
    let heir: Part | undefined = part;
    while (heir !== undefined && !alive.has(heir.pid)) heir = known.get(heir.parent);
    return heir === undefined;
  });
}

function total(parts: readonly Part[]): number {
  return parts.reduce((all, { used }) => all + used, 0);
}

/** Counts of threads or processes since the first call, each by itself; one that has ended keeps its count. */
export function growingCounts(): (counts: ReadonlyMap<string, number>) => ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  const grown = new Map<string, number>();
  let begun = false;
  return (counts) => {
    for (const [key, count] of counts) {
      if (!first.has(key)) first.set(key, begun ? 0 : count);
      grown.set(key, count - (first.get(key) ?? 0));
    }
    begun = true;
    return grown;
  };
}
