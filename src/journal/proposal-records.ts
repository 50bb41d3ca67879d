import { variant } from './scenario-record.ts';
import { count, fields, list, oneOf, optional, text, type ValueOf } from './shape.ts';

/**
 * Variants that hold the slots of a run from the next round on, in place of those before. Written before that round, so that
 * nobody works them out again; the last record holds.
 */
export interface ProposedRecord extends ValueOf<typeof proposedRecord> {}
export const proposedRecord = fields({
  type: oneOf('proposed'),
  /** After this round; 0 before the first. */
  round: count,
  /** `search`: no verdict is made of the rounds. `confirm`: they are a sweep by themselves, with its looks and its error. */
  stage: oneOf('search', 'confirm'),
  /** Besides the control, each in its own slot. */
  variants: list(variant),
  /**
   * Names of those of them that are the setting to take without one of its changes: measured once that is decided, they say what each
   * change gives, and are neither judged nor taken.
   */
  parts: optional(list(text)),
  /** How many changes of that setting are measured so, and how many it has. Absent where each is. */
  changes: optional(fields({ measured: count, of: count })),
});

/** A proposal, before it is written down. */
export type Proposal = Pick<ProposedRecord, 'stage' | 'variants' | 'parts' | 'changes'>;

/** A proposal as it is judged: without the variants that only say what each change gives. */
export function withoutParts({ parts = [], ...proposed }: ProposedRecord): ProposedRecord {
  return { ...proposed, variants: proposed.variants.filter(({ name }) => !parts.includes(name)) };
}

/** A proposed variant that server or service refused. Its round began again without it. */
export interface RefusedRecord extends ValueOf<typeof refusedRecord> {}
export const refusedRecord = fields({
  type: oneOf('refused'),
  round: count,
  variant: text,
  /** The message of the error. */
  reason: text,
});
