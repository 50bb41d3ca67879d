import { formatValue } from '../../judge/format.ts';
import { mean } from '../../judge/stats/moments.ts';
import { type Axis, type Line, type Plot, type Point, positionOn } from '../pictures/plot.ts';
import { cssPercent } from './elements.ts';
import { escapeHtml } from './escape.ts';

/** The unit of paths; the drawing is stretched to the place that there is. */
const SIDE = 1000;
/** Points stand out where there are few of them. */
const MOST_DOTS = 20;

/**
 * A plot as a figure that is as wide as its place: lines are stretched without getting thicker, texts keep their size.
 * Colours come from the page's style. A screen reader gets the range of each line.
 */
export function plotFigure(plot: Plot): string {
  const { title, x, lines } = plot;
  const label = `${title}, by ${x.label}. ${lines.map(lineWords).join('; ')}.`;
  return [
    `<figure class="plot"><figcaption>${escapeHtml(title)}</figcaption>`,
    `<svg class="plot" role="img" aria-label="${escapeHtml(label)}">${drawing(plot)}</svg>`,
    `<p class="axis" aria-hidden="true">${escapeHtml(x.label)}</p></figure>`,
  ].join('');
}

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [480, 300, 62, 34, 18, 82];
const KEY_ROOM = 150;
const MOST_CHARACTERS = 18;

/** The inside of a separate picture, of a fixed size, with title and legend. */
export function plotSvg(
  plot: Plot,
  arms: readonly Pick<Line, 'name' | 'style'>[],
): { readonly title: string; readonly width: number; readonly height: number; readonly svg: string } {
  const perRow = Math.floor(WIDTH / KEY_ROOM);
  const keys = arms.map(({ name, style }, place) => {
    const [x, y] = [10 + KEY_ROOM * (place % perRow), HEIGHT - BOTTOM + 56 + 18 * Math.floor(place / perRow)];
    const shown = name.length > MOST_CHARACTERS ? `${name.slice(0, MOST_CHARACTERS - 1)}…` : name;
    return `<path class="l${style}" d="M${x} ${y - 4}h24"/><text class="tick" x="${x + 30}" y="${y}">${escapeHtml(shown)}</text>`;
  });
  const svg = [
    `<text class="load" x="10" y="20">${escapeHtml(plot.title)}</text>`,
    `<svg class="axis" x="${LEFT}" y="${TOP}" width="${WIDTH - LEFT - RIGHT}" height="${HEIGHT - TOP - BOTTOM}" overflow="visible">${drawing(plot)}</svg>`,
    `<text class="tick" x="${(WIDTH + LEFT) / 2}" y="${HEIGHT - BOTTOM + 34}" text-anchor="middle">${escapeHtml(plot.x.label)}</text>`,
    ...keys,
  ].join('');
  return {
    title: plot.title,
    width: WIDTH,
    height: HEIGHT + 18 * Math.max(0, Math.ceil(arms.length / perRow) - 2),
    svg,
  };
}

function drawing({ x, y, lines }: Plot): string {
  const hasDots = lines.every(({ points }) => points.filter((point) => point.y !== null).length <= MOST_DOTS);
  return [
    ...y.ticks.map((tick) => yTick(y, tick)),
    ...x.ticks.map((tick) => xTick(x, tick)),
    `<svg viewBox="0 0 ${SIDE} ${SIDE}" preserveAspectRatio="none" width="100%" height="100%">`,
    ...(y.low < 0 && y.high > 0 ? [`<path class="zero" d="M0 ${across(y, 0)}H${SIDE}"/>`] : []),
    ...[...lines].reverse().flatMap((line) => linePaths(line, x, y, hasDots)),
    '</svg>',
  ].join('');
}

/** Which line is whose, for the pictures that follow. */
export function legend(lines: readonly { readonly name: string; readonly style: number }[]): string {
  const items = lines.map(
    ({ name, style }) =>
      `<li><svg class="key" aria-hidden="true"><path class="l${style}" d="M0 8H28"/></svg>${escapeHtml(name)}</li>`,
  );
  return `<ul class="legend" aria-label="Lines">${items.join('')}</ul>`;
}

function lineWords({ name, points }: Line): string {
  const values = points.flatMap(({ y }) => y ?? []);
  if (values.length === 0) return `${name}: nothing`;
  const [least, most] = [Math.min(...values), Math.max(...values)].map(formatValue);
  return `${name}: ${least} to ${most}, mean ${formatValue(mean(values))}`;
}

function yTick(axis: Axis, { at, label }: Axis['ticks'][number]): string {
  const place = cssPercent(1 - positionOn(axis, at));
  return `<line class="grid" x2="100%" y1="${place}" y2="${place}"/><text x="-6" y="${place}" dy=".32em" text-anchor="end">${escapeHtml(label)}</text>`;
}

function xTick(axis: Axis, { at, label }: Axis['ticks'][number]): string {
  const place = cssPercent(positionOn(axis, at));
  return `<line class="grid" y2="100%" x1="${place}" x2="${place}"/><text x="${place}" y="100%" dy="1.3em" text-anchor="middle">${escapeHtml(label)}</text>`;
}

function linePaths({ style, points }: Line, x: Axis, y: Axis, hasDots: boolean): string[] {
  const intervals = points.flatMap(({ x: at, interval }) =>
    interval === undefined ? [] : [`M${along(x, at)} ${across(y, interval[0])}V${across(y, interval[1])}`],
  );
  const known = points.filter(({ y: value }) => value !== null);
  const dots = known.map((point) => `M${along(x, point.x)} ${across(y, point.y ?? 0)}h0`);
  return [
    ...(intervals.length === 0 ? [] : [`<path class="l${style} interval" d="${intervals.join('')}"/>`]),
    `<path class="l${style}" d="${pathOf(points, x, y)}"/>`,
    ...(!hasDots ? [] : [`<path class="l${style} dot" d="${dots.join('')}"/>`]),
  ];
}

function pathOf(points: readonly Point[], x: Axis, y: Axis): string {
  let isJoined = false;
  const steps = points.map((point) => {
    if (point.y === null) {
      isJoined = false;
      return '';
    }
    const place = `${isJoined ? 'L' : 'M'}${along(x, point.x)} ${across(y, point.y)}`;
    isJoined = true;
    return place;
  });
  return steps.join('');
}

function along(axis: Axis, value: number): number {
  return Math.round(SIDE * positionOn(axis, value));
}

function across(axis: Axis, value: number): number {
  return Math.round(SIDE * (1 - positionOn(axis, value)));
}
