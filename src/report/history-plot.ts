import { formatChange, formatDelta, formatValue, plural } from '../judge/format.ts';
import { shortCommit } from '../judge/history/history-point.ts';
import type { HistorySeries, SeriesPoint } from '../judge/history/history-series.ts';
import { type ChangePoint, fewestBesideStep } from '../judge/stats/change-points.ts';

const HEIGHT = 10;

/** A metric over commits for a terminal: the curve, and its change points in words. Ends in a newline. */
export function historyText(series: HistorySeries, widthColumns: number): string {
  const { scenario, variant, load, metric, change, points } = series;
  const title = `${scenario}: ${change ? 'change of ' : ''}${metric} of ${variant} with ${load}, ${plural(points.length, 'run')}`;
  return `${[title, '', ...plotLines(series, widthColumns), '', ...changeLines(series), ...noteLines(series)].join('\n')}\n`;
}

/** Notes on the curve: runs that it lacks, and other facts about it. */
function noteLines(series: HistorySeries): string[] {
  const { elsewhere, otherWork, otherControl, withoutValues, since } = series;
  const { unknownWork, otherDataSet, otherCommit, orderUnknown } = series;
  const notes: readonly (readonly [number, string])[] = [
    [elsewhere, 'on another machine or another Postgres left out.'],
    [otherWork, 'with other requests than the last one left out.'],
    [otherControl, 'with another control left out.'],
    [withoutValues, 'without values left out.'],
    [since, `since the last point, without ${series.metric} of ${series.variant} with ${series.load}.`],
    [unknownWork, 'without a record of the requests: pgsweep takes them for the same.'],
    [otherDataSet, 'on another data set than the last one: a change may come from the data.'],
    [otherCommit, `beside the commit that is named: ${series.variant} is another one.`],
    [orderUnknown, 'of commits of the same second in the order of measurement: git does not know these commits here.'],
  ];
  return notes.flatMap(([count, words]) => (count === 0 ? [] : [`${plural(count, 'run')} ${words}`]));
}

/** The series as JSON, for programs. */
export function historyJson({ points, changePoints, ...series }: HistorySeries): string {
  const rows = points.map(({ point, value }) => ({
    commit: point.commit,
    committedAt: point.committedAt,
    run: point.run,
    value,
  }));
  const changes = changePoints.map(({ index, where, size, interval }) => ({
    commit: points[index]?.point.commit,
    between: where.map((at) => points[at]?.point.commit),
    percent: inPercent(size),
    intervalPercent: interval.map(inPercent),
  }));
  return `${JSON.stringify({ version: 1, ...series, points: rows, changePoints: changes }, null, 2)}\n`;
}

/** Rows from the highest value to the lowest; a column a run, or the mean of several where there are more than columns. */
function plotLines({ points, changePoints, change }: HistorySeries, widthColumns: number): string[] {
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const labels = [high, (low + high) / 2, low].map((value) => (change ? formatDelta(value) : formatValue(value)));
  const margin = Math.max(...labels.map((label) => label.length));
  const columns = Math.max(1, Math.min(values.length, widthColumns - margin - 3));
  const bucketOf = (index: number): number => Math.floor((index * columns) / values.length);
  const rowOf = (value: number): number =>
    high === low ? 0 : Math.round(((high - value) / (high - low)) * (HEIGHT - 1));
  const grid = Array.from({ length: HEIGHT }, () => Array.from({ length: columns }, () => ' '));
  for (const { index } of changePoints) for (const row of grid) row[bucketOf(index)] = '|';
  for (let column = 0; column < columns; column++) {
    const own = values.filter((_, index) => bucketOf(index) === column);
    const row = grid[rowOf(own.reduce((all, value) => all + value, 0) / own.length)];
    if (row !== undefined) row[column] = '*';
  }
  return grid.map((row, at) => {
    const label = at === 0 ? labels[0] : at === Math.floor(HEIGHT / 2) ? labels[1] : at === HEIGHT - 1 ? labels[2] : '';
    return `${(label ?? '').padStart(margin)} | ${row.join('')}`.trimEnd();
  });
}

function changeLines({ points, changePoints, change }: HistorySeries): string[] {
  // A change of -100 % is one to 0; a change of 0 % is as good as any other.
  if (points.some(({ value }) => value <= (change ? -100 : 0))) {
    return ['No change points: a value of 0 has no percentage.'];
  }
  if (changePoints.length === 0) {
    return [`No change points: what is seen is noise. ${findableWords(points.length)}`];
  }
  return ['Change points:', ...changePoints.map((found) => `  ${changeWords(points, found)}`)];
}

function findableWords(runs: number): string {
  const fewest = fewestBesideStep(runs);
  if (fewest !== null) return `With ${runs} runs, even a plain step needs ${fewest} runs before it and after it.`;
  let least = runs;
  while (fewestBesideStep(least) === null) least++;
  return `Even a plain step is found from ${least} runs on.`;
}

/** `1a2b3c4d: -9.8 % [-12.1, -7.4]; Use a pool (between 0f1e2d3c and 5b6a7988)` */
function changeWords(points: readonly SeriesPoint[], { index, where, size, interval }: ChangePoint): string {
  const [from, to] = where.map((at) => shortCommitOf(points[at]));
  const place = from === to ? '' : ` (it came between ${from} and ${to})`;
  const subject = points[index]?.point.subject;
  const change = formatChange(inPercent(size), [inPercent(interval[0]), inPercent(interval[1])]);
  return `${shortCommitOf(points[index])}: ${change}${subject ? `; ${subject}` : ''}${place}`;
}

function shortCommitOf(point: SeriesPoint | undefined): string {
  return shortCommit(point?.point.commit ?? '');
}

function inPercent(log: number): number {
  return 100 * Math.expm1(log);
}
