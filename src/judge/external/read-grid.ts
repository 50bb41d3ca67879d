import { PgsweepError } from '../../base/errors.ts';
import { present } from '../../base/present.ts';
import { parseNumber, saysNoNumber, withoutDecimalComma } from './numbers.ts';
import type { ExternalGroup, ExternalMetric, ExternalRun, Grid, LeftOutOfTable, Taken } from './types.ts';

/** Options for reading a table. */
export interface GridOptions {
  readonly control: string;
  /** Columns whose values say which rows may be compared with each other, such as `connections`. */
  readonly by: readonly string[];
  /** The column that says when a row was measured; null: the first that is named like one. */
  readonly time: string | null;
}

const TIME_NAMES = /^(time|timestamp|date|started|started[ _]at|start|measured[ _]at|when)$/i;
const VARIANT_NAMES = /^variant$/i;
/** Names of columns and rows of changes, which are not compared again: `Δ RPS`, `Change (%)`, `vs base`, `% of base`. */
const CHANGES =
  /(^|[\s([])(delta|changes?|diff(erence)?|vs\.?)(?=$|[\s)\]:,%])|^[Δ∆]|^%\s|^(relative|ratio|speed-?up)$/i;

/** One number, or its absence, on its way from a table. */
interface Entry {
  readonly variant: string;
  readonly metric: string;
  readonly text: string;
  readonly line: number;
}

/**
 * The groups of runs in a table that has the control as a row, or as a column beside the others. Null where it has
 * neither. Throws PgsweepError `usage` with the line of what cannot be read.
 */
export function readGrid(grid: Grid, options: GridOptions): ExternalGroup[] | null {
  const variantColumn = variantColumnOf(grid);
  if (grid.rows.some(({ cells }) => cells[variantColumn] === options.control)) {
    return readRows(grid, variantColumn, options);
  }
  return grid.head.indexOf(options.control) > 0 ? [readColumns(grid)] : null;
}

/** The names that a table could have as its control: the first column, and the other heads. */
export function namesIn(grid: Grid): string[] {
  const column = variantColumnOf(grid);
  const names = [...grid.rows.map(({ cells }) => cells[column] ?? ''), ...grid.head.slice(1)];
  return [...new Set(names)].filter((name) => name !== '' && !CHANGES.test(name));
}

/** The column of that name, or else the first. */
function variantColumnOf({ head }: Grid): number {
  return Math.max(
    0,
    head.findIndex((name) => VARIANT_NAMES.test(name)),
  );
}

/** Variants are rows: the other columns are metrics. */
function readRows(grid: Grid, variantColumn: number, { by, time }: GridOptions): ExternalGroup[] {
  const byColumns = by.map((name) => columnNamed(grid, name));
  const timeColumn = time === null ? grid.head.findIndex((head) => TIME_NAMES.test(head)) : columnNamed(grid, time);
  const times = grid.rows.map(({ cells }) => cells[timeColumn] ?? '');
  const isTime =
    timeColumn > 0 && times.every((text) => parseTime(text) !== null) && (time !== null || areLikely(times));
  if (time !== null && !isTime) throw badTime(grid, timeColumn);
  const keys = new Set([variantColumn, ...byColumns, ...(isTime ? [timeColumn] : [])]);
  const isChange = (column: number): boolean =>
    areChanges(
      grid.head[column] ?? '',
      grid.rows.map(({ cells }) => cells[column] ?? ''),
    );
  const columns = grid.head.flatMap((_, column) => (keys.has(column) || isChange(column) ? [] : [column]));
  const entriesOf = (column: number): Entry[] =>
    grid.rows.map(({ line, cells }) => ({
      variant: cells[variantColumn] ?? '',
      metric: headOf(grid, column),
      text: cells[column] ?? '',
      line,
    }));
  const metrics = columns.flatMap((column) => metricOf(grid.file, entriesOf(column)) ?? []);
  const known = new Set(metrics.map(({ name }) => name));
  const names = columns.map((column) => headOf(grid, column)).filter((name) => known.has(name));
  const doubled = names.find((name, index) => names.indexOf(name) < index);
  if (doubled !== undefined) throw standsTwice(grid.file, grid.line, doubled);
  const leftOut = grid.head.flatMap((name, column) =>
    keys.has(column) || name === '' || known.has(name) ? [] : [leftOutFor(name, isChange(column))],
  );
  const runs = grid.rows.map(({ line, cells }) => ({
    group: byColumns.map((column) => `${grid.head[column]} ${cells[column]}`).join(', '),
    run: runOf(
      grid.file,
      line,
      cells[variantColumn] ?? '',
      columns
        .filter((column) => known.has(headOf(grid, column)))
        .map((column) => [headOf(grid, column), cells[column] ?? '']),
      isTime ? parseTime(cells[timeColumn] ?? '') : null,
    ),
  }));
  return [...new Set(runs.map(({ group }) => group))].map((group) => ({
    title: present([grid.title, group]).join(': '),
    corner: grid.head[variantColumn] ?? '',
    metrics,
    runs: runs.filter((one) => one.group === group).map(({ run }) => run),
    variantsAcross: false,
    leftOut,
  }));
}

/** Variants are columns: each row is a metric. */
function readColumns(grid: Grid): ExternalGroup {
  const isChangeRow = ({ cells }: Grid['rows'][number]): boolean => areChanges(cells[0] ?? '', cells.slice(1));
  const rows = grid.rows.filter((row) => !isChangeRow(row));
  const doubled = rows.find(({ cells }, index) => rows.findIndex((other) => other.cells[0] === cells[0]) < index);
  if (doubled !== undefined) {
    throw standsTwice(grid.file, doubled.line, doubled.cells[0] ?? '');
  }
  const isChange = (head: string, column: number): boolean =>
    column > 0 &&
    areChanges(
      head,
      rows.map(({ cells }) => cells[column] ?? ''),
    );
  const columns = grid.head.flatMap((head, column) => (column === 0 || isChange(head, column) ? [] : [column]));
  const entries = rows.map(({ line, cells }) =>
    columns.map((column) => ({
      variant: headOf(grid, column),
      metric: cells[0] ?? '',
      text: cells[column] ?? '',
      line,
    })),
  );
  const metrics = entries.flatMap((row) => metricOf(grid.file, row) ?? []);
  const known = new Set(metrics.map(({ name }) => name));
  return {
    title: grid.title,
    corner: grid.head[0] ?? '',
    metrics,
    runs: columns.map((column) =>
      runOf(
        grid.file,
        grid.line,
        headOf(grid, column),
        rows.flatMap(({ cells }) =>
          known.has(cells[0] ?? '') ? [[cells[0] ?? '', cells[column] ?? ''] as const] : [],
        ),
        null,
      ),
    ),
    variantsAcross: true,
    leftOut: [
      ...grid.head.filter(isChange).map((name) => leftOutFor(name, true)),
      ...grid.rows.flatMap((row) =>
        known.has(row.cells[0] ?? '') ? [] : [leftOutFor(row.cells[0] ?? '', isChangeRow(row))],
      ),
    ],
  };
}

/** Two metrics of one name have their numbers in one place. */
function standsTwice(file: string, line: number, metric: string): PgsweepError {
  return new PgsweepError('usage', `${file}:${line}: ${metric} stands twice`, {
    hint: 'Give each of them its own name.',
  });
}

/** True where the name says so, and where all numbers have a sign and some of them a plus: `+21.2%`, `-3%`. */
function areChanges(name: string, texts: readonly string[]): boolean {
  if (CHANGES.test(name)) return true;
  const numbers = texts.filter((text) => parseNumber(text) !== null);
  return numbers.some((text) => text.startsWith('+')) && numbers.every((text) => /^[+−-]|^0(\.0*)?\D*$/.test(text));
}

function leftOutFor(name: string, isChange: boolean): LeftOutOfTable {
  return { name, why: isChange ? 'changes' : 'no-numbers' };
}

/**
 * Null where no entry is a number: a column of texts. Throws where some are and one neither is nor says that it is none, and
 * where all have a decimal comma.
 */
function metricOf(file: string, entries: readonly Entry[]): ExternalMetric | null {
  const numbers = entries.map((entry) => ({ entry, number: parseNumber(entry.text) }));
  const units = numbers.flatMap(({ number }) => number ?? []);
  const [first] = units;
  const [name] = entries.map(({ metric }) => metric);
  if (name === undefined) return null;
  const said = entries.filter(({ text }) => !saysNoNumber(text));
  const commas = said.length > 0 && said.every(({ text }) => withoutDecimalComma(text) !== null);
  if (first === undefined && !commas) return null;
  for (const { entry, number } of numbers) {
    const place = `${file}:${entry.line}`;
    if (number === null && !saysNoNumber(entry.text)) {
      const written = withoutDecimalComma(entry.text);
      const hint = written === null ? undefined : `Write ${written}.`;
      throw new PgsweepError('usage', `${place}: "${entry.text}" of ${entry.variant} (${name}) is no number`, { hint });
    }
    if (number !== null && first !== undefined && number.unit !== first.unit) {
      const [here, there] = [number.unit, first.unit].map((unit) => (unit === '' ? 'no unit' : unit));
      throw new PgsweepError('usage', `${place}: ${entry.variant} (${name}) is in ${here}, others in ${there}`, {
        hint: 'Write all numbers of a metric in the same unit.',
      });
    }
  }
  // A program leaves zeros out at the end: the finest number of a metric says how all were rounded.
  const half = Math.min(...units.map(({ step }) => step)) / 2;
  return { name, unit: first?.unit ?? '', rounding: { below: half, above: half } };
}

function runOf(
  file: string,
  line: number,
  variant: string,
  cells: readonly (readonly [metric: string, text: string])[],
  timeMs: number | null,
): ExternalRun {
  const taken: Taken | null = timeMs === null ? null : { startMs: timeMs, endMs: timeMs, source: 'column' };
  const values = cells.flatMap(([metric, text]) => {
    const number = parseNumber(text);
    return number === null ? [] : [[metric, number.value] as const];
  });
  const texts = cells.filter(([, text]) => parseNumber(text) === null);
  return {
    variant,
    place: `${file}:${line}`,
    taken,
    values: new Map(values),
    texts: new Map(texts),
    samples: null,
    failures: null,
  };
}

function headOf(grid: Grid, column: number): string {
  const head = grid.head[column] ?? '';
  return head === '' ? `column ${column + 1}` : head;
}

function columnNamed(grid: Grid, name: string): number {
  const column = grid.head.indexOf(name);
  if (column >= 0) return column;
  throw new PgsweepError('usage', `${grid.file}:${grid.line}: the table has no column ${name}`, {
    hint: `It has ${grid.head.filter((head) => head !== '').join(', ')}.`,
  });
}

/** Milliseconds since 1970 of a date with a time of day, or of seconds or milliseconds since then. */
function parseTime(text: string): number | null {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return 1000 * Number(text);
  if (/^\d{12,13}$/.test(text)) return Number(text);
  if (!/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d/.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}

const [YEAR_2000_MS, DAY_MS] = [Date.UTC(2000, 0, 1), 86_400_000];
const MOST_APART_MS = 366 * DAY_MS;

/** Bare numbers may be durations in ns or us as well: they are times only if they lie in one year since 2000. */
function areLikely(texts: readonly string[]): boolean {
  const times = texts.flatMap((text) => (/^[\d.]+$/.test(text) ? (parseTime(text) ?? []) : []));
  const first = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const last = times.reduce((most, time) => Math.max(most, time), 0);
  return times.length === 0 || (first >= YEAR_2000_MS && last <= Date.now() + DAY_MS && last - first <= MOST_APART_MS);
}

function badTime(grid: Grid, column: number): PgsweepError {
  const row = grid.rows.find(({ cells }) => parseTime(cells[column] ?? '') === null);
  return new PgsweepError('usage', `${grid.file}:${row?.line}: "${row?.cells[column]}" is no time`, {
    hint: 'Write 2026-01-31T10:00:00Z, or seconds since 1970.',
  });
}
