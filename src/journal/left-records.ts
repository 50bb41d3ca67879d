import { loadLevel } from './load-record.ts';
import { count, fields, list, oneOf, text, type ValueOf } from './shape.ts';

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

/** Every cell that is left out from the next round on. Written when that changes; the last record holds. */
export interface LeftRecord extends ValueOf<typeof leftRecord> {}
export const leftRecord = fields({
  type: oneOf('left'),
  /** After this round. */
  round: count,
  cells: list(leftCell),
});
