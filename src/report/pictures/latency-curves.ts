import { loadLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatCount, formatValue } from '../../judge/format.ts';
import type { LatencyCounts } from '../../judge/read/cells/latency-counts.ts';
import type { RunData } from '../../judge/read/run-data.ts';
import type { Summary } from '../../judge/summary.ts';
import { armsUnder } from '../../judge/verdicts/contrasts.ts';
import { nameColumn, repeatName } from '../tables/arm-name.ts';
import { right, type Table } from '../tables/table.ts';
import type { DrawnArm } from './drawn-arms.ts';
import { type Axis, axisOf, type Line, type Plot } from './plot.ts';

/** Above a percentile there have to be as many answers; it would be the luck of one otherwise. */
const LEAST_ABOVE = 10;
/** Points of a curve for each power of ten of answers above. */
const POINTS = 10;
/** A curve begins with the fastest tenth: the very fastest answer is the luck of one. */
const FIRST_PERCENT = 10;
const TICKS = [50, 90, 99, 99.9, 99.99, 99.999, 99.9999];
const TABLE_PERCENTS = [50, 75, 90, 95, 99, 99.9, 100];

/** The latency below which a share of the answers came, by that share: the tail has as much room as the rest. */
export function latencyCurve(data: RunData, arms: readonly DrawnArm[], load: LoadLevel): Plot[] {
  const lines = arms.flatMap(({ name, style, cells }): Line[] => {
    const latencies = data.latencies(cells(load));
    return latencies === null || latencies.count < LEAST_ABOVE ? [] : [{ name, style, points: curve(latencies) }];
  });
  const points = lines.flatMap(({ points }) => points);
  if (points.length === 0) return [];
  const last = points.reduce((most, { x }) => Math.max(most, x), 1);
  return [
    {
      title: loadLabel(load),
      x: shareAxis(last),
      y: axisOf(
        'ms',
        points.flatMap(({ y }) => y ?? []),
      ),
      lines,
    },
  ];
}

function curve(latencies: LatencyCounts): Line['points'] {
  const steps = Math.max(1, Math.floor(POINTS * Math.log10(latencies.count / LEAST_ABOVE)));
  const places = [axisPosition(FIRST_PERCENT), ...Array.from({ length: steps }, (_, step) => (step + 1) / POINTS)];
  const us = latencies.percentilesUs(places.map((place) => 100 * (1 - 10 ** -place)));
  return places.map((x, index) => ({ x, y: (us[index] ?? 0) / 1000 }));
}

/** 1 where a tenth of the answers is above, 2 where a hundredth is, and so on. */
function axisPosition(percent: number): number {
  return -Math.log10(1 - percent / 100);
}

function shareAxis(last: number): Axis {
  const ticks = TICKS.map((percent) => ({ at: axisPosition(percent), label: `${percent} %` }));
  const high = Math.max(1, last);
  return {
    label: 'answers that came sooner',
    low: axisPosition(FIRST_PERCENT),
    high,
    ticks: ticks.filter(({ at }) => at <= high),
    isLog: false,
  };
}

/** Percentiles of every arm under a load level, of all rounds together; null where nothing was counted. */
export function percentilesTable(data: RunData, summary: Summary, load: LoadLevel): Table | null {
  const rows = armsUnder(data, load).flatMap((cell) => {
    const latencies = data.latencies([cell]);
    if (latencies === null || latencies.count === 0) return [];
    const us = latencies.percentilesUs(TABLE_PERCENTS);
    const name = cell.repeat ? repeatName(summary) : cell.variant;
    return [
      [name, formatCount(latencies.count), ...us.map((one) => formatValue(one / 1000))].map((text) => ({ text })),
    ];
  });
  if (rows.length === 0) return null;
  const heads = ['answers', ...TABLE_PERCENTS.map((percent) => (percent === 100 ? 'max ms' : `p${percent} ms`))];
  return {
    title: `Latency percentiles, ${loadLabel(load)}`,
    columns: [nameColumn, ...heads.map(right)],
    rows,
    notes: [],
  };
}
