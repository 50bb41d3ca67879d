import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { DiagnosedCell } from './diagnosed-cell.ts';

/** What a cross-check found in one cell. */
export interface Symptom {
  /** kebab-case, the same in every cell. */
  readonly name: string;
  /** A sentence with its numbers and without full stop; the cell is named before it. */
  readonly text: string;
  /** What to do next, a sentence. */
  readonly next: string;
  /** 0 to 100: what casts doubt on the whole measurement stands before what explains a part of it. */
  readonly weight: number;
}

/** A cross-check: looks at one cell (and its control) and says what is wrong there; null where nothing is. */
export type Check = (cell: DiagnosedCell) => Symptom | null;

/** The same symptom in one cell or several. */
export interface DiagnosisFinding {
  readonly name: string;
  /** Where, the clearest first, with what was seen there. */
  readonly cells: readonly { readonly variant: string; readonly load: LoadLevel; readonly text: string }[];
  /** One sentence: the clearest cell with its numbers, and which others have the same. */
  readonly text: string;
  readonly next: string;
  readonly weight: number;
}
