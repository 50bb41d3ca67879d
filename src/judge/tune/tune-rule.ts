import { lineUpAfter, plannedLineUp, scenarioWith } from '../../journal/line-up.ts';
import { withoutParts } from '../../journal/proposal-records.ts';
import type { JournalRecord, RunRecord } from '../../journal/records.ts';
import type { TuneSpec } from '../../journal/tune/tune-spec.ts';
import { createStopRule, type StopOptions, type StopRule } from '../verdicts/stop-rule.ts';
import { followSearch } from './follow-search.ts';

/** A confirmation has at least this many rounds, however clear it looks. */
const LEAST_ROUNDS = 5;

/**
 * Decides for a run that searches: what each round tries, when the search ends, and which settings are confirmed. From
 * the proposal of these on it is the stop rule of a sweep of their rounds alone.
 */
export function createTuneRule(run: RunRecord, tune: TuneSpec, options: StopOptions = {}): StopRule {
  const search = followSearch(run, tune);
  let lineUp = plannedLineUp;
  let confirmation: StopRule | null = null;
  /** Records of the confirmation so far: without a variant that was refused it is another sweep of its rounds. */
  const confirming: JournalRecord[] = [];
  return {
    after(records, isEnd, roundsLeft) {
      let fresh: JournalRecord[] = [];
      for (const record of records) {
        lineUp = lineUpAfter(lineUp, record);
        const { proposed } = lineUp;
        if (proposed?.stage !== 'confirm') {
          search.add(record);
          continue;
        }
        confirming.push(record);
        fresh.push(record);
        if (record.type === 'proposed' || record.type === 'refused') {
          const { rounds, ...scenario } = scenarioWith({ proposed: withoutParts(proposed) }, run.scenario);
          const min = Math.max(LEAST_ROUNDS, rounds.min);
          confirmation = createStopRule({ ...run, scenario: { ...scenario, rounds: { ...rounds, min } } }, options);
          fresh = [...confirming];
        }
      }
      return confirmation === null ? search.decide(roundsLeft) : confirmation.after(fresh, isEnd);
    },
  };
}
