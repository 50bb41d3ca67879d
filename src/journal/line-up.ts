import { type Left, leftIn, nothingLeft } from './left-records.ts';
import type { ProposedRecord } from './proposal-records.ts';
import type { JournalRecord } from './records.ts';
import type { ResolvedScenario, Variant } from './scenario-record.ts';
import { setVariant } from './tune/variant-at.ts';

/** The cells that the next rounds measure. A run may change it between two rounds. */
export interface LineUp {
  /** Cells and load levels that they do without. */
  readonly left: Left;
  /** The variants in the slots; null where the run has those that it was planned with. */
  readonly proposed: ProposedRecord | null;
}

export const plannedLineUp: LineUp = { left: nothingLeft, proposed: null };

/** The line-up after one more record of the journal; most records leave it as it is. */
export function lineUpAfter(lineUp: LineUp, record: JournalRecord): LineUp {
  if (record.type === 'left') return { ...lineUp, left: leftIn(record) };
  if (record.type === 'proposed') return { left: nothingLeft, proposed: record };
  const { proposed } = lineUp;
  if (record.type !== 'refused' || proposed === null) return lineUp;
  const variants = proposed.variants.filter(({ name }) => name !== record.variant);
  return { ...lineUp, proposed: { ...proposed, variants } };
}

/** The scenario of rounds with that line-up: the control, and the variants in its slots. */
export function scenarioWith({ proposed }: Pick<LineUp, 'proposed'>, scenario: ResolvedScenario): ResolvedScenario {
  if (proposed === null) return scenario;
  const { control, plannedControl = control } = scenario;
  const own = scenario.variants.filter(({ name }) => name === plannedControl);
  return { ...scenario, variants: [...own, ...proposed.variants] };
}

/**
 * The variants that are confirmed, and after which round that began; null before there are any. Goes through the records of a run
 * once.
 */
export function confirmedProposal(records: Iterable<JournalRecord>): ProposedRecord | null {
  let lineUp = plannedLineUp;
  let began: number | null = null;
  for (const record of records) {
    lineUp = lineUpAfter(lineUp, record);
    if (record.type === 'proposed' && record.stage === 'confirm') began ??= record.round;
  }
  return began === null || lineUp.proposed === null ? null : { ...lineUp.proposed, round: began };
}

/**
 * The variants that a run is planned for. One that is proposed later costs what the control costs, and needs what a value of
 * each factor needs of a server.
 */
export function plannedVariants(scenario: Pick<ResolvedScenario, 'variants' | 'slots' | 'tune'>): readonly Variant[] {
  const { variants, tune } = scenario;
  const [control] = variants;
  const free = slotCount(scenario) - (variants.length - 1);
  if (control === undefined || free <= 0) return variants;
  const like = tune === undefined ? control : setVariant(tune, control);
  return [...variants, ...Array.from({ length: free }, (_, slot) => ({ ...like, name: `slot ${slot + 1}` }))];
}

/** How many variants besides the control a round has at most. */
export function slotCount({ variants, slots }: Pick<ResolvedScenario, 'variants' | 'slots'>): number {
  return slots ?? variants.length - 1;
}
