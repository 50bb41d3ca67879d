import { stringify } from 'yaml';
import { groupBy } from '../../base/group-by.ts';
import { present } from '../../base/present.ts';
import { visible, visibleLines, visibleTexts } from '../../base/visible.ts';
import type { Summary } from '../../judge/summary.ts';
import type { CommentSection } from '../comments.ts';
import { FOLDED_TITLE, type ReportDocument } from '../document.ts';
import { changeTable } from '../html/bar-svg.ts';
import { commentsHtml } from '../html/comments.ts';
import {
  createRoom,
  details,
  factsTable,
  headedTableHtml,
  list,
  type Room,
  section,
  sentence,
  tableHtml,
} from '../html/elements.ts';
import { escapeHtml } from '../html/escape.ts';
import { legend, plotFigure } from '../html/plot-figure.ts';
import { STYLE } from '../html/style.ts';
import type { LoadPictures, Pictures } from '../pictures/pictures.ts';
import type { Plot } from '../pictures/plot.ts';
import { commandFor, RUN, withFolder } from '../words/commands.ts';
import { gateLines } from '../words/gate-words.ts';
import { scenarioFacts } from '../words/scenario-facts.ts';
import type { Why } from '../words/why.ts';
import type { ReportContent, ReportFormat } from './format.ts';

export const html: ReportFormat = { file: 'report.html', render: renderHtml };

/** Nothing is fetched, and nothing runs: the page has no script, and could have none. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Load levels whose tables stand open: more of them would hide what comes after. */
const MOST_OPEN_LOADS = 3;

/** On paper nothing can be unfolded, so all of it is printed unless that were a book. */
const MOST_PRINTED = 700_000;

/**
 * A report as one HTML file that needs nothing else, for screens large and small, light and dark, for paper, keyboard and
 * screen reader: what the Markdown has, and pictures of it.
 */
export function renderHtml(content: ReportContent): string {
  const { document, pictures, comments, underWay } = content;
  const room = createRoom();
  const sections: readonly (readonly [id: string, heading: string, body: readonly string[]])[] = [
    ['answer', 'Answer', answerParts(content)],
    ['changes', 'Changes', changeParts(pictures)],
    ['comments', 'Comments', commentParts(comments)],
    ['set-up', 'Set-up', setUpParts(content)],
    ['search', 'The search', searchParts(pictures)],
    ['loads', 'Over load levels', overLoads(pictures)],
    ['latency', 'Latencies', latencyParts(pictures)],
    ['time', 'Over time', timeParts(pictures)],
    ['rounds', 'Round by round', roundParts(pictures, room)],
    ['why', 'Why', document.why === null ? [] : whyParts(document.why, room)],
    ['tables', 'Tables', tableParts(document, room)],
    ['scenario', 'Scenario and provenance', provenanceParts(content)],
    ['reading', 'How to read this', [list(document.notes, 'notes')]],
  ];
  const body = sections.map(([id, heading, parts]) => section(id, heading, parts));
  const links = sections.flatMap(([id, heading], place) =>
    body[place] === '' ? [] : [`<li><a href="#${id}">${escapeHtml(heading)}</a></li>`],
  );
  const main = present(body).join('\n');
  const title = escapeHtml(document.title);
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">${underWay === null ? '' : `<meta http-equiv="refresh" content="${underWay.everyS}">`}<title>${title}</title><style>${STYLE}</style>`;
  return [
    `<!doctype html>\n<html lang="en"><head>${head}</head><body${main.length > MOST_PRINTED ? ' class="long"' : ''}>`,
    '<a class="skip" href="#answer">To the answer</a>',
    `<header><h1>${title}</h1><nav aria-label="Contents"><ul>${links.join('')}</ul></nav></header>`,
    `<main>${main}</main>`,
    '</body></html>\n',
  ].join('\n');
}

function gateParts(gates: Summary['gates']): string[] {
  if (gates.length === 0) return [];
  const lines = groupBy(gates, ({ gate }) => gate).map((all) => {
    const failed = all.some(({ failed }) => failed);
    const passes = all.every(({ outcome }) => outcome === 'pass');
    const tone = failed ? ' class="bad"' : passes ? ' class="good"' : '';
    return gateLines(all)
      .map((line) => `<li${tone}>${sentence(visible(line))}</li>`)
      .join('');
  });
  return ['<h3>Gates</h3>', `<ul>${lines.join('')}</ul>`];
}

function answerParts({ document, folder, summary }: ReportContent): string[] {
  const { warnings, headline, recommendation, run, machine, first } = document;
  // Other names would have to be quoted.
  const named = /^[\w./=,+-]+$/.test(folder) ? folder : RUN;
  const steps = first.next.map(({ text, command }) => {
    const code = command === null ? '' : `: <code>${escapeHtml(commandFor(command, named))}</code>`;
    return `<li>${sentence(withFolder(text, named))}${code}</li>`;
  });
  return [
    ...warnings.map((warning) => `<p class="warning">${escapeHtml(warning)}</p>`),
    first.decision === null ? '' : `<p class="decision"><strong>${escapeHtml(first.decision)}</strong></p>`,
    first.matrix === null ? '' : `<div class="stacked">${headedTableHtml({ ...first.matrix, title: 'Changes' })}</div>`,
    list(headline, 'answer'),
    ...(recommendation.length === 0 ? [] : ['<h3>Which to take</h3>', list(recommendation)]),
    ...gateParts(summary.gates),
    first.table === null ? '' : `<div class="stacked">${tableHtml(first.table)}</div>`,
    steps.length === 0 ? '' : `<h3>Next</h3><ul>${steps.join('')}</ul>`,
    ...present([run, machine]).map((line) => `<p class="dim">${escapeHtml(line)}</p>`),
  ];
}

const barWords =
  'A bar is the interval of a change, the dot the change. Shaded: the interval of A/A, where nothing differs. Dashed: what counts as the same. Green is good news, red is bad, blue is the same, grey is noise.';

function changeParts({ loads }: Pictures): string[] {
  const shown = loads.filter(({ changes }) => changes.length > 0);
  if (shown.length === 0) return [];
  return [
    `<p class="dim">${barWords}</p>`,
    ...shown.flatMap(({ load, changes }) => {
      const [first, ...others] = changes.map(({ label, bars }) => changeTable(`Change of ${label}, ${load}`, bars));
      return [`<h3>${escapeHtml(load)}</h3>`, first ?? '', details('Latency and bytes', others.join(''))];
    }),
  ];
}

function commentParts(comments: readonly CommentSection[]): string[] {
  return comments.flatMap(({ heading, markdown }) => [
    ...(heading === 'Comments' ? [] : [`<h3>${escapeHtml(visible(heading))}</h3>`]),
    commentsHtml(markdown, heading === 'Comments' ? 2 : 3),
  ]);
}

/** The rest of what the run was made on stands below. */
const setUpLabels: ReadonlySet<string> = new Set([
  'machine',
  'Node.js',
  'stack',
  'Postgres',
  'housekeeping',
  'OpenSearch',
  'data set',
]);

function setUpParts({ scenario, document }: ReportContent): string[] {
  const madeOn = document.provenance.filter(([label]) => setUpLabels.has(label));
  return [factsTable('What was compared, and on what', [...visibleTexts(scenarioFacts(scenario)), ...madeOn])];
}

function searchParts({ search }: Pictures): string[] {
  const [first] = search;
  if (first === undefined) return [];
  const words =
    'The curve of the model, with the range that it gives 95 %; each factor is drawn with the others as in the best setting. The model chose what to try next, and is no verdict.';
  return [`<p class="dim">${words}</p>`, legend(first.lines), plots(search)];
}

function overLoads({ overLoads, arms }: Pictures): string[] {
  if (overLoads.length === 0) return [];
  const words =
    'The averages of the tables; the control is drawn with its arms together. A bar is the 95 % interval over rounds (Student), where there are four rounds or more. Rounds differ more than arms in one round do: whether arms differ is said by the changes above.';
  return [`<p class="dim">${words}</p>`, legend(arms), plots(overLoads)];
}

function latencyParts(pictures: Pictures): string[] {
  const all = pictures.loads.flatMap(({ latency }) => latency);
  if (all.length === 0) return [];
  const tables = pictures.loads.flatMap(({ percentiles }) => (percentiles === null ? [] : [tableHtml(percentiles)]));
  return [
    '<p class="dim">Milliseconds within which a share of the answers came, all rounds together.</p>',
    legend(pictures.arms),
    plots(all),
    details('Percentiles of all variants', tables.join('')),
  ];
}

function timeParts({ loads, arms, leftOut }: Pictures): string[] {
  const shown = loads.filter(({ overTime }) => overTime.length > 0);
  if (shown.length === 0) return [];
  return [
    '<p class="dim">Round beside round, in each the course of its pass, in which the arms took turns. The control is the mean of its two arms. Scales begin where values do, not at 0.</p>',
    legend(arms),
    list(leftOut, 'notes'),
    ...shown.map(({ load, overTime }, place) => details(load, plots(overTime), { isOpen: place < MOST_OPEN_LOADS })),
  ];
}

function roundParts({ loads, arms, judged }: Pictures, room: Room): string[] {
  const all = loads.flatMap(({ rounds }) => rounds);
  if (all.length === 0) return [];
  const tables = (one: LoadPictures): string => one.roundTables.map(tableHtml).join('');
  return [
    `<p class="dim">The change of ${judged} in each round against the control of that round; for the control, of its second arm against its first.</p>`,
    legend(arms),
    plots(all),
    ...loads.map((one) =>
      room.fit(`Values by round, ${one.load}`, details(`Values by round, ${one.load}`, tables(one))),
    ),
  ];
}

function plots(all: readonly Plot[]): string {
  return `<div class="plots">${all.map(plotFigure).join('\n')}</div>`;
}

function tableParts(document: ReportDocument, room: Room): string[] {
  const { sections } = document;
  const isOpen = sections.length <= MOST_OPEN_LOADS;
  const byLoad = sections.map(({ heading, tables, folded }) => {
    const few = details(FOLDED_TITLE, folded.map(tableHtml).join(''));
    return room.fit(heading, details(heading, `${tables.map(tableHtml).join('')}${few}`, { isOpen }));
  });
  const others = document.details.map(({ title, tables }) =>
    room.fit(title, details(title, tables.map(tableHtml).join(''))),
  );
  return [...byLoad, ...others];
}

function whyParts({ findings, limits, folded }: Why, room: Room): string[] {
  const found = findings.map(({ text, next }) => `<li><strong>${sentence(text)}</strong> ${sentence(next)}</li>`);
  return [
    found.length === 0 ? '' : `<ul>${found.join('')}</ul>`,
    list(limits),
    ...folded.map(({ title, tables }) => room.fit(title, details(title, tables.map(tableHtml).join('')))),
  ];
}

/** A scenario of some thousand variants is as long as the rest of the page. */
const MOST_SCENARIO_CHARACTERS = 100_000;

function provenanceParts({ scenario, document }: ReportContent): string[] {
  const text = visibleLines(stringify(scenario).replaceAll('\t', '  '));
  const shown =
    text.length <= MOST_SCENARIO_CHARACTERS
      ? text
      : `${text.slice(0, MOST_SCENARIO_CHARACTERS)}\n# The rest is left out; run.json has all of it.\n`;
  return [
    details('Provenance', factsTable('What the run was made on', document.provenance), { isOpen: true }),
    details('The scenario with every default filled in', `<pre>${escapeHtml(shown)}</pre>`),
  ];
}
