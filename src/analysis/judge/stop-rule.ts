import { looks } from '../../stats/looks.ts';
import { type JournalSoFar, observe } from '../read/aggregate-run.ts';
import { requestsPerSecond } from '../read/metrics/metrics.ts';
import { compareVariants } from './compare.ts';
import { minimumDetectablePercent } from './noise.ts';
import { isQuotable, isSettled } from './settled.ts';

export interface StopDecision {
  readonly stop: boolean;
  /** How many comparisons of 2xx/s the run goes on for. */
  readonly undecided: number;
  /** The smallest change of 2xx/s in percent that can be seen by now; null where none can yet. */
  readonly detectablePercent: number | null;
}

interface StopOptions {
  /** Go on until every change is known closely enough to quote its size, not only its direction. */
  readonly size: boolean;
}

/**
 * Whether a run may stop after the rounds in the journal: only at a look, not before the scenario's `rounds.min`, and
 * only when 2xx/s of every variant under every load level is `higher`, `lower` or `same`; with `size` when its interval
 * is narrow besides. Waiting for a width does no harm to the error: a look that does not stop was allowed for. Budget
 * and `rounds.max` are the run's to heed. Reads no histogram and needs no probe record, so it is cheap enough for every
 * round.
 */
export function decideStop(journal: JournalSoFar, options: StopOptions = { size: false }): StopDecision {
  const observations = observe(journal, { latencies: 'left alone' });
  const findings = compareVariants(observations, requestsPerSecond);
  const open = findings.filter((finding) => !isSettled(finding) || (options.size && !isQuotable(finding)));
  const rounds = observations.rounds.length;
  const isLook = looks.includes(rounds) && rounds >= observations.scenario.rounds.min;
  return {
    stop: isLook && open.length === 0,
    undecided: open.length,
    detectablePercent: observations.quick ? null : minimumDetectablePercent(findings),
  };
}
