import type { ChangeBar, ChangeBars } from '../pictures/change-bars.ts';
import { positionOn } from '../pictures/plot.ts';
import { cssPercent, framed } from './elements.ts';
import { escapeHtml } from './escape.ts';

/** The inside of an SVG of any width: a bar from one end of the interval to the other, and a line where the change is. */
export function barSvg({ axis, marginPercent, floor }: Omit<ChangeBars, 'bars'>, bar: ChangeBar): string {
  const at = (value: number): number => positionOn(axis, value);
  const box = (name: string, [low, high]: readonly [number, number], y: string, height: string): string =>
    `<rect class="${name}" x="${cssPercent(at(low))}" width="${cssPercent(at(high) - at(low))}" y="${y}" height="${height}"/>`;
  const upright = (name: string, value: number): string =>
    `<line class="${name}" x1="${cssPercent(at(value))}" x2="${cssPercent(at(value))}" y2="100%"/>`;
  const { deltaPercent, interval, verdict } = bar;
  const tone = interval === null ? 'open' : verdict === 'same' ? 'same' : (bar.said.tone ?? 'dim');
  return [
    floor === null ? '' : box('floor', floor, '0', '100%'),
    upright('margin', -marginPercent),
    upright('margin', marginPercent),
    upright('zero', 0),
    interval === null ? '' : box(`bar ${tone}`, interval, '25%', '50%'),
    ...beyond(axis, [...(interval ?? []), deltaPercent ?? 0], tone),
    deltaPercent === null ? '' : `<circle class="${tone}" cx="${cssPercent(at(deltaPercent))}" cy="50%" r="4"/>`,
  ].join('');
}

/** A mark at each end of the axis that some value lies beyond: the bar is longer than the frame shows. */
function beyond({ low, high }: ChangeBars['axis'], values: readonly number[], tone: string): string[] {
  const mark = (x: string, anchor: string, sign: string): string =>
    `<text class="beyond ${tone}" x="${x}" y="50%" dy=".35em" text-anchor="${anchor}">${sign}</text>`;
  return [
    ...(Math.min(...values) < low ? [mark('0%', 'end', '◂')] : []),
    ...(Math.max(...values) > high ? [mark('100%', 'start', '▸')] : []),
  ];
}

/** Changes as a table: name, words, and a bar on the axis that stands in the head. */
export function changeTable(title: string, { bars, ...common }: ChangeBars): string {
  const { axis } = common;
  const ticks = axis.ticks.map(
    ({ at, label }) =>
      `<text x="${(100 * positionOn(axis, at)).toFixed(1)}%" y="12" text-anchor="middle">${escapeHtml(label)}</text>`,
  );
  const rows = bars.map(
    (bar) =>
      `<tr><th scope="row">${escapeHtml(bar.name)}</th><td class="said ${bar.said.tone ?? ''}">${escapeHtml(bar.said.text)}</td>` +
      `<td class="chart"><svg aria-hidden="true">${barSvg(common, bar)}</svg></td></tr>`,
  );
  const head = `<th scope="col">variant</th><th scope="col">change [interval] verdict</th><th scope="col" class="chart"><span class="hidden">bar, percent</span><svg aria-hidden="true">${ticks.join('')}</svg></th>`;
  const table = `<table class="changes"><caption>${escapeHtml(title)}</caption><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
  return framed(title, table);
}
