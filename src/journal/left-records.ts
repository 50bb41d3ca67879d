import type { LoadLevel } from './scenario-record.ts';

/** A setting that is not measured any more under a load level: another was shown to be better by more than the margin. */
export interface LeftCell {
  readonly variant: string;
  readonly load: LoadLevel;
  /** The last round that it was measured in. */
  readonly after: number;
  /** The setting that it is worse than. */
  readonly worseThan: string;
}

/** Every cell that is left out from the next round on. Written when that changes; the last record holds. */
export interface LeftRecord {
  readonly type: 'left';
  /** After this round. */
  readonly round: number;
  readonly cells: readonly LeftCell[];
}
