import { type Throttling, throttlings } from '../../../base/process/control-group.ts';
import { readProcessTable } from '../../../base/process/process-table.ts';
import type { ConditionsRecord } from '../../../journal/pass-records.ts';
import { addedUp } from '../counters.ts';
import { type MachineCpu, readMachineCpu } from '../machine/machine-cpu.ts';
import { foreignTicks, type ProcessTicks, processTicks } from '../machine/own-cpu.ts';
import { readPressureUs } from '../machine/pressure.ts';
import { readTcpCounters, type TcpCounts, tcpCounters } from '../machine/tcp-counters.ts';
import type { Housekeeping } from './postgres-housekeeping.ts';

/** An autovacuum worker that lives shorter than this does next to nothing. */
const WATCH_MS = 500;

export interface ConditionsOptions {
  /** Processes that serve the run just now, besides what this one has started and the live services: Postgres, OpenSearch. */
  readonly trees: () => readonly number[];
  /** False where the service under test runs outside of the bench: its CPU cannot be distinguished from another program's. */
  readonly knowsService: boolean;
  /** Null where the database is not the bench's. */
  readonly housekeeping: Housekeeping | null;
}

/** The beginning of what is observed. */
export interface ConditionsMark {
  end(): Promise<ConditionsRecord>;
}

/** Observes other load beside a pass, all its arms' turns together. The run knows only this, so that a fake can stand in. */
export interface ConditionsProbe {
  /** `services`: the pids of the services that are alive, each with everything below it. */
  begin(services: readonly number[]): Promise<ConditionsMark>;
}

export function createConditionsProbe({ trees, knowsService, housekeeping }: ConditionsOptions): ConditionsProbe {
  return {
    async begin(services) {
      // What this process has started ends within a pass, too: `ss`, of which a probe starts one now and then.
      const own = [process.pid, ...trees(), ...services];
      const watch = await watchHousekeeping(housekeeping);
      const before = readMachine(own);
      const steal = watchSteal(before.cpu);
      return {
        async end() {
          const stealMaxShare = steal.end();
          const after = readMachine(own);
          return {
            ...machineConditions(before, after, knowsService),
            stealMaxShare,
            ...(await watch.end()),
          };
        },
      };
    },
  };
}

interface MachineReading {
  readonly atMs: number;
  readonly cpu: MachineCpu | null;
  readonly processes: ProcessTicks | null;
  readonly memoryUs: number | null;
  readonly ioUs: number | null;
  readonly tcp: TcpCounts;
  readonly throttlings: readonly Throttling[];
}

function readMachine(own: readonly number[]): MachineReading {
  const table = readProcessTable();
  return {
    atMs: performance.now(),
    cpu: readMachineCpu(),
    processes: table && processTicks(table, own),
    memoryUs: readPressureUs('memory'),
    ioUs: readPressureUs('io'),
    tcp: readTcpCounters(),
    throttlings: throttlings(),
  };
}

type MachineConditions = Omit<ConditionsRecord, 'checkpoints' | 'autovacuums' | 'stealMaxShare'>;

function machineConditions(before: MachineReading, after: MachineReading, knowsService: boolean): MachineConditions {
  const us = 1000 * (after.atMs - before.atMs);
  const total = between(before.cpu?.total, after.cpu?.total);
  const foreign =
    knowsService && before.cpu && after.cpu && before.processes && after.processes
      ? foreignTicks({ cpu: before.cpu, processes: before.processes }, { cpu: after.cpu, processes: after.processes })
      : null;
  return {
    stealShare: share(between(before.cpu?.steal, after.cpu?.steal), total),
    foreignCpuShare: share(foreign, total),
    throttledShare: throttledShare(before.throttlings, after.throttlings),
    memoryPressureShare: share(between(before.memoryUs, after.memoryUs), us),
    ioPressureShare: share(between(before.ioUs, after.ioUs), us),
    ...addedUp(tcpCounters, [before.tcp, after.tcp]),
  };
}

/** The share of periods in which the group that was stopped most was; null where none says. Groups are the same before and after: no one moves a run. */
export function throttledShare(before: readonly Throttling[], after: readonly Throttling[]): number | null {
  const shares = after.map(({ periods, throttled }, place) => {
    const first = before[place] ?? { periods, throttled };
    return share(throttled - first.throttled, periods - first.periods) ?? 0;
  });
  return shares.length === 0 ? null : Math.max(...shares);
}

function between(before: number | null | undefined, after: number | null | undefined): number | null {
  return before === null || before === undefined || after === null || after === undefined ? null : after - before;
}

function share(part: number | null, whole: number | null): number | null {
  // Four digits are more than any of these can be measured to, and keep the journal small.
  return part === null || whole === null || whole <= 0 ? null : Math.round((10_000 * part) / whole) / 10_000;
}

/** Time between readings of steal, and the shortest rest of a pass that counts, in ms: a share of fewer ticks says little. */
const STEAL_EVERY_MS = 1000;
const LEAST_STEAL_MS = 500;

/** The largest share of CPU time that was stolen in any second; null where the kernel does not say. */
function watchSteal(first: MachineCpu | null): { end(): number | null } {
  let before = first;
  let atMs = performance.now();
  let most: number | null = null;
  const look = (): void => {
    const now = readMachineCpu();
    const stolen = share(between(before?.steal, now?.steal), between(before?.total, now?.total));
    if (stolen !== null) most = Math.max(most ?? 0, stolen);
    before = now;
    atMs = performance.now();
  };
  // Unreferenced: a pass that is broken off never gets to its end.
  const timer = setInterval(look, STEAL_EVERY_MS).unref();
  return {
    end() {
      clearInterval(timer);
      if (most === null || performance.now() - atMs >= LEAST_STEAL_MS) look();
      return most;
    },
  };
}

interface HousekeepingWatch {
  end(): Promise<Pick<ConditionsRecord, 'checkpoints' | 'autovacuums'>>;
}

async function watchHousekeeping(housekeeping: Housekeeping | null): Promise<HousekeepingWatch> {
  if (housekeeping === null) return { end: async () => ({ checkpoints: null, autovacuums: null }) };
  const workers = new Set<string>();
  let isKnown = true;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    try {
      for (const worker of await housekeeping.autovacuumWorkers()) workers.add(worker);
    } catch {
      isKnown = false;
      clearInterval(timer);
    }
  };
  const checkpoints = (): Promise<number | null> => housekeeping.checkpoints().catch(() => null);
  const before = await checkpoints();
  await look();
  // Unreferenced, and over at its first failure: a pass that is broken off never gets to its end.
  timer = setInterval(look, WATCH_MS).unref();
  return {
    async end() {
      clearInterval(timer);
      await look();
      return { checkpoints: between(before, await checkpoints()), autovacuums: isKnown ? workers.size : null };
    },
  };
}
