import type { ResolvedScenario } from '../../journal/scenario-record.ts';

/** Before it there are no verdicts. */
export const VERDICT_ROUNDS = 4;
/** Before it no setting is decided on. */
const DECISION_ROUNDS = 5;

/** How many rounds a run needs before its question can have an answer. */
export function roundsForAnswer({ question, rounds }: Pick<ResolvedScenario, 'question' | 'rounds'>): number {
  return Math.min(rounds.max, question === 'best' ? DECISION_ROUNDS : VERDICT_ROUNDS);
}
