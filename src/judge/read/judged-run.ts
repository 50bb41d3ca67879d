import type { JournalSoFar } from '../../journal/journal.ts';
import { lineUpAfter, plannedLineUp, scenarioWith } from '../../journal/line-up.ts';
import type { ProposedRecord } from '../../journal/proposal-records.ts';
import type { JournalRecord } from '../../journal/records.ts';

/**
 * The part of a run that verdicts are made of. Where variants are proposed it is the sweep that confirms some of them: the
 * rounds from that proposal on, with the control and these variants but for those that were refused, so that its looks and its
 * error are those of its own rounds. Before there is one, no variant has a verdict. Any other run is judged whole.
 */
export function judgedRun<One extends JournalSoFar>(journal: One): One {
  const { run, records } = journal;
  if (run.scenario.slots === undefined) return journal;
  let lineUp = plannedLineUp;
  for (const record of records) lineUp = lineUpAfter(lineUp, record);
  const confirmed = lineUp.proposed?.stage === 'confirm' ? lineUp.proposed : null;
  const scenario = scenarioWith({ proposed: confirmed ?? nobody }, run.scenario);
  const own = confirmed === null ? records : { [Symbol.iterator]: () => recordsAfter(confirmed.round, records) };
  return { ...journal, run: { ...run, scenario }, records: own };
}

const nobody: ProposedRecord = { type: 'proposed', round: 0, stage: 'search', variants: [] };

/** The records of rounds after that one, and all that belong to none. */
function* recordsAfter(round: number, records: Iterable<JournalRecord>): Generator<JournalRecord> {
  for (const record of records) {
    // Lengths say where turns hid waits, and the proposal which variants are confirmed.
    const isKept = record.type === 'lengths' || (record.type === 'proposed' && record.stage === 'confirm');
    const isBefore = 'round' in record && record.round <= round;
    if (isKept || !isBefore) yield record;
  }
}
