import { groupBy } from '../../base/group-by.ts';
import { loadKind, loadSize, loadUnit } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { type Metric, metrics } from '../../judge/read/metrics/metrics.ts';
import type { Series } from '../../judge/read/metrics/series.ts';
import type { RunData } from '../../judge/read/run-data.ts';
import { tInterval } from '../../judge/stats/interval.ts';
import { MIN_ROUNDS } from '../../judge/stats/looks.ts';
import type { DrawnArm } from './drawn-arms.ts';
import { axisOf, type Plot, type Point, placesAxis } from './plot.ts';

const shown: ReadonlySet<string> = new Set(['requests_per_s', 'latency_mean_ms', 'latency_p95_ms', 'latency_p99_ms']);
/** Intervals at one place stand side by side. */
const APART = 0.08;
const ALPHA = 0.05;

/**
 * 2xx/s and latency over load levels that differ in nothing but their size, where there are two or more: the averages of the
 * tables, the control's arms together, each with an interval where every round has the value.
 */
export function loadCurves(data: RunData, arms: readonly DrawnArm[]): Plot[] {
  const alike = groupBy(data.scenario.load.levels, (load) => JSON.stringify([loadKind(load), load.workload]));
  return alike
    .filter((levels) => levels.length > 1)
    .flatMap((levels) =>
      metrics
        .filter(({ name }) => shown.has(name))
        .flatMap((metric) =>
          curve(
            data,
            arms,
            metric,
            [...levels].sort((a, b) => loadSize(a) - loadSize(b)),
          ),
        ),
    );
}

function curve(data: RunData, arms: readonly DrawnArm[], metric: Metric, levels: readonly LoadLevel[]): Plot[] {
  const lines = arms.map(({ name, style, cells }, place) => ({
    name,
    style,
    points: levels.map((load, at): Point => {
      const x = at + APART * (place - (arms.length - 1) / 2);
      const y = data.valueOverRounds(metric, cells(load));
      return { x, y, ...(y !== null && intervalAround(y, metric, data.series(metric, cells(load)))) };
    }),
  }));
  const values = lines.flatMap(({ points }) => points.flatMap(({ y, interval }) => [y ?? [], interval ?? []].flat()));
  if (values.length === 0) return [];
  const workload = levels[0]?.workload;
  return [
    {
      title: workload === undefined ? metric.label : `${metric.label}, ${workload}`,
      x: placesAxis(
        levels[0] === undefined ? '' : loadUnit(levels[0]),
        levels.map((load) => String(loadSize(load))),
      ),
      y: axisOf(metric.label, values),
      lines,
    },
  ];
}

/**
 * As wide as Student's interval of the rounds at 95 %; of a percentile by logarithms. None of fewer rounds than a verdict takes,
 * and none where there are too few samples.
 */
function intervalAround(y: number, { percentile }: Metric, { byRound, tooFew }: Series): Pick<Point, 'interval'> {
  const isPercentile = percentile !== undefined;
  const values = [...byRound.values()].map(({ value, log }) => (isPercentile ? (log ?? 0) : value));
  const range = values.length < MIN_ROUNDS || tooFew !== null ? null : tInterval(values, ALPHA);
  if (range === null) return {};
  const half = (range.high - range.low) / 2;
  return { interval: isPercentile ? [y * Math.exp(-half), y * Math.exp(half)] : [y - half, y + half] };
}
