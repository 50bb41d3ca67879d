import { systemClock } from '../../../base/clock.ts';
import { isKernelThread, type ProcessRow, readProcessTable } from '../../../base/process/process-table.ts';
import { formatShare } from '../../../base/units.ts';
import { type Finding, ok, unknown } from '../../finding.ts';
import { createConditionsProbe } from '../../probe/meter/conditions.ts';

/**
 * Above these the intervals of a run grow wider than they need be. Nothing is void for it: arms take turns, so that what
 * runs beside them strikes all alike.
 */
const limits = { stealShare: 0.01, foreignCpuShare: 0.05, memoryPressureShare: 0.1, ioPressureShare: 0.1 };
const MOST_NAMED = 3;

/** Watches the machine for a while, by what a run records beside every pass. Rejects with the signal's reason when aborted. */
export async function watchOtherLoad(durationMs: number, signal?: AbortSignal): Promise<Finding[]> {
  const probe = createConditionsProbe({ trees: () => [], knowsService: true, housekeeping: null });
  const mark = await probe.begin([]);
  const before = readProcessTable();
  await systemClock.sleep(durationMs, signal);
  const after = readProcessTable();
  const { stealShare, foreignCpuShare, memoryPressureShare, ioPressureShare } = await mark.end();
  return [
    shareFinding('cpu steal', stealShare, limits.stealShare, {
      advice: 'The hypervisor gives this CPU time to other machines: intervals will be wider, or take more rounds.',
    }),
    foreignFinding(foreignCpuShare, busiest(before, after)),
    shareFinding('memory pressure', memoryPressureShare, limits.memoryPressureShare, {
      advice: 'Processes wait for memory: close what needs much of it.',
    }),
    shareFinding('io pressure', ioPressureShare, limits.ioPressureShare, {
      advice: 'Something else uses the disk (backups, indexing, updates): writes will be noisy until it is done.',
    }),
  ];
}

function shareFinding(name: string, share: number | null, limit: number, { advice }: Pick<Finding, 'advice'>): Finding {
  if (share === null) return unknown(name);
  const found = `${formatShare(share)} (limit ${formatShare(limit)})`;
  return share > limit ? { name, state: 'warning', found, advice } : ok(name, found);
}

function foreignFinding(share: number | null, names: readonly string[]): Finding {
  return shareFinding('foreign cpu', share, limits.foreignCpuShare, {
    advice: `Stop what is not the run's${names.length === 0 ? '' : `, first ${names.join(', ')}`}: the more of it, the wider the intervals.`,
  });
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
