import { loadKey, underLoad } from './load-level.ts';
import { loadLevel } from './load-record.ts';
import type { LoadLevel } from './scenario-record.ts';
import { count, fields, list, oneOf, optional, text, type ValueOf } from './shape.ts';

/** A setting that is not measured any more under a load level: another was shown to be better by more than the margin. */
export interface LeftCell extends ValueOf<typeof leftCell> {}
const leftCell = fields({
  variant: text,
  load: loadLevel,
  /** The last round that it was measured in. */
  after: count,
  /** The setting that it is worse than. */
  worseThan: text,
});

/** A load level that is not measured any more: the setting to take there is decided. */
export interface LeftLevel extends ValueOf<typeof leftLevel> {}
const leftLevel = fields({
  load: loadLevel,
  /** The last round that it was measured in. */
  after: count,
});

/** Everything that is left out from the next round on. Written when that changes; the last record holds. */
export interface LeftRecord extends ValueOf<typeof leftRecord> {}
export const leftRecord = fields({
  type: oneOf('left'),
  /** After this round. */
  round: count,
  cells: list(leftCell),
  /** Absent where all load levels are measured. */
  levels: optional(list(leftLevel)),
});

/** Settings that cannot win, and load levels that are decided: a run does without them from some round on. */
export interface Left {
  readonly cells: readonly LeftCell[];
  readonly levels: readonly LeftLevel[];
}

export const nothingLeft: Left = { cells: [], levels: [] };

export function leftIn({ cells, levels = [] }: LeftRecord): Left {
  return { cells, levels };
}

/** The last round that a variant was measured in under a load level, whichever of them left; infinite where both stay. */
export function lastMeasured({ cells, levels }: Left, variant: string, load: LoadLevel): number {
  const own = underLoad(cells, load).filter((cell) => cell.variant === variant);
  return Math.min(...[...own, ...underLoad(levels, load)].map(({ after }) => after));
}

/** The cells and levels that left by one, and not by the other. */
export function leftBeside(some: Left, others: Left): Left {
  const cellKey = ({ variant, load }: LeftCell): string => JSON.stringify([variant, loadKey(load)]);
  const cells = new Set(others.cells.map(cellKey));
  const levels = new Set(others.levels.map(({ load }) => loadKey(load)));
  return {
    cells: some.cells.filter((cell) => !cells.has(cellKey(cell))),
    levels: some.levels.filter(({ load }) => !levels.has(loadKey(load))),
  };
}

/** True of nothing. */
export function hasNothing({ cells, levels }: Left): boolean {
  return cells.length + levels.length === 0;
}
