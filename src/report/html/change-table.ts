import type { ChangeBars } from '../pictures/change-bars.ts';
import { positionOn } from '../pictures/plot.ts';
import { barSvg } from './bar-svg.ts';
import { framed } from './elements.ts';
import { escapeHtml } from './escape.ts';

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
