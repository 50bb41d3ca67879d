import type { ResolvedScenario } from '../../journal/scenario-record.ts';

/** Before it there are no verdicts. */
export const VERDICT_ROUNDS = 4;
/** Before it no setting is decided on. */
const DECISION_ROUNDS = 5;
/** A search has at least these before its confirmation. */
const SEARCH_ROUNDS = 2;

/** How many rounds a run needs before its question can have an answer. */
export function roundsForAnswer({
  question,
  rounds,
  tune,
}: Pick<ResolvedScenario, 'question' | 'rounds' | 'tune'>): number {
  const before = tune === undefined ? 0 : SEARCH_ROUNDS;
  return Math.min(rounds.max, before + (question === 'best' ? DECISION_ROUNDS : VERDICT_ROUNDS));
}
