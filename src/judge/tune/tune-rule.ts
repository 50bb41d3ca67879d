import { lineUpAfter, plannedLineUp, scenarioWith } from '../../journal/line-up.ts';
import { type Proposal, withoutParts } from '../../journal/proposal-records.ts';
import type { JournalRecord, RunRecord } from '../../journal/records.ts';
import type { TuneSpec } from '../../journal/tune/tune-spec.ts';
import { looks } from '../stats/looks.ts';
import { createStopRule, type StopDecision, type StopOptions, type StopRule } from '../verdicts/stop-rule.ts';
import { followSearch } from './follow-search.ts';

/** A confirmation has at least this many rounds, however clear it looks. */
const LEAST_ROUNDS = 5;

/** Once it is decided which setting to take, each of its changes is measured in this many rounds, if the run has room for them. */
const PART_ROUNDS = 5;

/** Later rounds of a confirmation are not looked at. */
const LAST_LOOK = looks.at(-1) ?? 0;

/**
 * Decides for a run that searches: what each round tries, when the search ends, and which settings are confirmed. From
 * the proposal of these on it is the stop rule of a sweep of their rounds alone, but for the last rounds, in which the setting
 * to take is measured without each of its changes, and but for its end after the last look.
 */
export function createTuneRule(run: RunRecord, tune: TuneSpec, options: StopOptions = {}): StopRule {
  const search = followSearch(run, tune);
  let lineUp = plannedLineUp;
  let confirmation: StopRule | null = null;
  /** Records of the confirmation so far: without a variant that was refused it is another sweep of its rounds. */
  const confirming: JournalRecord[] = [];
  let rounds = 0;
  let confirmed = 0;
  let fewest = LEAST_ROUNDS;
  /**
   * Besides what is confirmed, the setting that is taken under every load level without each of its changes, those with the largest gain
   * first if slots are few. Null where the budget or the most rounds have no room for them.
   */
  const partsToMeasure = ({ undecided, found }: StopDecision, roundsLeft: number): Proposal | null => {
    const { variants = [], parts: measured } = lineUp.proposed ?? {};
    const [first, ...others] = new Set(found.decided.map(({ variant }) => variant));
    const taken = variants.find(({ name }) => name === first);
    if (undecided > 0 || measured !== undefined || taken === undefined || others.length > 0) return null;
    const { changes, variants: without } = search.partsOf(taken);
    const more = without.filter((part) => variants.every(({ name }) => name !== part.name));
    const parts = more.slice(0, Math.max(0, (run.scenario.slots ?? 0) - variants.length));
    const arms = 2 + variants.length;
    const room = Math.min((roundsLeft * arms) / (arms + parts.length), run.scenario.rounds.max - rounds);
    if (parts.length === 0 || room < PART_ROUNDS) return null;
    const known = without.length - more.length + parts.length;
    return {
      stage: 'confirm',
      variants: [...variants, ...parts],
      parts: parts.map(({ name }) => name),
      ...(known < changes && { changes: { measured: known, of: changes } }),
    };
  };
  /** A confirmation with few rounds is open, however clear it looks, and one that was looked at for the last time ends. */
  const ending = (decision: StopDecision): StopDecision => {
    const { stop, undecided } = decision;
    if (confirmed < LEAST_ROUNDS) return { ...decision, undecided: Math.max(1, undecided) };
    if (stop || confirmed < Math.max(LAST_LOOK, fewest)) return decision;
    return { ...decision, ...(undecided === 0 ? { stop: true } : { isOver: true }) };
  };
  return {
    after(records, isEnd = false, roundsLeft = Number.POSITIVE_INFINITY) {
      let fresh: JournalRecord[] = [];
      for (const record of records) {
        lineUp = lineUpAfter(lineUp, record);
        if (record.type === 'round') rounds++;
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
          const scenario = scenarioWith({ proposed: withoutParts(proposed) }, run.scenario);
          const limits = { ...scenario.rounds, min: Math.max(fewest, scenario.rounds.min) };
          confirmation = createStopRule({ ...run, scenario: { ...scenario, rounds: limits } }, options);
          fresh = [...confirming];
        }
      }
      if (confirmation === null) return search.decide(roundsLeft);
      const decision = confirmation.after(fresh, isEnd);
      if (isEnd) return decision;
      // Nothing is left to compare the control with, and no limit is asked of it: more rounds would say nothing.
      const isAlone = lineUp.proposed?.variants.length === 0 && tune.keep === undefined;
      if (isAlone && confirmed > 0 && decision.undecided === 0) return { ...decision, stop: true };
      const proposed = decision.stop ? partsToMeasure(decision, roundsLeft) : null;
      return proposed === null ? ending(decision) : { ...decision, stop: false, proposed };
    },
  };
}
