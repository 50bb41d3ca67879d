import { type CsvValue, csvRows } from '../../base/files/csv-text.ts';
import { present } from '../../base/present.ts';
import { visibleLines, visibleTexts } from '../../base/visible.ts';
import { loadLabel } from '../../journal/load-level.ts';
import type { LevelDifference, RunsComparison, SessionFacts } from '../../judge/between-runs/types.ts';
import { sides } from '../../judge/between-runs/types.ts';
import type { Note } from '../../judge/notes.ts';
import type { Metric } from '../../judge/read/metrics/metrics.ts';
import { namedMetrics } from '../../judge/read/metrics/work-metrics.ts';
import type { GateResult } from '../../judge/verdicts/gates.ts';
import { escapeText } from '../formats/escape-text.ts';
import { renderTable } from '../formats/markdown.ts';
import type { Table } from '../tables/table.ts';
import { gateLines } from '../words/gate-words.ts';
import { notesWords } from '../words/note-words.ts';
import { settlingWords } from './settling-words.ts';
import { changesTable, differencesTable, levelsTable } from './tables.ts';
import { headlineOf, levelsWords, sessionWords, warningsOf } from './words.ts';

const COMPARISON_VERSION = 1;

interface FormatOptions {
  /** The metric whose levels are shown. */
  readonly metric: string;
  readonly gates: readonly GateResult<Note>[];
}

/** A comparison of runs as GitHub Markdown: what was found first, then the tables, then what would settle it. Ends in a newline. */
export function comparisonMarkdown(comparison: RunsComparison, { metric: name, gates }: FormatOptions): string {
  const metric = namedMetrics.find((one) => one.name === name);
  if (metric === undefined) throw new Error(`there is no metric ${name}`);
  const { sessions, differences, loads, settling } = comparison;
  const facts = sides.flatMap((side) => sessions[side].map((session) => sessionWords(side, session)));
  const headline = headlineOf(comparison, metric);
  const { sentences, yaml, commands } = settlingWords(settling);
  const blocks = present([
    '# head against base',
    list(facts),
    ...warningsOf(comparison).map((warning) => `> **${text(warning)}**`),
    list(headline),
    list(gateLines(gates)),
    text(levelsWords(comparison)),
    differences.length === 0 ? 'Nothing that is recorded differs.' : table(differencesTable(differences)),
    ...loads.flatMap((load) => [
      table(levelsTable(comparison, load, metric)),
      ...otherChanges(changesTable(comparison, load, metric)),
    ]),
    '## What would settle it',
    sentences.map(text).join('\n\n'),
    yaml.length > 0 && fenced('yaml', yaml),
    fenced('bash', commands),
    list(readingNotes(comparison, metric)),
  ]);
  return `${blocks.join('\n\n')}\n`;
}

/** Without a row the notes say it all. */
function otherChanges(found: Table | null): string[] {
  if (found === null) return [];
  return found.rows.length > 0 ? [table(found)] : [list(found.notes)];
}

function readingNotes({ margins }: RunsComparison, { label }: Metric): string[] {
  return [
    `Delta is head against base in the column, and against the control in the row; where they meet it is how the change differs: 100 (e^d - 1) %, d the difference of ln(variant / control). +8 % and +2 % give -5.6 %. Levels are of ${label}.`,
    `higher, lower: the interval excludes 0; of all comparisons of a metric the chance of any false one is up to 5 %. same: within ±${margins.others} %, work per request within ±${margins.work} %. noise: neither.`,
    'A difference holds between these runs. It includes everything else that differs between them.',
  ];
}

/** One line of text by anybody. */
function text(sentence: string): string {
  return escapeText(visibleTexts(sentence));
}

function list(sentences: readonly string[]): string {
  return sentences.map((sentence) => `- ${text(sentence)}`).join('\n');
}

function table(one: Table): string {
  return renderTable(visibleTexts(one));
}

function fenced(language: string, lines: readonly string[]): string {
  return [`\`\`\`${language}`, ...lines.map((line) => visibleLines(line)), '```'].join('\n');
}

const HEAD = [
  'kind',
  'variant',
  'load',
  'metric',
  'unit',
  'base',
  'head',
  'delta_percent',
  'interval_low_percent',
  'interval_high_percent',
  'verdict',
  'note',
];

/**
 * One row a difference: of kind `change` base and head are changes against the control in percent, of kind `level` they are
 * levels. An empty field has no value.
 */
export function comparisonCsv({ changes, levels }: RunsComparison): string {
  const ofChanges = changes.map((row) => [
    'change',
    ...fieldsOf({ ...row, unit: '%', value: row.deltaPercent, deltaPercent: row.differencePercent }),
  ]);
  return csvRows([HEAD, ...ofChanges, ...levels.map((row) => ['level', ...fieldsOf(row)])]);
}

function fieldsOf(row: Omit<LevelDifference, 'bounds' | 'rounds'>): CsvValue[] {
  const { variant, load, metric, unit, value, deltaPercent, interval, verdict, notes } = row;
  const [low, high] = interval ?? [null, null];
  const numbers = [value.base, value.head, deltaPercent, low, high];
  return [variant, loadLabel(load), metric, unit, ...numbers, verdict, notesWords(notes)];
}

/** A comparison as JSON, for programs. */
export function comparisonJson(comparison: RunsComparison, { gates }: FormatOptions): string {
  const { sessions, leftOut, order, changes, levels, ...rest } = comparison;
  const shown = {
    version: COMPARISON_VERSION,
    sessions: { base: sessions.base.map(sessionFields), head: sessions.head.map(sessionFields) },
    leftOut: leftOut.map(sessionFields),
    order: order.kind === 'in-turn' ? { kind: order.kind, rounds: order.rounds.length, outside: order.outside } : order,
    ...rest,
    marginPercent: rest.margins.others,
    // What only gates look at says nothing that the interval does not.
    changes: changes.map(({ bounds: _, ...change }) => change),
    levels: levels.map(({ bounds: _, ...level }) => level),
    gates,
  };
  return visibleLines(`${JSON.stringify(shown, null, 2)}\n`);
}

function sessionFields({ place, run, rounds, complete, unfit }: SessionFacts): object {
  const { id, startedAt, quick, scenario } = run;
  return { place, id, scenario: scenario.name, control: scenario.control, startedAt, quick, rounds, complete, unfit };
}
