import { setTimeout as sleep } from 'node:timers/promises';
import { createConditionsProbe } from '../../probe/conditions.ts';
import { isKernelThread, type ProcessRow, readProcessTable } from '../../probe/process-table.ts';
import { validityLimits as limits } from '../validity-limits.ts';
import { type Finding, ok, percentOf, warning } from './finding.ts';

/** While nothing of ours runs the disk should have next to nothing to do. */
const IDLE_IO_PRESSURE = 0.1;
const MOST_NAMED = 3;

/** Watches the machine for a while, with the checks that every slice of a run undergoes. */
export async function watchOtherLoad(durationMs: number, signal?: AbortSignal): Promise<Finding[]> {
  const probe = createConditionsProbe({ trees: () => [], knowsService: true, housekeeping: null });
  const mark = await probe.begin([]);
  const before = readProcessTable();
  await sleep(durationMs, undefined, signal && { signal });
  const after = readProcessTable();
  const { stealShare, foreignCpuShare, memoryPressureShare, ioPressureShare } = await mark.end();
  return [
    shareFinding('cpu steal', stealShare, limits.stealShare, {
      state: 'problem',
      advice:
        'The hypervisor gives this CPU time to other machines. Use a machine with dedicated cores, or come back later.',
    }),
    foreignFinding(foreignCpuShare, busiest(before, after)),
    shareFinding('memory pressure', memoryPressureShare, limits.memoryPressureShare, {
      state: 'problem',
      advice: 'Processes wait for memory: close what needs much of it.',
    }),
    shareFinding('io pressure', ioPressureShare, IDLE_IO_PRESSURE, {
      state: 'warning',
      advice: 'Something else uses the disk (backups, indexing, updates): writes will be noisy until it is done.',
    }),
  ];
}

interface Excess {
  readonly state: 'warning' | 'problem';
  readonly advice: string;
}

function shareFinding(name: string, share: number | null, limit: number, { state, advice }: Excess): Finding {
  if (share === null) return ok(name, 'not told by this machine: runs cannot check it');
  const found = `${percentOf(share)} (limit ${percentOf(limit)})`;
  return share > limit ? { name, state, found, advice } : ok(name, found);
}

function foreignFinding(share: number | null, names: readonly string[]): Finding {
  const finding = shareFinding('foreign cpu', share, limits.foreignCpuShare, {
    state: 'problem',
    advice: `Stop what is not the run's${names.length === 0 ? '' : `, first ${names.join(', ')}`}: slices beside so much of it are void.`,
  });
  // Half of the limit, before the run itself has begun, leaves little room.
  if (finding.state !== 'ok' || share === null || share <= limits.foreignCpuShare / 2) return finding;
  return warning(finding.name, finding.found, `Close to the limit. Busiest: ${names.join(', ')}.`);
}

/** The names of the processes that used most CPU time, with those of the same name taken together. */
export function busiest(before: readonly ProcessRow[] | null, after: readonly ProcessRow[] | null): string[] {
  if (before === null || after === null) return [];
  const earlier = new Map(before.map(({ pid, ticks }) => [pid, ticks]));
  const byName = new Map<string, number>();
  for (const row of after) {
    const { pid, name, ticks } = row;
    if (pid === process.pid || isKernelThread(row)) continue;
    byName.set(name, (byName.get(name) ?? 0) + ticks - (earlier.get(pid) ?? 0));
  }
  return [...byName]
    .filter(([, ticks]) => ticks > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_NAMED)
    .map(([name]) => name);
}
