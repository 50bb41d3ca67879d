import { present } from '../../base/present.ts';
import type { Cell, Table } from '../tables/table.ts';
import { withCode } from '../words/code-marks.ts';
import { escapeHtml } from './escape.ts';

/** A part of the page with its heading, which the contents lead to. Empty where it has nothing in it. */
export function section(id: string, heading: string, body: readonly string[]): string {
  const inner = present(body).join('\n');
  return inner === ''
    ? ''
    : `<section aria-labelledby="${id}"><h2 id="${id}">${escapeHtml(heading)}</h2>\n${inner}</section>`;
}

/** A folded part, for what few look at; `isOpen` at first. */
export function details(title: string, body: string, { isOpen = false } = {}): string {
  if (body === '') return '';
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary>\n${body}</details>`;
}

export function list(sentences: readonly string[], name = ''): string {
  if (sentences.length === 0) return '';
  return `<ul${name === '' ? '' : ` class="${name}"`}>${sentences.map((text) => `<li>${sentence(text)}</li>`).join('')}</ul>`;
}

/** A sentence of ours, with its code marks. */
export function sentence(text: string): string {
  return withCode(text, (word) => `<code>${escapeHtml(word)}</code>`, escapeHtml);
}

/** A table in its own frame, which scrolls where it is wider than the page, by the keyboard too. */
export function framed(label: string, table: string): string {
  return `<div class="table" role="group" tabindex="0" aria-label="${escapeHtml(label)}">${table}</div>`;
}

/** One table with its notes below. The first column names the rows. */
export function tableHtml(table: Table): string {
  return drawnTable(table, false);
}

/** A table for a small screen, which shows cells below each other: each has the head of its column. */
export function headedTableHtml(table: Table): string {
  return drawnTable(table, true);
}

function drawnTable({ title, columns, rows, notes }: Table, headed: boolean): string {
  const side = (index: number): string => (columns[index]?.align === 'right' ? 'r' : '');
  const heads = columns.map(({ head }, index) => `<th scope="col"${classes(side(index))}>${escapeHtml(head)}</th>`);
  const cell = ({ text, tone }: Cell, index: number): string =>
    index === 0
      ? `<th scope="row">${escapeHtml(text)}</th>`
      : `<td${classes(side(index), tone ?? '')}${headed ? ` data-head="${escapeHtml(columns[index]?.head ?? '')}"` : ''}>${escapeHtml(text)}</td>`;
  const lines = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`);
  const table = `<table><caption>${escapeHtml(title)}</caption><thead><tr>${heads.join('')}</tr></thead><tbody>${lines.join('')}</tbody></table>`;
  return `${framed(title, table)}${list(notes, 'notes')}`;
}

/** Labels and values. */
export function factsTable(title: string, facts: readonly (readonly [string, string])[]): string {
  const rows = facts.map(
    ([label, value]) => `<tr><th scope="row">${escapeHtml(label)}</th><td class="text">${escapeHtml(value)}</td></tr>`,
  );
  return framed(
    title,
    `<table class="facts"><caption>${escapeHtml(title)}</caption><tbody>${rows.join('')}</tbody></table>`,
  );
}

function classes(...names: readonly string[]): string {
  const given = present(names);
  return given.length === 0 ? '' : ` class="${given.join(' ')}"`;
}

/** A share (0..1) as CSS and SVG have it: `62.5%`. */
export function cssPercent(share: number): string {
  return `${Number((100 * share).toFixed(2))}%`;
}

/** Tables of a run of any size: they are shown as long as there is room on the page. */
export interface Room {
  /** The part, or a line that names what is left out. */
  fit(title: string, part: string): string;
}

/** With what is always shown the page stays under 5 MB, in which a browser opens at once. */
const MOST_CHARACTERS = 3_500_000;

export function createRoom(mostCharacters = MOST_CHARACTERS): Room {
  let left = mostCharacters;
  return {
    fit(title, part) {
      if (part.length > left) {
        return `<p class="dim">Left out to keep the page small: ${escapeHtml(title)}. summary.json and the tables in CSV have it.</p>`;
      }
      left -= part.length;
      return part;
    },
  };
}
