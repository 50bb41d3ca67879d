import type { StaysApart } from '../notes.ts';
import { judgedMetric } from '../read/metrics/judged-metric.ts';
import { requestsPerSecond } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { type Evidence, halfWidthOf } from '../stats/interval.ts';
import { median } from '../stats/moments.ts';
import { significant, significantRange } from '../stats/rounding.ts';
import type { JudgedCapacities } from './capacity/judge-capacities.ts';
import type { JudgedComparison } from './compare.ts';
import type { Judgement } from './judge.ts';

interface Judged {
  readonly comparisons: readonly JudgedComparison[];
  readonly repeats: readonly JudgedComparison[];
  readonly capacities: JudgedCapacities | null;
}

/** A note where the control's two arms stay apart by the judged metric, so that intervals are wider; empty otherwise. */
export function staysApart(data: RunData, { comparisons, repeats, capacities }: Judged): StaysApart[] {
  if (data.quick) return [];
  const judged = judgedMetric(data.scenario).name;
  const ofJudged = ({ metric }: JudgedComparison): boolean => metric.name === judged;
  const changes: readonly Judgement[] = capacities?.changes ?? comparisons.filter(ofJudged);
  const wider = changes.flatMap(({ evidence }) => (evidence && widened(evidence)) ?? []);
  const at =
    capacities === null
      ? repeats.filter(ofJudged).flatMap((one) => apartBy(one).map((interval) => ({ load: one.load, interval })))
      : apartBy(capacities.repeat).map((interval) => ({ interval }));
  if (wider.length === 0 || at.length === 0) return [];
  const by = judged === requestsPerSecond.name || capacities !== null ? {} : { metric: judged };
  const { plannedControl: planned } = data.scenario;
  const whose = planned === undefined ? {} : { planned };
  return [{ kind: 'stays-apart', ...by, ...whose, widerPercent: significant(100 * (median(wider) - 1)), at }];
}

function apartBy(repeat: Judgement | null): (readonly [number, number])[] {
  const { interval = null, verdict } = repeat ?? {};
  if (interval === null || (verdict !== 'higher' && verdict !== 'lower')) return [];
  return [significantRange(interval)];
}

/** By which factor the interval is wider than its rounds show; null where there is none. */
function widened(evidence: Evidence): number | null {
  // Both without skewness, which counts for less beside what stays.
  const { kept, skew: _, ...ofRounds } = evidence;
  const [all, rounds] = [halfWidthOf({ ...ofRounds, ...(kept && { kept }) }), halfWidthOf(ofRounds)];
  return all === null || rounds === null || rounds === 0 ? null : all / rounds;
}
