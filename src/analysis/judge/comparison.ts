import type { LoadLevel } from '../../journal/scenario-record.ts';
import { significant } from '../../stats/rounding.ts';
import type { ComparisonNote } from '../notes.ts';
import type { Observations } from '../read/aggregate-run.ts';
import { valueOverRounds } from '../read/metrics/series.ts';
import { caveatsOf } from './caveats.ts';
import type { Finding } from './compare.ts';
import type { Verdict } from './judge.ts';
import { rateChangeOf } from './rare-events.ts';
import type { Session } from './session.ts';
import { unequalVoiding } from './voiding.ts';

/** One line of what a run found: one metric of one variant under one load level, against the control. */
export interface Comparison {
  readonly variant: string;
  readonly load: LoadLevel;
  /** A MetricName, or one that a probe gave. */
  readonly metric: string;
  readonly unit: string;
  /** The control's average over rounds, of both its arms. */
  readonly control: number | null;
  readonly value: number | null;
  readonly deltaPercent: number | null;
  /** In percent: low, high. Of `same` its own, at 95 % of this comparison; of the others for all of the metric at once. */
  readonly interval: readonly [number, number] | null;
  /**
   * Of events that the control never had: low and high of the absolute change, in `unit`, at 95 % and exact if events
   * come independently. Absent otherwise.
   */
  readonly rateInterval?: readonly [number, number];
  readonly verdict: Verdict;
  readonly rounds: number;
  /** What a reader must know besides: the judge's own notes first. */
  readonly notes: readonly ComparisonNote[];
}

/**
 * An unfit session takes the verdict away, and leaves the numbers to look at. A/A findings (`session` null) are why it
 * is unfit, and keep theirs.
 */
export function toComparison(observations: Observations, finding: Finding, session: Session | null): Comparison {
  const unfit = session?.verdict === 'unfit';
  const { metric, contest } = finding;
  const round = (value: number | null): number | null => (value === null ? null : significant(value));
  const rates = rateChangeOf(observations, finding);
  const byLoss = isFasterByLoss(observations, finding);
  const notes: ComparisonNote[] = [
    ...finding.notes,
    // What is true of the whole cell, and not for A/A.
    ...(session === null || metric.group !== 'load' ? [] : cellNotes(observations, finding)),
    ...(byLoss ? [{ kind: 'faster-by-loss' } as const] : []),
    ...(unfit ? [{ kind: 'unfit' } as const] : []),
  ];
  return {
    variant: finding.variant,
    load: finding.load,
    metric: metric.name,
    unit: metric.unit,
    control: round(valueOverRounds(observations, metric, contest.control)),
    value: round(valueOverRounds(observations, metric, [contest.cell])),
    deltaPercent: round(finding.deltaPercent),
    interval: finding.interval && [significant(finding.interval[0]), significant(finding.interval[1])],
    ...(rates === null ? {} : { rateInterval: [significant(rates[0]), significant(rates[1])] as const }),
    verdict: unfit || byLoss ? 'unfit' : finding.verdict,
    rounds: finding.rounds,
    notes,
  };
}

/** A bulk load that lost documents had less to do: that it was faster says nothing. */
function isFasterByLoss(observations: Observations, { contest, verdict, metric }: Finding): boolean {
  const { cell } = contest;
  return cell.load.bulk === true && verdict === metric.better && caveatsOf(observations, cell).length > 0;
}

function cellNotes(observations: Observations, { contest }: Finding): ComparisonNote[] {
  return [...caveatsOf(observations, contest.cell), ...unequalVoiding(observations, contest)];
}
