import { parseProcess } from '../../../base/process/process-table.ts';
import { readProc } from '../../../base/process/read-proc.ts';
import { openProcDescriptor, type ProcDescriptor } from './proc-descriptor.ts';
import { msOfTicks, threadsOf } from './process-files.ts';

/** CPU milliseconds that were used since the reading before. */
export interface CpuGrowth {
  /** By what was known at that reading. */
  readonly known: number;
  /** By processes and threads that have come since, from their beginning. */
  readonly fresh: number;
}

/**
 * CPU time of a changing set of processes, in nanoseconds where the kernel has them (schedstat), else in ticks of 10 ms.
 * Descriptors stay open, so a reading of 50 processes takes 0.2 ms.
 */
export interface CpuClocks {
  /** Says which processes there are now. Those of before that are not among them are left as they are until they end. */
  include(pids: readonly number[]): void;
  /** CPU time since the last call; null where a service has no process that can be read. */
  grown(): CpuGrowth | null;
  /** Takes note of processes that have ended. Returns the milliseconds that they were last known to have used. */
  dropEnded(): number;
  close(): void;
}

interface CpuClock {
  readonly file: ProcDescriptor;
  ms: number;
}

/** True if this kernel counts CPU time in nanoseconds; CONFIG_SCHED_INFO is rarely off. */
const hasNanoseconds = (readProc('/proc/self/schedstat') ?? '').split(' ').length >= 3;

/** `threaded`: whether the processes may have several threads. Those of Postgres never do. */
export function createCpuClocks({ threaded }: { readonly threaded: boolean }): CpuClocks {
  let pids: readonly number[] = [];
  const clocks = new Map<string, CpuClock>();
  let endedMs = 0;
  const open = (file: string): CpuGrowth | null => {
    const descriptor = openProcDescriptor(file);
    const ms = msOf(descriptor?.read() ?? null);
    if (descriptor === null || ms === null) return null;
    clocks.set(file, { file: descriptor, ms });
    return { known: 0, fresh: ms };
  };
  const advance = (name: string, clock: CpuClock): CpuGrowth | null => {
    const ms = msOf(clock.file.read());
    if (ms === null) {
      clocks.delete(name);
      endedMs += clock.ms;
      return null;
    }
    const known = Math.max(0, ms - clock.ms);
    clock.ms = ms;
    return { known, fresh: 0 };
  };
  return {
    include: (now) => {
      pids = now;
    },
    grown() {
      let [known, fresh, readable] = [0, 0, false];
      const names = new Set(pids.flatMap((pid) => filesOf(pid, threaded)));
      for (const name of new Set([...names, ...clocks.keys()])) {
        const clock = clocks.get(name);
        const growth = clock === undefined ? open(name) : advance(name, clock);
        if (growth === null) continue;
        [known, fresh, readable] = [known + growth.known, fresh + growth.fresh, true];
      }
      // Postgres's processes come and go, also between the list of them and this; a service without a process cannot be read.
      return readable || pids.length === 0 || !threaded ? { known, fresh } : null;
    },
    dropEnded() {
      for (const [name, clock] of clocks) {
        if (clock.file.read() !== null) continue;
        clocks.delete(name);
        endedMs += clock.ms;
      }
      const ended = endedMs;
      endedMs = 0;
      return ended;
    },
    close() {
      for (const { file } of clocks.values()) file.close();
      clocks.clear();
      pids = [];
    },
  };
}

function filesOf(pid: number, threaded: boolean): string[] {
  if (!hasNanoseconds) return [`/proc/${pid}/stat`];
  if (!threaded) return [`/proc/${pid}/schedstat`];
  return threadsOf(pid).map((thread) => `/proc/${pid}/task/${thread}/schedstat`);
}

function msOf(text: string | null): number | null {
  if (text === null || text === '') return null;
  return hasNanoseconds ? Number(text.slice(0, text.indexOf(' '))) / 1e6 : msOfTicks(parseProcess(text).ticks);
}
