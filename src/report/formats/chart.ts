import { visible, visibleTexts } from '../../base/visible.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { judgedOf } from '../../judge/judged-view.ts';
import type { Summary } from '../../judge/summary.ts';
import { barSvg } from '../html/bar-svg.ts';
import { escapeHtml } from '../html/escape.ts';
import { plotSvg } from '../html/plot-figure.ts';
import { lineRules } from '../html/style.ts';
import { type ChangeBars, changeBars } from '../pictures/change-bars.ts';
import type { Pictures } from '../pictures/pictures.ts';
import { type Plot, positionOn } from '../pictures/plot.ts';
import { judgedName } from '../words/judged.ts';

/** A picture of a finding for pages of others: a file name without its ending, a title for people, and the SVG text. */
export interface Chart {
  readonly name: string;
  /** The title of those that stand together. */
  readonly group: string;
  readonly title: string;
  readonly svg: string;
}

const [WIDTH, NAMES, MARGIN, ROW, HEAD] = [760, 200, 20, 24, 30];
/** This many characters of a name fit, in the font below. */
const MOST_CHARACTERS = 28;
/**
 * Light, whatever the reader's choice is: on which ground it is shown is not known. A style holds for all of a page or
 * picture that the chart becomes a part of, so that it names the chart.
 */
const rules: readonly (readonly [selector: string, declarations: string])[] = [
  ['text', 'font: 13px system-ui, sans-serif; fill: #24292f'],
  ['.tick', 'font-size: 11px; fill: #57606a'],
  ['.axis text', 'font-size: 11px; fill: #57606a'],
  ['.load', 'font-weight: 600'],
  ['.floor', 'fill: #e4e9ee'],
  ['.zero', 'stroke: #24292f'],
  ['.margin', 'stroke: #8c959f; stroke-dasharray: 2 3'],
  ['.bar', 'opacity: .45; fill: #6e7781'],
  ['circle', 'fill: #6e7781'],
  ['.same', 'fill: #2f6fb0'],
  ['.good', 'fill: #1a7f37'],
  ['.bad', 'fill: #b3261e'],
  ['.open', 'fill: none; stroke: #6e7781; stroke-width: 2'],
  ['.grid', 'stroke: #d0d7de'],
  [
    'path',
    'fill: none; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; vector-effect: non-scaling-stroke',
  ],
  ...lineRules,
  ['.dot', 'stroke-width: 6; stroke-dasharray: none'],
  ['.interval', 'stroke-width: 1.5; stroke-dasharray: none'],
  ['path.zero', 'stroke-width: 1'],
];
const STYLE = rules.map(([selector, declarations]) => `.chart ${selector} { ${declarations}; }`).join(' ');

/** More files than these are not looked at. */
const MOST_CHARTS = 60;

/** The changes of 2xx/s first, then what the pictures show over load levels, of latencies and over time, under names by place. */
export function drawCharts(pictures: Pictures, summary: Summary): Chart[] {
  const change = changeChart(summary);
  const numbered = (kind: string, group: string, plots: readonly Plot[]): Chart[] =>
    plots.map((plot, place) => {
      const { title, width, height, svg } = plotSvg(plot, pictures.arms);
      return { name: `${kind}-${place + 1}`, group, title, svg: standalone(title, width, height, svg) };
    });
  return [
    ...(change === null ? [] : [change]),
    ...numbered('loads', 'Over load levels', pictures.overLoads),
    ...numbered(
      'latency',
      'Latencies',
      pictures.loads.flatMap(({ latency }) => latency),
    ),
    ...pictures.loads.flatMap(({ overTime, load }, place) =>
      numbered(
        `time-${place + 1}`,
        `Over time, ${load}`,
        overTime.map((plot) => ({ ...plot, title: `${plot.title}, ${load}` })),
      ),
    ),
  ].slice(0, MOST_CHARTS);
}

/**
 * Draws the change of 2xx/s, or of what else the run is about, of each variant against the control with its interval, a panel per load level. Null where
 * nothing was compared.
 */
export function changeChart(summary: Summary): Chart | null {
  let top = HEAD;
  const panels = summary.run.loads.flatMap((load) => {
    const bars = changeBars(summary, load, judgedOf(summary.run));
    if (bars === null) return [];
    const panel = panelSvg(visible(loadLabel(load)), visibleTexts(bars), top);
    top += 2 * HEAD + ROW * bars.bars.length;
    return [panel];
  });
  if (panels.length === 0) return null;
  const title = `Change of ${judgedName(summary.run)} against ${visibleTexts(summary.run.control)}`;
  const head = `<text x="4" y="18" class="load">${escapeHtml(title)}, percent</text>`;
  return {
    name: judgedOf(summary.run).name,
    group: 'Changes',
    title,
    svg: standalone(title, WIDTH, top, `${head}${panels.join('')}`),
  };
}

function standalone(title: string, width: number, height: number, inner: string): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="chart" ${size} role="img" aria-label="${escapeHtml(title)}"><style>${STYLE}</style><rect width="100%" height="100%" style="fill: white"/>${inner}</svg>`;
}

function panelSvg(load: string, { bars, ...common }: ChangeBars, top: number): string {
  const { axis } = common;
  const wide = WIDTH - NAMES - MARGIN;
  const yOf = (place: number): number => top + HEAD + ROW * place;
  const rows = bars.map((bar, place) => {
    const name = bar.name.length > MOST_CHARACTERS ? `${bar.name.slice(0, MOST_CHARACTERS - 1)}…` : bar.name;
    return (
      `<text x="${NAMES - 12}" y="${yOf(place) + 0.68 * ROW}" text-anchor="end">${escapeHtml(name)}</text>` +
      `<svg x="${NAMES}" y="${yOf(place)}" width="${wide}" height="${ROW}" overflow="visible">${barSvg(common, bar)}</svg>`
    );
  });
  const ticks = axis.ticks.map(
    ({ at, label }) =>
      `<text class="tick" x="${(NAMES + wide * positionOn(axis, at)).toFixed(1)}" y="${yOf(bars.length) + 14}" text-anchor="middle">${escapeHtml(label)}</text>`,
  );
  return [`<text x="4" y="${top + 20}" class="load">${escapeHtml(load)}</text>`, ...rows, ...ticks].join('');
}
