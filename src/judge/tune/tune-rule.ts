import { lineUpAfter, plannedLineUp, scenarioWith } from '../../journal/line-up.ts';
import { withoutParts } from '../../journal/proposal-records.ts';
import type { JournalRecord, RunRecord } from '../../journal/records.ts';
import type { Variant } from '../../journal/scenario-record.ts';
import type { TuneSpec } from '../../journal/tune/tune-spec.ts';
import { createStopRule, type StopDecision, type StopOptions, type StopRule } from '../verdicts/stop-rule.ts';
import { followSearch } from './follow-search.ts';

/** A confirmation has at least this many rounds, however clear it looks. */
const LEAST_ROUNDS = 5;

/** Once it is decided which setting to take, each of its changes is measured in this many rounds, if the budget has room for them. */
const PART_ROUNDS = 5;

/**
 * Decides for a run that searches: what each round tries, when the search ends, and which settings are confirmed. From
 * the proposal of these on it is the stop rule of a sweep of their rounds alone, but for the last rounds, in which the setting
 * to take is measured without each of its changes.
 */
export function createTuneRule(run: RunRecord, tune: TuneSpec, options: StopOptions = {}): StopRule {
  const search = followSearch(run, tune);
  let lineUp = plannedLineUp;
  let confirmation: StopRule | null = null;
  /** Records of the confirmation so far: without a variant that was refused it is another sweep of its rounds. */
  const confirming: JournalRecord[] = [];
  let confirmed = 0;
  let fewest = LEAST_ROUNDS;
  /** The setting that is taken under every load level without each of its changes; none where the budget has no room for them. */
  const partsToMeasure = ({ undecided, found }: StopDecision, roundsLeft: number): Variant[] => {
    const { variants = [], parts: measured } = lineUp.proposed ?? {};
    const [first, ...others] = new Set(found.decided.map(({ variant }) => variant));
    const taken = variants.find(({ name }) => name === first);
    if (undecided > 0 || measured !== undefined || taken === undefined || others.length > 0) return [];
    const parts = search.partsOf(taken).filter((part) => variants.every(({ name }) => name !== part.name));
    const fitting = parts.slice(0, (run.scenario.slots ?? 0) - variants.length);
    return (roundsLeft * (2 + variants.length)) / (2 + variants.length + fitting.length) < PART_ROUNDS ? [] : fitting;
  };
  return {
    after(records, isEnd = false, roundsLeft = Number.POSITIVE_INFINITY) {
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
        if (record.type === 'round') confirmed++;
        if (record.type === 'proposed' && record.parts !== undefined) fewest = confirmed + PART_ROUNDS;
        if (record.type === 'proposed' || record.type === 'refused') {
          const { rounds, ...scenario } = scenarioWith({ proposed: withoutParts(proposed) }, run.scenario);
          const min = Math.max(fewest, rounds.min);
          confirmation = createStopRule({ ...run, scenario: { ...scenario, rounds: { ...rounds, min } } }, options);
          fresh = [...confirming];
        }
      }
      if (confirmation === null) return search.decide(roundsLeft);
      const decision = confirmation.after(fresh, isEnd);
      const parts = decision.stop && !isEnd ? partsToMeasure(decision, roundsLeft) : [];
      if (parts.length === 0) return decision;
      const variants = [...(lineUp.proposed?.variants ?? []), ...parts];
      const proposed = { stage: 'confirm', variants, parts: parts.map(({ name }) => name) } as const;
      return { ...decision, stop: false, proposed };
    },
  };
}
