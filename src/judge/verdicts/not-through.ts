import { runsJob } from '../../journal/load-level.ts';
import type { JudgementNote } from '../notes.ts';
import { durationMetric } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import type { Contrast } from './contrasts.ts';
import type { WithholdingRule } from './withholding.ts';

type Samples = Pick<RunData, 'samples'>;

/** Counts slices of both sides that were not through; empty where all were. Those that were through took less time. */
export function notThroughNotes(data: Samples, { control, cell }: Contrast): JudgementNote[] {
  const samples = [...control, cell].flatMap((one) => [...data.samples(one).values()]);
  const slices = samples.filter(({ bounded }) => bounded?.durationMs === null).length;
  const job = runsJob(cell.load) && { job: true as const };
  return slices === 0 ? [] : [{ kind: 'not-through', slices, of: samples.length, ...job }];
}

/**
 * A time has no verdict where some slice was not through: the others are a selection. Where a job failed, nothing else that
 * was measured meanwhile has one, either. It withholds the verdict from gates and decisions, too.
 */
export const notThrough: WithholdingRule<Samples> =
  (data) =>
  ({ metric, contrast }) => {
    if (metric.name !== durationMetric.name && !runsJob(contrast.cell.load)) return null;
    const [note] = notThroughNotes(data, contrast);
    return note === undefined ? null : { verdict: 'unfit', noRounds: true, note };
  };
