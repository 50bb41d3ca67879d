import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { ComparisonNote } from '../notes.ts';
import type { RunData } from '../read/run-data.ts';
import { unequalVoiding } from '../read/void-slices.ts';
import { type CountOverTime, rateDifferenceInterval } from '../stats/poisson-rates.ts';
import { significantOrNull, significantRange } from '../stats/rounding.ts';
import { caveatsOf } from './caveats.ts';
import type { JudgedComparison } from './compare.ts';
import type { Verdict } from './judge.ts';
import { fasterByLoss, fasterByLossNote, lossesOfControl } from './loss.ts';
import { isUnfitUnder, type Session } from './session.ts';

/** The error of the interval that stands where no percentage can. */
const ALPHA = 0.05;

/** One metric of one variant against the control. */
export interface Change {
  readonly variant: string;
  /** A MetricName, or one that a probe or another tool gave. */
  readonly metric: string;
  readonly unit: string;
  /** The control's average over rounds, of both its arms where it has two. */
  readonly control: number | null;
  readonly value: number | null;
  readonly deltaPercent: number | null;
  /** In percent: low, high. That of `same` is its own, at 95 %; the others hold for all comparisons of the metric at once. */
  readonly interval: readonly [number, number] | null;
  readonly verdict: Verdict;
  /** How many rounds have both; 0 where there are none. */
  readonly rounds: number;
}

type ChangeNumbers = Pick<Change, 'control' | 'value' | 'deltaPercent' | 'interval'>;

/** One line of what a run found: a change under one load level. */
export interface Comparison extends Change {
  readonly load: LoadLevel;
  /**
   * For events that the control never had: low and high of the absolute change, in `unit`, at 95 % and exact if events
   * come independently. Absent otherwise.
   */
  readonly rateInterval?: readonly [number, number];
  /** Notes for the reader: the judge's own first. */
  readonly notes: readonly ComparisonNote[];
  /**
   * Set where it is `higher` or `lower` even if all comparisons that could stand on the first screen share one error of
   * 5 %.
   */
  readonly onFirstScreen?: true;
}

/**
 * An unfit session takes the verdict away, and leaves the numbers to look at. A/A findings (`session` null) are why it
 * is unfit, and keep theirs.
 */
export function toComparison(data: RunData, finding: JudgedComparison, session: Session | null): Comparison {
  const unfit = session !== null && isUnfitUnder(session, finding.load);
  const { metric, contrast } = finding;
  const rates = rateChangeOf(data, finding);
  const byLoss = fasterByLoss(data, finding);
  const notes: ComparisonNote[] = [
    ...finding.notes,
    // Notes on the whole cell, which A/A has none of.
    ...(session === null || metric.group !== 'load' ? [] : cellNotes(data, finding)),
    ...(byLoss === null ? [] : [fasterByLossNote(byLoss, finding.verdict)]),
    ...(unfit ? [{ kind: 'unfit' } as const] : []),
  ];
  return {
    variant: finding.variant,
    load: finding.load,
    metric: metric.name,
    unit: metric.unit,
    ...roundedNumbers({
      control: data.valueOverRounds(metric, contrast.control),
      value: data.valueOverRounds(metric, [contrast.cell]),
      deltaPercent: finding.deltaPercent,
      interval: finding.interval,
    }),
    ...(rates === null ? {} : { rateInterval: significantRange(rates) }),
    verdict: unfit || byLoss !== null ? 'unfit' : finding.verdict,
    rounds: finding.rounds,
    notes,
  };
}

/** The numbers of a change, rounded. */
export function roundedNumbers({ control, value, deltaPercent, interval }: ChangeNumbers): ChangeNumbers {
  return {
    control: significantOrNull(control),
    value: significantOrNull(value),
    deltaPercent: significantOrNull(deltaPercent),
    interval: interval && significantRange(interval),
  };
}

function cellNotes(data: RunData, { contrast }: JudgedComparison): ComparisonNote[] {
  return [
    ...caveatsOf(data, contrast.cell),
    ...lossesOfControl(data, contrast),
    ...unequalVoiding(data.voidsOf([contrast.cell]), data.voidsOf(contrast.control)),
  ];
}

/**
 * The absolute change per second of events that the control never had. The interval is exact if events come
 * independently; a burst of errors does not, and is surer to be there than this says. Null where the control has some,
 * the variant none, or the metric counts no events.
 */
function rateChangeOf(data: RunData, finding: JudgedComparison): readonly [number, number] | null {
  const { metric, contrast } = finding;
  if (metric.count === undefined) return null;
  const sides = [data.merged([contrast.cell]), data.merged(contrast.control)].map((sample) =>
    sample === null ? null : (metric.count?.(sample) ?? null),
  );
  const [value, control] = sides;
  if (!isCount(value) || !isCount(control) || control.count > 0 || value.count === 0) return null;
  const { low, high } = rateDifferenceInterval(value, control, ALPHA);
  return [low, high];
}

function isCount(count: CountOverTime | null | undefined): count is CountOverTime {
  // A counter that was reset may have gone back.
  return count !== null && count !== undefined && count.count >= 0 && count.seconds > 0;
}
