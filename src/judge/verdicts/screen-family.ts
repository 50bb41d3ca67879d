import { judgedMetrics } from '../read/metrics/judged-metric.ts';
import { type Metric, meanLatency, requestsPerSecond } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { differTogether } from '../stats/interval.ts';
import type { JudgedComparison } from './compare.ts';
import { type Comparison, toComparison } from './comparison.ts';
import type { Session } from './session.ts';

/** Bytes and mean latency repeat 2xx/s, and so do the rates of the database. */
const repeating: ReadonlySet<string> = new Set(['throughput_bytes_per_s', meanLatency.name]);

/** A judged comparison, as far as the first screen depends on it. */
type Finding = Pick<JudgedComparison, 'metric' | 'verdict' | 'interval' | 'evidence'>;

/**
 * The changes that may stand on the first screen beside the judged metric's. Each metric is a family with 5 % of error
 * in its tables. The screen mixes them, so there all its candidates share 5 %. If nothing differs, at most 5 of 100
 * runs show any of them.
 */
export function screenFamily<One extends Finding>(
  findings: readonly One[],
  judged: readonly Metric[],
): ReadonlySet<One> {
  const family = findings.filter(({ metric }) => isBeside(metric, judged));
  const differing = family.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower');
  const comparisons = family.filter(({ interval }) => interval !== null).length;
  const found = differTogether(
    differing.flatMap(({ evidence }) => evidence ?? []),
    comparisons,
  );
  // Without an interval one side had none of it in any round, and the other some in each: that is not by chance.
  return new Set(
    differing.filter(({ interval, evidence }) => interval === null || (evidence !== null && found.has(evidence))),
  );
}

/** The comparisons of a run, those marked that may stand on its first screen beside the judged metric's. */
export function comparisonsOf(data: RunData, findings: readonly JudgedComparison[], session: Session): Comparison[] {
  const onScreen = screenFamily(findings, judgedMetrics(data.scenario));
  return findings.map((finding) => {
    const comparison = toComparison(data, finding, session);
    const stands = onScreen.has(finding) && comparison.verdict === finding.verdict;
    return stands ? { ...comparison, onFirstScreen: true } : comparison;
  });
}

/** True where the first screen may show a change of the metric beside the judged metrics. */
export function isBeside({ name, group }: Metric, judged: readonly Pick<Metric, 'name'>[]): boolean {
  const isJudged = (wanted: string): boolean => judged.some((one) => one.name === wanted);
  // Where the load sets the rate, a change of it says nothing.
  if (isJudged(name) || (name === requestsPerSecond.name && isJudged(meanLatency.name))) return false;
  return group !== 'database' && !repeating.has(name);
}
