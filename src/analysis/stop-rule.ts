import { looks } from '../stats/looks.ts';
import { compareVariants } from './compare.ts';
import { requestsPerSecond } from './metrics.ts';
import { type JournalSoFar, observe } from './observations.ts';

export interface StopDecision {
  readonly stop: boolean;
  /** How many comparisons of 2xx/s have no verdict after the rounds so far. */
  readonly undecided: number;
}

/**
 * Whether a run may stop after the rounds in the journal: only at a look, not before the scenario's `rounds.min`, and
 * only when 2xx/s of every variant under every load level is `higher`, `lower` or `same`. Budget and `rounds.max` are
 * the run's to heed. Reads no histogram, so it is cheap enough for every round.
 */
export function decideStop(journal: JournalSoFar): StopDecision {
  const observations = observe(journal);
  const findings = compareVariants(observations, [requestsPerSecond]);
  const undecided = findings.filter(({ verdict }) => verdict === 'unclear').length;
  const rounds = observations.rounds.length;
  const isLook = looks.includes(rounds) && rounds >= observations.scenario.rounds.min;
  return { stop: isLook && undecided === 0, undecided };
}
