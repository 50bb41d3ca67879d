import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { Resource } from '../../judge/explain/saturation.ts';
import type { Note, RunNote } from '../../judge/notes.ts';
import type { LinkSummary } from '../../judge/read/rounds/links.ts';
import type { Summary } from '../../judge/summary.ts';

/** A part of variants in words; it stands in parts.ts under its key in a variant. All may be left out. */
export interface ReportPart<Spec> {
  /** The part of one variant: `1 ms ± 0.1 ms`; absent where `ofAll` says it of all alone. */
  words?(spec: Spec): string;
  /** Set if those words need not have the part's key before them. */
  readonly namesItself?: boolean;
  /** How a variant without it is called beside others that have it; default `none`. */
  readonly without?: string;
  /** One fact for all variants in place of a list by variant; null where there is nothing to say. */
  ofAll?(specs: readonly (Spec | undefined)[], loads: readonly LoadLevel[]): string | null;
  /** A text for each measurement of it; absent where nothing is measured. */
  measured?(link: LinkSummary): readonly string[];
  /** Facts that a run used for it, as labels and values. */
  facts?(provenance: Summary['provenance']): [label: string, value: string | null][];
  /** Probe values that are always shown where a run has them. */
  readonly telling?: readonly string[];
  /** The part as a scenario has it, null for a variant without it; default as it is. */
  written?(spec: Spec | null): unknown;
  /** Its resources that may be at their limit. */
  readonly resources?: Readonly<Partial<Record<Resource, string>>>;
  /** Words of its own notes, as in src/report/words/note-words.ts. */
  readonly notes?: { readonly [Kind in Note['kind']]?: (note: Extract<Note, { readonly kind: Kind }>) => string };
  /** Advice for each of them, as in src/report/words/remedies.ts. */
  readonly remedies?: Readonly<Partial<Record<RunNote['kind'], string>>>;
}
