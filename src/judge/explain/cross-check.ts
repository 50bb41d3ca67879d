import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { DiagnosedCell } from './diagnosed-cell.ts';
import type { Resource } from './saturation.ts';

/** The finding of a cross-check in one cell. */
export interface Symptom {
  /** A sentence with its numbers and without full stop; the cell is named before it. */
  readonly text: string;
  /** The next step, a sentence. */
  readonly next: string;
  /** Kind of the symptom, where a cross-check knows several: cells with different kinds have separate findings. */
  readonly kind?: string;
  /** 0 to 100: what casts doubt on the whole measurement stands before what explains a part of it. */
  readonly weight: number;
}

export interface CrossCheck {
  /** In kebab-case; summary.json names what it finds so. */
  readonly name: string;
  /** Where requests stand in line if it finds something: that is then what limits the cell. */
  readonly queue?: Resource;
  /** Looks at one cell, beside its control, and says what is wrong there; null where nothing is. */
  symptomIn(cell: DiagnosedCell): Symptom | null;
}

/** One symptom in one cell or several. */
export interface DiagnosisFinding {
  readonly name: string;
  /** Where, the clearest first, with what was seen there. */
  readonly cells: readonly { readonly variant: string; readonly load: LoadLevel; readonly text: string }[];
  /** One sentence: the clearest cell with its numbers, and which others have the same. */
  readonly text: string;
  readonly next: string;
  readonly weight: number;
}
