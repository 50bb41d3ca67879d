import { csvRows } from '../base/files/csv-text.ts';
import { present } from '../base/present.ts';
import type { RunOrder } from '../judge/external/in-turn.ts';
import type { ExternalComparison, ExternalDeltas, ExternalNote } from '../judge/external/judge-external.ts';
import type { ExternalGroup } from '../judge/external/types.ts';
import { formatChange, formatDelta, formatInterval, formatValue, plural } from '../judge/format.ts';
import { classicExternalTables, comparisonOf, externalTwoWay, titleOf } from './external-tables.ts';
import { changeColumns, changeFields } from './formats/csv.ts';
import { renderTable } from './formats/markdown.ts';
import { type Cell, left, right, type Table, textCells } from './tables/table.ts';
import { noteWords } from './words/note-words.ts';

interface ExternalView {
  /** Percentages alone, as people write them. */
  readonly classic: boolean;
  /** Rows and columns are both compared. */
  readonly twoWay: boolean;
}

/**
 * The changes of each group as tables of GitHub Markdown, with what they are worth below. Ends in a newline. Throws
 * PgsweepError `usage` where both ways are asked for and the units differ.
 */
export function externalMarkdown(
  all: readonly ExternalDeltas[],
  view: ExternalView = { classic: false, twoWay: false },
): string {
  return `${all.flatMap((deltas) => tablesOf(deltas, view).map((table) => renderTable(table))).join('\n\n')}\n`;
}

function tablesOf(deltas: ExternalDeltas, { classic, twoWay }: ExternalView): Table[] {
  const across = deltas.group.variantsAcross;
  if (!twoWay && !(classic && across))
    return classic ? classicExternalTables(deltas, failedWords(deltas)) : [tableOf(deltas)];
  const compared = { rows: twoWay || !across, columns: twoWay || across };
  const judged = (one: ExternalComparison): Cell => ({ text: cellWords(one) });
  return [
    externalTwoWay(deltas, compared, { classic, judged, notes: classic ? failedWords(deltas) : notesOf(deltas) }),
  ];
}

/** One row a comparison; an empty field has no value. Text of others is safe for spreadsheets. */
export function externalCsv(all: readonly ExternalDeltas[]): string {
  const rows = all.flatMap(({ group, comparisons }) =>
    comparisons.map((row) => [
      group.title,
      row.variant,
      ...changeFields(row, row.notes.map(externalNoteWords).join('; ')),
    ]),
  );
  return csvRows([['group', 'variant', ...changeColumns], ...rows]);
}

/** Changes as JSON, for programs. */
export function externalJson(all: readonly ExternalDeltas[]): string {
  const groups = all.map(({ group, control, order, comparisons }) => ({
    title: group.title,
    control,
    order: order.kind === 'in-turn' ? { ...order, rounds: order.rounds.length } : order,
    // What only gates look at says nothing that the interval does not.
    comparisons: comparisons.map(({ bounds: _, ...comparison }) => comparison),
  }));
  return `${JSON.stringify({ version: 1, groups }, null, 2)}\n`;
}

/** Beyond these, variants stand below each other. */
const MOST_ACROSS = 5;

function tableOf(deltas: ExternalDeltas): Table {
  const { group, control, variants, comparisons } = deltas;
  const across = group.variantsAcross && variants.length <= MOST_ACROSS;
  const wordsOf = (variant: string, metric: string): string => cellWords(comparisonOf(deltas, { variant, metric }));
  const label = (name: string): string => {
    const unit = group.metrics.find((metric) => metric.name === name)?.unit ?? '';
    return unit === '' || name.includes(unit) || name.endsWith('_per_s') ? name : `${name} (${unit})`;
  };
  const metrics = group.metrics.map(({ name }) => name);
  const [title, notes] = [titleOf(deltas), notesOf(deltas)];
  if (across) {
    const columns = [left('metric'), right(control), ...variants.map(right)];
    const rows = metrics.map((metric) => {
      const ofControl = formatValue(comparisons.find((one) => one.metric === metric)?.control ?? null);
      return textCells([label(metric), ofControl, ...variants.map((variant) => wordsOf(variant, metric))]);
    });
    return { title, columns, rows, notes };
  }
  const columns = [left('variant'), ...metrics.map((metric) => right(label(metric)))];
  const rows = variants.map((variant) => textCells([variant, ...metrics.map((metric) => wordsOf(variant, metric))]));
  return { title, columns, rows, notes };
}

function cellWords(comparison: ExternalComparison | undefined): string {
  if (comparison === undefined) return '';
  const { deltaPercent, interval, verdict, notes } = comparison;
  const mark = notes.some(({ kind }) => kind === 'more-failures' || kind === 'failed-commands') ? ' [!]' : '';
  if (deltaPercent === null) {
    const [why] = notes;
    if (why?.kind === 'text') return why.text;
    if (why?.kind === 'both-zero') return verdict === 'same' ? '0 -> 0 same' : '0 -> 0';
    return why?.kind === 'from-zero' ? `n/a (0 -> ${formatValue(why.value)})${mark}` : `n/a${mark}`;
  }
  if (interval === null) return `${formatDelta(deltaPercent)}${mark}`;
  return `${formatChange(deltaPercent, interval)} ${verdict}${mark}`;
}

function notesOf({ group, order, comparisons }: ExternalDeltas): string[] {
  const said = comparisons.flatMap(({ variant, metric, notes }) =>
    notes.flatMap((note): string[] => {
      switch (note.kind) {
        case 'more-failures':
          return [`[!] ${variant}: ${noteWords(note)}`];
        case 'failed-commands':
          return [`[!] ${externalNoteWords(note)}`];
        case 'few-samples':
          return [`${metric}: ${noteWords(note)}`];
        case 'few-rounds':
        case 'zeros':
        case 'negative':
        case 'rounded':
          return [`${variant}, ${metric}: ${externalNoteWords(note)}`];
        default:
          return [];
      }
    }),
  );
  const open = comparisons.flatMap(({ notes }) =>
    notes.flatMap((note) => (note.kind === 'rounds-needed' ? [note] : [])),
  );
  const most = open.reduce((all, { rounds, most }) => Math.max(all, rounds ?? most + 1), 0);
  const [any] = open;
  return present([
    ...orderWords(order),
    any !== undefined &&
      `${plural(open.length, 'comparison')} ${open.length === 1 ? 'is' : 'are'} noise so far; to settle all would take ${most > any.most ? `more than ${any.most}` : `about ${most}`} rounds.`,
    ...[...new Set(said)].map((sentence) => `${sentence}.`),
    group.leftOut.length > 0 && `Left out: ${leftOutWords(group)}.`,
  ]);
}

/** Why changes of some variants are not shown: of the notes the classic style has these alone. */
function failedWords({ comparisons }: ExternalDeltas): string[] {
  const failed = comparisons.flatMap(({ notes }) => notes.filter(({ kind }) => kind === 'failed-commands'));
  return [...new Set(failed.map((note) => `[!] ${externalNoteWords(note)}.`))];
}

/** `Δ RPS (changes already); Notes (no numbers)` */
function leftOutWords({ leftOut }: ExternalGroup): string {
  const reasons = { changes: 'changes already', 'no-numbers': 'no numbers' } as const;
  return Object.entries(reasons)
    .map(([why, words]) => ({ names: leftOut.filter((one) => one.why === why).map(({ name }) => name), words }))
    .flatMap(({ names, words }) => (names.length === 0 ? [] : [`${names.join(', ')} (${words})`]))
    .join('; ');
}

const IN_TURN =
  'Run them alternately (control, variant, control, variant, ...), at least 4 rounds, or let pgsweep do it: docs/comparing.md#numbers-from-elsewhere says how.';

/** Sentences on the order of the runs. */
function orderWords(order: RunOrder): string[] {
  switch (order.kind) {
    case 'single':
      return [`No verdict: one value each, which shows no noise; a few percent may be chance. ${IN_TURN}`];
    case 'no-times':
      return [
        `No verdict: not interleaved, as far as pgsweep can see. It is not known when ${order.place} was measured: add a column "time" (2026-01-31T10:00:00Z).`,
      ];
    case 'overlapping': {
      const [one, other] = order.places;
      const why =
        order.source === 'file'
          ? 'The times of these files are not the times of the runs (a copy or a checkout resets them), or the runs disturbed each other.'
          : 'Runs at the same time disturb each other, and have no order.';
      return [`No verdict: not interleaved. By their times, ${one} and ${other} were taken at once. ${why}`];
    }
    case 'not-in-turn':
      return [
        `No verdict: not interleaved. ${order.outside} of ${order.runs} runs have no run of the other side next to them, so drift of the machine cannot be distinguished from the change. ${IN_TURN}`,
      ];
    case 'in-turn': {
      const source = {
        tool: 'the times that the tool wrote',
        file: 'the times at which the files were written',
        column: 'the column of times',
      }[order.source];
      const outside =
        order.outside === 0
          ? ''
          : ` ${plural(order.outside, 'run')} in no round ${order.outside === 1 ? 'is' : 'are'} left out.`;
      return present([
        `${plural(order.rounds.length, 'round')}, which alternated by ${source}.${outside}`,
        order.controlFirst &&
          'The control came first in every round, so the change includes the effect of coming second. Change the order from round to round.',
      ]);
    }
  }
}

/** A note as a sentence without full stop. */
function externalNoteWords(note: ExternalNote): string {
  switch (note.kind) {
    case 'one-run':
      return 'no verdict: one value each';
    case 'not-interleaved':
      return 'no verdict: not interleaved';
    case 'negative':
      return 'n/a: a value below 0 has no percentage';
    case 'rounded':
      return `the numbers are rounded: that alone may change it by ${formatInterval(note.range)} %${note.isLimit ? '. More rounds do not help, finer numbers do' : ''}`;
    case 'failed-commands':
      if (note.of === 'clients')
        return `${note.variant}: ${note.failed} of ${plural(note.among, 'client')} ended early by an error, so that none of its numbers is compared. Fix the error that pgbench names, and measure again`;
      return `${note.variant}: ${note.failed} of ${plural(note.among, 'command')} failed, so that none of its times is compared. If the exit code is meant, have the command end with 0`;
    case 'text':
      return note.text;
    default:
      return noteWords(note);
  }
}
