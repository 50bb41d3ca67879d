import { asSentence } from '../../base/present.ts';
import type { RunSummary } from '../../judge/verdicts/run-summary.ts';

type EarlyEnd = Pick<RunSummary, 'complete' | 'failed' | 'rounds'>;

/** How a run that did not end as planned ended, as a sentence; null where it ended as planned, or nothing is known. */
export function earlyEndWords({ complete, failed, rounds }: EarlyEnd): string | null {
  if (complete) return null;
  const covers = rounds > 0 ? ': this report covers what it had measured' : '';
  if (failed?.code === 'interrupted') return `The run was interrupted${covers}.`;
  if (failed === undefined) return rounds > 0 ? `The run ended early${covers}.` : null;
  const why = asSentence(failed.message.split('\n', 1).join(''));
  return `The run failed${covers}. ${/[.!?]$/.test(why) ? why : `${why}.`}`;
}

/** True for a run that ended by a mistake in what it keeps: it would fail again. */
export function wouldFailAgain({ complete, failed, rounds }: EarlyEnd): boolean {
  if (complete || failed === undefined || failed.code === 'interrupted' || failed.code === 'disk') return false;
  return rounds === 0 || failed.code === 'scenario' || failed.code === 'dataset';
}
