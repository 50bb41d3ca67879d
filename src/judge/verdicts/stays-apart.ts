import { present } from '../../base/present.ts';
import type { StaysApart } from '../notes.ts';
import { judgedMetric } from '../read/metrics/judged-metric.ts';
import { requestsPerSecond } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { type Evidence, halfWidthOf, type Interval, inPercent } from '../stats/interval.ts';
import { median } from '../stats/moments.ts';
import { significant, significantRange } from '../stats/rounding.ts';
import type { JudgedCapacities } from './capacity/judge-capacities.ts';
import type { JudgedComparison } from './compare.ts';
import type { Judgement } from './judge.ts';
import { apartByArms } from './kept-by-arms.ts';

/** Intervals that are less wider than this are as wide as their rounds show: "0 % wider" is no news. */
const LEAST_PERCENT = 0.5;

interface Judged {
  readonly comparisons: readonly JudgedComparison[];
  readonly capacities: JudgedCapacities | null;
}

/** A note where the control's two arms were taken for apart by the judged metric, so that intervals are wider; empty otherwise. */
export function staysApart(data: RunData, { comparisons, capacities }: Judged): StaysApart[] {
  if (data.quick) return [];
  const metric = judgedMetric(data.scenario);
  const judged = metric.name;
  const changes: readonly Judgement[] = capacities?.changes ?? comparisons.filter((one) => one.metric.name === judged);
  const wider = changes.flatMap(({ evidence }) => (evidence && widened(evidence)) ?? []);
  const at =
    capacities === null
      ? apartByArms(data, metric).map(({ load, interval }) => ({ load, interval: ends(interval) }))
      : present([capacities.apart]).map((interval) => ({ interval: ends(interval) }));
  const widerPercent = 100 * (median(wider) - 1);
  if (wider.length === 0 || at.length === 0 || widerPercent < LEAST_PERCENT) return [];
  const by = judged === requestsPerSecond.name || capacities !== null ? {} : { metric: judged };
  const { plannedControl: planned } = data.scenario;
  const whose = planned === undefined ? {} : { planned };
  return [{ kind: 'stays-apart', ...by, ...whose, widerPercent: significant(widerPercent), at }];
}

function ends(interval: Interval): readonly [number, number] {
  return significantRange(inPercent(interval));
}

/** By which factor the interval is wider than its rounds show; null where there is none. */
function widened(evidence: Evidence): number | null {
  // Both without skewness, which counts for less beside what stays.
  const { kept, skew: _, ...ofRounds } = evidence;
  const [all, rounds] = [halfWidthOf({ ...ofRounds, ...(kept && { kept }) }), halfWidthOf(ofRounds)];
  return all === null || rounds === null || rounds === 0 ? null : all / rounds;
}
