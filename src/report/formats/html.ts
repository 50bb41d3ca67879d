import { FOLDED_TITLE, type ReportDocument } from '../document.ts';
import type { Cell, Table } from '../tables/table.ts';
import type { Why } from '../words/why.ts';
import type { Chart } from './chart.ts';
import type { ReportFormat } from './format.ts';

export const html: ReportFormat = {
  file: 'report.html',
  render: ({ document, charts }) => renderHtml(document, charts),
};

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --dim: #8889; --good: #2e7d32; --bad: #c62828; }
@media (prefers-color-scheme: dark) { :root { --good: #81c784; --bad: #ef9a9a; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
.answer { font-size: 1.1rem; } .warning { border-left: 4px solid #f9a825; padding-left: .8rem; font-weight: 600; }
figure { margin: 1.5rem 0; overflow-x: auto; } figure svg { max-width: 100%; height: auto; }
.table { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }
caption { text-align: left; font-weight: 600; padding: .8rem 0 .3rem; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: left; }
.right { text-align: right; } .dim { color: var(--dim); color: color-mix(in srgb, currentColor 60%, transparent); }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
ul.notes { font-size: .85rem; padding-left: 1.2rem; } details { margin-top: 1.5rem; } summary { cursor: pointer; font-weight: 600; }
`;

/** A report as one HTML file that needs nothing else: the same content as the Markdown, with charts and colours. */
export function renderHtml(report: ReportDocument, charts: readonly Chart[]): string {
  const body = [
    `<h1>${escapeHtml(report.title)}</h1>`,
    ...report.warnings.map((warning) => `<p class="warning">${escapeHtml(warning)}</p>`),
    `<ul class="answer">${report.headline.map(item).join('')}</ul>`,
    ...(report.recommendation.length === 0
      ? []
      : [`<p><strong>Recommended</strong></p><ul>${report.recommendation.map(item).join('')}</ul>`]),
    ...report.first.gates.map((line) => `<p>${escapeHtml(line)}</p>`),
    `<p class="dim">${escapeHtml(report.run)}</p>`,
    ...(report.machine === '' ? [] : [`<p class="dim">${escapeHtml(report.machine)}</p>`]),
    ...charts.map(({ title, svg }) => `<figure role="img" aria-label="${escapeHtml(title)}">${svg}</figure>`),
    ...report.sections.flatMap(({ heading, tables, folded }) => [
      `<h2>${escapeHtml(heading)}</h2>`,
      ...tables.map(renderTable),
      ...(folded.length === 0 ? [] : [details(FOLDED_TITLE, folded.map(renderTable).join(''))]),
    ]),
    ...(report.why === null ? [] : whyParts(report.why)),
    details('How to read this', `<ul>${report.notes.map(item).join('')}</ul>`),
    details('Provenance', `<div class="table"><table>${report.provenance.map(provenanceRow).join('')}</table></div>`),
  ];
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width"><title>${escapeHtml(report.title)}</title><style>${STYLE}</style>`;
  return `<!doctype html>\n<html lang="en"><head>${head}</head><body>\n${body.join('\n')}\n</body></html>\n`;
}

function whyParts({ findings, limits, folded }: Why): string[] {
  const told = findings.map(({ text, next }) => `<li><strong>${escapeHtml(text)}</strong> ${escapeHtml(next)}</li>`);
  return [
    '<h2>Why</h2>',
    `<ul>${told.join('')}${limits.map(item).join('')}</ul>`,
    ...folded.map(({ title, tables }) => details(title, tables.map(renderTable).join(''))),
  ];
}

function renderTable({ title, columns, rows, notes }: Table): string {
  const side = (index: number): string => (columns[index]?.align === 'right' ? 'right' : '');
  const heads = columns.map(({ head }, index) => `<th scope="col" class="${side(index)}">${escapeHtml(head)}</th>`);
  const cell = ({ text, tone }: Cell, index: number): string =>
    `<td class="${[side(index), tone ?? ''].join(' ').trim()}">${escapeHtml(text)}</td>`;
  const lines = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`);
  const table = `<table><caption>${escapeHtml(title)}</caption><thead><tr>${heads.join('')}</tr></thead><tbody>${lines.join('')}</tbody></table>`;
  const below = notes.length === 0 ? '' : `<ul class="notes">${notes.map(item).join('')}</ul>`;
  return `<div class="table">${table}</div>${below}`;
}

function provenanceRow([label, value]: readonly [string, string]): string {
  return `<tr><th scope="row">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`;
}

function details(title: string, body: string): string {
  return `<details><summary>${escapeHtml(title)}</summary>${body}</details>`;
}

function item(text: string): string {
  return `<li>${escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>')}</li>`;
}

/** A text that is only itself in HTML, also in an attribute. */
export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
