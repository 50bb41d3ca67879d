import { loadLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatValue } from '../../judge/format.ts';
import { judgedMetric } from '../../judge/read/metrics/judged-metric.ts';
import type { Metric } from '../../judge/read/metrics/metrics.ts';
import type { ArmCell, RunData } from '../../judge/read/run-data.ts';
import { toPercent } from '../../judge/stats/rounding.ts';
import type { Summary } from '../../judge/summary.ts';
import { armsUnder, besideOf, controlArms, twinArms } from '../../judge/verdicts/contrasts.ts';
import { againName, repeatName } from '../tables/arm-name.ts';
import { left, right, type Table, textCells, transpose } from '../tables/table.ts';
import { judgedName } from '../words/judged.ts';
import type { DrawnArm } from './drawn-arms.ts';
import { type Line, linearAxis, type Plot, roundsAxis } from './plot.ts';

/** The change of 2xx/s in each round: of variants against the control, and A/A. */
export function roundCurve(data: RunData, arms: readonly DrawnArm[], load: LoadLevel): Plot[] {
  const judged = judgedMetric(data.scenario);
  const lines = arms.map(({ name, style, cells }): Line => {
    const [first, second] = twinArms(data, load);
    const isControl = style === 0;
    const [own] = isControl ? [second] : cells(load);
    if (own === undefined) return { name, style, points: [] };
    const against = isControl ? [first] : controlArms(data, load);
    const beside = besideOf(data, { control: against, cell: own });
    const series = data.series(judged, [own], beside).byRound;
    const control = data.series(judged, against, beside).byRound;
    const points = data.rounds.map((round, at) => {
      const [value, against] = [series.get(round)?.log ?? null, control.get(round)?.log ?? null];
      return { x: at + 0.5, y: value === null || against === null ? null : toPercent(value - against) };
    });
    return { name: isControl ? againName(second.variant) : name, style, points };
  });
  const values = lines.flatMap(({ points }) => points.flatMap(({ y }) => y ?? []));
  if (values.length === 0) return [];
  const y = linearAxis(`change of ${judgedName({ judgedBy: judged.name })}, %`, [0, ...values]);
  return [{ title: loadLabel(load), x: roundsAxis(data.rounds), y, lines }];
}

/** A metric of an arm in every round that has a value; a percentile is of the round alone. */
export function valuesByRound(data: RunData, metric: Metric, cell: ArmCell): ReadonlyMap<number, number> {
  const values =
    metric.percentile === undefined
      ? [...data.series(metric, [cell]).byRound].map(([round, { value }]) => [round, value] as const)
      : [...data.samples(cell)].map(([round, sample]) => [round, metric.read(sample).value] as const);
  return new Map(values.flatMap(([round, value]) => (value === null ? [] : [[round, value] as const])));
}

/** A metric of every arm (or of some) in every round. */
export function roundsTable(
  data: RunData,
  summary: Summary,
  load: LoadLevel,
  metric: Metric,
  only: ReadonlySet<string> | null,
): Table {
  const cells = armsUnder(data, load).filter(
    (cell) => data.samples(cell).size > 0 && (only === null || only.has(cell.variant)),
  );
  const nameOf = ({ variant, repeat }: ArmCell): string => (repeat ? repeatName(summary) : variant);
  const series = cells.map((cell) => valuesByRound(data, metric, cell));
  const table: Table = {
    title: `${metric.label} by round, ${loadLabel(load)}`,
    columns: [left('round'), ...cells.map((cell) => right(nameOf(cell)))],
    rows: data.rounds.map((round) =>
      textCells([String(round), ...series.map((one) => formatValue(one.get(round) ?? null))]),
    ),
    notes: [],
  };
  return cells.length > data.rounds.length ? transpose(table, 'variant') : table;
}
