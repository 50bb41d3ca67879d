import { statSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { readTextUpTo, TextTooLong } from '../../base/files/read-text.ts';
import { nearest } from '../../base/nearest.ts';
import { markdownTables } from './markdown-tables.ts';
import { type GridOptions, namesIn, readGrid } from './read-grid.ts';
import { readTool } from './tools/read-tool.ts';
import type { ToolOutput } from './tools/tool-result.ts';
import type { ExternalGroup, ExternalMetric, ExternalRun, Grid, Rounding, Taken } from './types.ts';

const MOST_BYTES = 32 * 1024 * 1024;
const WHAT_IS_READ =
  'Read are Markdown and CSV tables, JSON of autocannon, k6, oha and hyperfine, and what pgbench, wrk and ab print.';

/** A file that was read, and what is in it. */
interface ReadFile {
  readonly path: string;
  /** `base` of `base=run.json`; null where only a file was named. */
  readonly variant: string | null;
  readonly modifiedMs: number;
  readonly output: ToolOutput | null;
  readonly grids: readonly Grid[];
}

interface ExternalResults {
  readonly groups: readonly ExternalGroup[];
  /** Places of tables that do not have the control. */
  readonly without: readonly string[];
}

/**
 * Reads files of existing numbers: `FILE`, or `VARIANT=FILE`. Tables (Markdown, CSV), or the output of one tool, a run
 * a file. Throws PgsweepError `usage` with file and line for whatever cannot be read or compared.
 */
export function readExternalResults(args: readonly string[], options: GridOptions): ExternalResults {
  const files = args.map(readFile);
  const tables = files.filter(({ output }) => output === null);
  const [table] = tables;
  const tool = files.find(({ output }) => output !== null);
  if (table !== undefined && tool !== undefined) {
    throw new PgsweepError(
      'usage',
      `${table.path} is a table and ${tool.path} of ${tool.output?.tool}: give one kind at a time`,
    );
  }
  return table === undefined
    ? { groups: [groupOfRuns(files, options.control)], without: [] }
    : groupsOfTables(tables, options);
}

function readFile(arg: string): ReadFile {
  const [, name, named] = /^([^=]+)=(.+)$/s.exec(arg) ?? [];
  const isPlain = named === undefined || statSync(arg, { throwIfNoEntry: false }) !== undefined;
  const path = isPlain ? arg : named;
  const text = textOf(path);
  const isCsv = /^\.(csv|tsv)$/i.test(extname(path));
  const output = isCsv ? null : readTool(path, text);
  const grids = output !== null ? [] : isCsv ? [csvTable(path, text)] : markdownTables(path, text);
  if (output === null && grids.length === 0) {
    throw new PgsweepError('usage', `${path} has no table, and is the output of no tool that can be read`, {
      hint: WHAT_IS_READ,
    });
  }
  return {
    path,
    variant: isPlain ? null : (name ?? null),
    modifiedMs: statSync(path).mtimeMs,
    output,
    grids,
  };
}

function textOf(path: string): string {
  const text = readText(path);
  if (text.includes('\u0000')) {
    throw new PgsweepError('usage', `${path} is a binary file: expected UTF-8 text`, { hint: WHAT_IS_READ });
  }
  return text;
}

function readText(path: string): string {
  try {
    return readTextUpTo(path, MOST_BYTES);
  } catch (cause) {
    const why = cause instanceof TextTooLong ? 'it has more than 32 MB' : messageOf(cause);
    throw new PgsweepError('usage', `${path} cannot be read: ${why}`, { cause });
  }
}

function groupsOfTables(files: readonly ReadFile[], options: GridOptions): ExternalResults {
  const read = files.flatMap(({ grids }) => grids.map((grid) => ({ grid, groups: readGrid(grid, options) })));
  const groups = read.flatMap(({ groups: found }) => found ?? []);
  if (groups.length === 0) {
    const names = [...new Set(read.flatMap(({ grid }) => namesIn(grid)))];
    const like = nearest(options.control, names);
    throw new PgsweepError('usage', `no table has a row or a column ${options.control}`, {
      hint: `${like === null ? '' : `Did you mean --control "${like}"? `}There are ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', ...' : ''}.`,
    });
  }
  return {
    groups,
    without: read.flatMap(({ grid, groups: found }) => (found === null ? [`${grid.file}:${grid.line}`] : [])),
  };
}

/** The runs of one tool: named by their files, and where the tool names what it ran, by the tool. */
function groupOfRuns(files: readonly ReadFile[], control: string): ExternalGroup {
  const [first] = files;
  const other = files.find(({ output }) => output?.tool !== first?.output?.tool);
  if (first !== undefined && other !== undefined) {
    const message = `${first.path} is of ${first.output?.tool}, ${other.path} of ${other.output?.tool}: each tool counts in its own way`;
    throw new PgsweepError('usage', message, { hint: 'Compare runs of the same tool.' });
  }
  const runs = namedRuns(files, control);
  const metrics = new Map<string, ExternalMetric>();
  for (const file of files) {
    for (const metric of (file.output?.results ?? []).flatMap((result) => result.metrics)) {
      const { value: _, ...own } = metric;
      const known = metrics.get(own.name);
      metrics.set(own.name, { ...own, ...known, ...coarser(known?.rounding, own.rounding) });
    }
  }
  return { title: first?.output?.tool ?? '', metrics: [...metrics.values()], runs, variantsAcross: true, leftOut: [] };
}

/** A tool that takes the unit by the size of a number rounds each file in its own way. */
function coarser(one: Rounding | undefined, other: Rounding | undefined): Pick<ExternalMetric, 'rounding'> {
  if (one === undefined || other === undefined) return {};
  return { rounding: { below: Math.max(one.below, other.below), above: Math.max(one.above, other.above) } };
}

function namedRuns(files: readonly ReadFile[], control: string): ExternalRun[] {
  const all = files.flatMap(runsOf);
  const named = all.filter(({ variant }) => variant !== '');
  // One command in several files: what differs is what it ran against, and the files' names say that.
  const isOneCommand = files.length > 1 && new Set(all.map(({ variant }) => variant)).size === 1;
  if (named.length === all.length && !(isOneCommand && named[0]?.variant !== control)) {
    const names = [...new Set(all.map(({ variant }) => variant))];
    if (names.includes(control)) return all;
    const like = nearest(control, names);
    throw new PgsweepError('usage', `nothing is of the control ${control}; there are ${names.join(', ')}`, {
      hint: like === null ? undefined : `Did you mean --control "${like}"?`,
    });
  }
  const nameless = files.filter(({ variant, output }) => variant === null && output?.results[0]?.name === null);
  if (named.length > 0 && named.some(({ variant }) => variant === control)) {
    const message = `${nameless[0]?.path} says of no variant what it is`;
    throw new PgsweepError('usage', message, { hint: 'Give all files as NAME=FILE, or none.' });
  }
  const names = variantNames(
    files.map(({ path }) => path),
    control,
  );
  return files.flatMap((file, index) =>
    runsOf(file).map((run) => ({
      ...run,
      variant: isOneCommand ? (names[index] ?? '') : run.variant || (names[index] ?? ''),
    })),
  );
}

/** A file's runs; `variant` is empty where only the file's name shows it. */
function runsOf({ path, variant, modifiedMs, output }: ReadFile): ExternalRun[] {
  const results = output?.results ?? [];
  const whole = results.reduce((total, { durationMs }) => total + (durationMs ?? 0), 0);
  let next = modifiedMs - whole;
  return results.map((result): ExternalRun => {
    const durationMs = result.durationMs ?? 0;
    // A file is last written when its last run ends.
    const startMs = result.startMs ?? next;
    next += durationMs;
    const taken: Taken = { startMs, endMs: startMs + durationMs, source: result.startMs === null ? 'file' : 'tool' };
    return {
      // One result a file is what the file is about, whatever command it was.
      variant: variant !== null && results.length === 1 ? variant : (result.name ?? ''),
      place: path,
      taken,
      values: new Map(result.metrics.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const]))),
      texts: new Map(),
      samples: result.samples,
      failures: result.failures,
    };
  });
}

/** The number of a run at the end of a name: `base-1`, `base.run3`, `base_07`. */
const RUN_NUMBER = /(?<=.)[-_. ]?(?:run|round|r)?[-_. ]?\d+$/i;

/**
 * Which variant each file is of, by its name: `base-1.json` is of base. Where that leaves no variant with the control's
 * name, the whole name counts (`pool-10.json`), and then the folder's (`base/1.json`). Throws PgsweepError `usage` where
 * none of these is the control.
 */
function variantNames(files: readonly string[], control: string): string[] {
  const stems = files.map((file) => basename(file).replace(/(?<=.)(\.(json|txt|log|out))+$/i, ''));
  const ways = [stems.map((stem) => stem.replace(RUN_NUMBER, '')), stems, files.map((file) => basename(dirname(file)))];
  const found = ways.find((names) => names.includes(control) && new Set(names).size > 1);
  if (found !== undefined) return found;
  const names = [...new Set(ways[0])];
  const like = nearest(control, names);
  throw new PgsweepError('usage', `no file is of the control ${control}; their names are of ${names.join(', ')}`, {
    hint: `${like === null ? '' : `Did you mean --control ${like}? `}A file can be given as NAME=FILE, such as ${control}=${files[0]}.`,
  });
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * The one table of a CSV text, divided by commas, semicolons or tabs, whichever its first line has most of. Throws
 * PgsweepError `usage` with the line where a row has more or fewer cells than the head, or quotes are wrong.
 */
export function csvTable(file: string, text: string): Grid {
  const [head, ...rows] = parsed(file, text);
  if (head === undefined) throw new PgsweepError('usage', `${file}: the table is empty`);
  const wanted = head.record.length;
  const bad = rows.find(({ record }) => record.length !== wanted);
  if (bad !== undefined) {
    const message = `${file}:${bad.info.lines}: the row has ${bad.record.length} cells, the head of the table ${wanted}`;
    throw new PgsweepError('usage', message, {
      hint: 'Add or remove cells; a cell with a comma in it stands in quotes.',
    });
  }
  return {
    title: '',
    file,
    line: head.info.lines,
    head: head.record,
    rows: rows.map(({ record, info }) => ({ line: info.lines, cells: record.map(withoutGuard) })),
  };
}

function parsed(file: string, text: string): CsvRecord[] {
  const options = { bom: true, delimiter: delimiterOf(text), trim: true, skip_empty_lines: true, info: true };
  try {
    return parse(text, { ...options, relax_column_count: true }) as unknown as CsvRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? `:${error.lines}` : '';
    throw new PgsweepError('usage', `${file}${line}: ${error.message}`, { cause: error });
  }
}

function delimiterOf(text: string): string {
  const [first = ''] = text.trimStart().split('\n');
  const counts = [',', ';', '\t'].map((mark) => ({ mark, count: first.split(mark).length }));
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).mark;
}

/** Our own CSV has an apostrophe before what a spreadsheet would calculate. */
function withoutGuard(cell: string): string {
  return cell.replace(/^'(?=[=+\-@])/, '');
}
