import { unitOfWork } from '../../../journal/load-level.ts';
import { short } from '../../format.ts';
import type { CrossCheck } from '../cross-check.ts';
import type { DiagnosedCell } from '../diagnosed-cell.ts';

/** Fewer bytes a request are written in less time than it takes to see them. */
const LEAST_BYTES = 100_000;
/** By how much they grow or shrink. */
const LEAST_RATIO = 2;

/** Sorts and hashes that exceed work_mem or fit in it, unlike those of the control. */
export const tempFiles: CrossCheck = {
  name: 'temp-files',
  symptomIn(cell) {
    const [own, before] = [tempBytes(cell), cell.control && tempBytes(cell.control)];
    if (own === null || before === null || Math.max(own, before) < LEAST_BYTES) return null;
    const [less, more] = own < before ? [own, before] : [before, own];
    if (more < LEAST_RATIO * less) return null;
    const unit = unitOfWork([cell.load]);
    const control = `control ${before === 0 ? 'none' : megabytes(before)}`;
    if (own > before) {
      return {
        kind: 'more',
        text: `sorts and hashes write ${megabytes(own)} of temporary files a ${unit}, ${control}`,
        next: 'Give them more work_mem, or an index that has the rows in order.',
        weight: 62,
      };
    }
    const what = own === 0 ? 'no temporary files' : `only ${megabytes(own)} of temporary files a ${unit}`;
    return {
      kind: 'less',
      text: `sorts and hashes write ${what}, ${control}`,
      next: 'They fit in memory now; each of them may take work_mem in each session, so watch the memory of the server.',
      weight: 60,
    };
  },
};

function megabytes(bytes: number): string {
  return `${short(bytes / 1e6)} MB`;
}

/** Bytes of temporary files a request; null where they were not read. */
function tempBytes({ sample: { database } }: DiagnosedCell): number | null {
  if (database === null || database.tempBytes === null || database.requests === 0) return null;
  return database.tempBytes / database.requests;
}
