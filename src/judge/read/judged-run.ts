import type { JournalSoFar } from '../../journal/journal.ts';
import { confirmedProposal, scenarioWith } from '../../journal/line-up.ts';
import { withoutParts } from '../../journal/proposal-records.ts';
import type { JournalRecord } from '../../journal/records.ts';

/**
 * The part of a run that verdicts are made of. Where variants are proposed it is the sweep that confirms some of them: the
 * rounds from that proposal on, with the control and these variants but for those that were refused, so that its looks and its
 * error are those of its own rounds. Before there is one, no variant has a verdict, and no limit is asked for. Any other run is judged whole.
 */
export function judgedRun<One extends JournalSoFar>(journal: One): One {
  const { run, records } = journal;
  if (run.scenario.slots === undefined) return journal;
  const confirmed = confirmedProposal(records);
  if (confirmed === null) {
    const { tune: _, ...scenario } = run.scenario;
    return { ...journal, run: { ...run, scenario } };
  }
  const scenario = scenarioWith({ proposed: withoutParts(confirmed) }, run.scenario);
  const own = { [Symbol.iterator]: () => recordsAfter(confirmed.round, records) };
  return { ...journal, run: { ...run, scenario }, records: own };
}

/** The records of rounds after that one, and all that belong to none. */
function* recordsAfter(round: number, records: Iterable<JournalRecord>): Generator<JournalRecord> {
  for (const record of records) {
    // Lengths say where turns hid waits, and the proposal which variants are confirmed.
    const isKept = record.type === 'lengths' || (record.type === 'proposed' && record.stage === 'confirm');
    const isBefore = 'round' in record && record.round <= round;
    if (isKept || !isBefore) yield record;
  }
}
