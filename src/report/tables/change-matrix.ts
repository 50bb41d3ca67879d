import { loadLabel, loadSize, loadUnit, sizeLabel, unitOfWork } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatChange, formatDelta, plural } from '../../judge/format.ts';
import { type JudgedView, type LevelView, viewOf } from '../../judge/judged-view.ts';
import { namedMetrics } from '../../judge/read/metrics/work-metrics.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { failedWords } from '../words/failed-mark.ts';
import { withoutSize } from '../words/found.ts';
import { judgedName, rank } from '../words/judged.ts';
import { shortName } from '../words/short-name.ts';
import { toneOf, withoutPercent } from './delta-cell.ts';
import { type Cell, type Column, left, right, type Table, weights } from './table.ts';

/** This many variants and load levels are shown before any is left out. */
const [MOST_ROWS, MOST_COLUMNS] = [25, 6];
/** A longer name is cut, and further where there is less room. */
const [MOST_CHARACTERS, LITTLE, LEAST, LITTLE_HEAD] = [48, 24, 18, 11];
/** With more load levels names have the least room. */
const MANY_LEVELS = 4;

/** The sign of a verdict: of one that is not known a question mark. */
const marks: Readonly<Record<Comparison['verdict'], string>> = {
  higher: '↑',
  lower: '↓',
  same: '=',
  noise: '?',
  unfit: 'n/a',
};

/**
 * Every change of the judged metric: a row for each variant, a column for each load level. Where the rate has no verdict and the
 * work of a request has one, the cell has that as well. Null where nothing was compared.
 */
export function changeMatrix(summary: Summary): Table | null {
  const view = viewOf(summary);
  const { run } = summary;
  const levels = shownLevels(view);
  const variants = shownVariants(view);
  if (levels.every(({ changes }) => changes.length === 0)) return null;
  const marked = levels.find(({ fails }) => variants.some(fails));
  const heads = headsOf(levels.map(({ load }) => load));
  const rows = variants.map((variant): Cell[] => [
    {
      text: shortName(variant, run, MOST_CHARACTERS),
      short: shortName(variant, run, levels.length > MANY_LEVELS ? LEAST : LITTLE),
    },
    ...levels.map((level) => cellOf(level, variant)),
  ]);
  return {
    title: '',
    weight: weights.answer,
    columns: [left(heads.corner), ...heads.heads.map((head) => shortHead(head, heads.heads))],
    rows,
    notes: notesOf(
      summary,
      { levels: view.levels.length - levels.length, variants: view.variants.length - variants.length },
      marked?.load ?? null,
    ),
  };
}

function shortHead(head: string, variants: readonly string[]): Column {
  return { ...right(head), short: shortName(head, { variants, control: '' }, LITTLE_HEAD) };
}

/** In the order of the scenario; of many those that show most. */
function shownLevels({ levels }: JudgedView): readonly LevelView[] {
  const differing = ({ changes }: LevelView): number => changes.filter(({ verdict }) => isDifference(verdict)).length;
  const kept = new Set([...levels].sort((a, b) => differing(b) - differing(a)).slice(0, MOST_COLUMNS));
  return levels.filter((level) => kept.has(level));
}

function shownVariants({ variants, levels }: JudgedView): string[] {
  const telling = (variant: string): number =>
    Math.min(...levels.flatMap(({ changes }) => changes.filter((one) => one.variant === variant).map(rank)));
  const names = variants.map(({ variant }) => variant);
  if (names.length <= MOST_ROWS) return names;
  const kept = new Set([...names].sort((a, b) => telling(a) - telling(b)).slice(0, MOST_ROWS));
  return names.filter((name) => kept.has(name));
}

function isDifference(verdict: Comparison['verdict']): boolean {
  return verdict === 'higher' || verdict === 'lower';
}

function cellOf(level: LevelView, variant: string): Cell {
  const change = level.changes.find((one) => one.variant === variant);
  if (change === undefined) return { text: 'n/a', tone: 'dim' };
  const failed = level.fails(variant) ? ' [!]' : '';
  const { short, compact, text } = changeTexts(change);
  const hasVerdict = isDifference(change.verdict) || change.verdict === 'same';
  const [work] = hasVerdict
    ? []
    : level
        .beside(variant)
        .filter(({ metric }) => namedMetrics.find(({ name }) => name === metric)?.group === 'work')
        .sort((a, b) => rank(a) - rank(b));
  const beside = work === undefined ? '' : `; ${workWords(work)}`;
  const more = `${failed}${beside}`;
  return { text: text + more, compact: compact + more, short: short + more, tone: toneOf(work ?? change) };
}

/** `-9.6 % [-12.1, -7.0] ↓`, `-9.6 [-12.1, -7.0] ↓`, and `-9.6 % ↓` where there is little room. */
function changeTexts(change: Comparison): Readonly<Record<'text' | 'compact' | 'short', string>> {
  const { deltaPercent, interval, verdict } = change;
  const mark = marks[verdict];
  if (deltaPercent === null) {
    const said = withoutPercent(change);
    return { text: said, compact: said, short: said };
  }
  const short = `${formatDelta(deltaPercent)} ${mark}`;
  if (interval === null) return { text: short, compact: short, short };
  const text = `${formatChange(deltaPercent, interval)} ${mark}`;
  return { text, compact: text.replace(' %', ''), short };
}

/** `WAL bytes/request +12.0 % ↑` */
function workWords({ metric, load, deltaPercent, verdict }: Comparison): string {
  const label = namedMetrics.find(({ name }) => name === metric)?.label ?? metric;
  return `${label}/${unitOfWork([load])} ${deltaPercent === null ? '' : `${formatDelta(deltaPercent)} `}${marks[verdict]}`;
}

/** Heads of the load levels; their common part stands in the corner, once. */
function headsOf(loads: readonly LoadLevel[]): { readonly corner: string; readonly heads: readonly string[] } {
  const [first] = loads;
  if (first === undefined) return { corner: 'variant', heads: [] };
  const units = new Set(loads.map((load) => withoutSize(loadLabel(load), sizeLabel(load))));
  const sizes = new Set(loads.map(sizeLabel));
  if (loads.length > 1 && sizes.size === 1) {
    const size = sizeLabel(first);
    return { corner: `variant (${size})`, heads: loads.map((load) => withoutSize(loadLabel(load), size)) };
  }
  if (loads.length > 1 && units.size === 1)
    return { corner: `variant, ${loadUnit(first)}`, heads: loads.map((load) => String(loadSize(load))) };
  return { corner: 'variant', heads: loads.map(loadLabel) };
}

interface Left {
  /** How many are not shown. */
  readonly levels: number;
  readonly variants: number;
}

/** `marked`: a load level whose cells have a mark; null where none has one. */
function notesOf({ run }: Summary, left: Left, marked: LoadLevel | null): string[] {
  const signs = `↑ ↓ higher, lower; = the same within ±${run.marginPercent} %; ? not known${marked === null ? '' : `; [!] ${failedWords(marked)}`}`;
  const key = `Change of ${judgedName(run)} against ${shortName(run.control, run, MOST_CHARACTERS)}, in %: ${signs}.`;
  const more = [
    ...(left.variants > 0 ? [plural(left.variants, 'more variant')] : []),
    ...(left.levels > 0 ? [plural(left.levels, 'more load level')] : []),
  ];
  return [key, ...(more.length === 0 ? [] : [`${more.join(' and ')} in the tables.`])];
}
