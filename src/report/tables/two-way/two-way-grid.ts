import { ofName } from '../../../base/by-name.ts';
import type { Summary } from '../../../judge/summary.ts';
import type { Place, TwoWay } from './two-way.ts';

/** A table has a Delta for every row and column: larger ones are no help. */
export const MOST_ROWS = 12;
export const MOST_COLUMNS = 6;

/** The first two factors of a grid as rows and columns, under one setting of all others. */
export interface GridLayout extends Pick<TwoWay, 'corner' | 'rows' | 'columns' | 'base'> {
  /** `database and release` */
  readonly factors: string;
  /** `log=INFO`; empty where there are two factors. */
  readonly others: string;
  /** Null where the grid has no such variant. */
  variantAt(place: Place): string | null;
}

/** The factors of the grid; empty for named variants. */
export function factorNames({ run }: Pick<Summary, 'run'>): string[] {
  return [...new Set(run.settings.flatMap(({ factors }) => Object.keys(factors)))];
}

/** The levels of a factor, in the order of the scenario. */
export function levelsOf({ variants, settings }: Summary['run'], factor: string): string[] {
  const found = variants.flatMap((name) => settings.find(({ variant }) => variant === name) ?? []);
  return [...new Set(found.map(({ factors }) => String(ofName(factors, factor))))];
}

/** A layout for every setting of the factors behind the first two; none where fewer vary, or so much that nobody would read it. */
export function gridLayouts({ run }: Pick<Summary, 'run'>): GridLayout[] {
  const [first = '', second = '', ...rest] = factorNames({ run });
  const { settings } = run;
  const [rows, columns] = [levelsOf(run, first), levelsOf(run, second)];
  if (rows.length > MOST_ROWS || columns.length > MOST_COLUMNS || rows.length < 2 || columns.length < 2) return [];
  const othersOf = (factors: (typeof settings)[number]['factors']): string =>
    rest.map((name) => `${name}=${ofName(factors, name)}`).join(', ');
  const control = settings.find(({ variant }) => variant === run.control)?.factors ?? {};
  const base = {
    row: rows.indexOf(String(ofName(control, first))),
    column: columns.indexOf(String(ofName(control, second))),
  };
  return [...new Set(settings.map(({ factors }) => othersOf(factors)))].map((others) => ({
    factors: `${first} and ${second}`,
    others,
    corner: first,
    rows,
    columns,
    base,
    variantAt: ({ row, column }) =>
      settings.find(
        ({ factors }) =>
          String(ofName(factors, first)) === rows[row] &&
          String(ofName(factors, second)) === columns[column] &&
          othersOf(factors) === others,
      )?.variant ?? null,
  }));
}
