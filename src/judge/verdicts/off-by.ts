import type { RunData } from '../read/run-data.ts';
import type { Interval } from '../stats/interval.ts';
import { sum } from '../stats/moments.ts';
import type { JudgedComparison } from './compare.ts';
import { certainCarryOver, imagesPercent } from './withheld-verdicts.ts';

type Finding = Pick<JudgedComparison, 'metric' | 'contrast' | 'deltaPercent' | 'notes'>;

/**
 * How far ln(variant / control) may be from its estimate besides noise: `low` is 0 or less, `high` is 0 or more. It adds up what
 * carries over from turn to turn (either way), the other count of a rate, and images of pages in the WAL.
 */
export function offBy(data: RunData, finding: Finding): Interval {
  const carried = Math.log1p(certainCarryOver(data, finding.contrast) / 100);
  const shifts = [turnShift(finding) ?? 0, imagesShift(data, finding)];
  return {
    low: sum(shifts.map((shift) => Math.min(0, shift))) - carried,
    high: sum(shifts.map((shift) => Math.max(0, shift))) + carried,
  };
}

/** By how much the other count of a closed loop moves a log ratio; 0 where counts agree, null where they cannot be compared. */
export function turnShift({ notes, deltaPercent }: Pick<Finding, 'notes' | 'deltaPercent'>): number | null {
  const note = notes.find(({ kind }) => kind === 'outlast-turns');
  if (note?.kind !== 'outlast-turns') return 0;
  if (note.byTurnsPercent === null || deltaPercent === null) return null;
  return Math.log1p(note.byTurnsPercent / 100) - Math.log1p(deltaPercent / 100);
}

/** Images may seem to be all of the bytes, since each counts as a whole page: something is left. */
const LEAST_CHANGE = -0.99;

/** By how much a log ratio of WAL bytes moves without images of pages; 0 of other metrics. */
function imagesShift(data: RunData, finding: Finding): number {
  const { deltaPercent } = finding;
  const percent = deltaPercent === null ? 0 : imagesPercent(data, finding);
  if (deltaPercent === null || percent === 0) return 0;
  return Math.log1p(Math.max(LEAST_CHANGE, (deltaPercent - percent) / 100)) - Math.log1p(deltaPercent / 100);
}
