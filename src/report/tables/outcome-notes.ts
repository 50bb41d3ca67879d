import { countOk } from '../../journal/outcomes.ts';
import { formatCount, plural } from '../../judge/format.ts';
import { nothingUncounted } from '../../judge/read/cells/uncounted.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Average } from '../../judge/verdicts/averages.ts';
import { notesWords } from '../words/note-words.ts';
import { armName } from './arm-name.ts';

/** True if the answers that count are those with any 2xx; false if `expect` counts others, or refused some for their body. */
export function countsAny2xx({ ok, outcomes }: Pick<Average, 'ok' | 'outcomes'>): boolean {
  return ok === countOk({ outcomes: { statuses: outcomes, errors: 0, timeouts: 0 } });
}

/** The split by status where there is more to see than the counts of 2xx and others. */
export function statusNotes(averages: readonly Average[], summary: Summary): string[] {
  const split = averages.some(
    ({ outcomes, errors, timeouts, unsent = 0 }) => Object.keys(outcomes).length > 1 || errors + timeouts + unsent > 0,
  );
  if (!split) return [];
  const lines = averages.map((average) => `${armName(average, summary)} ${outcomesWords(average.outcomes, average)}`);
  const expected = averages.every(countsAny2xx) ? '' : ' 2xx/s counts answers as expected.';
  return [`Answers by status: ${lines.join('; ')}.${expected}`];
}

/** `4,012 x 200 + 3 x 500 + 2 errors + 1 timeout` */
function outcomesWords(
  statuses: Readonly<Record<string, number>>,
  { errors, timeouts, unsent = 0 }: Pick<Average, 'errors' | 'timeouts' | 'unsent'>,
): string {
  const parts = Object.entries(statuses).map(([status, count]) => `${formatCount(count)} x ${status}`);
  if (errors > 0) parts.push(plural(errors, 'error'));
  if (timeouts > 0) parts.push(plural(timeouts, 'timeout'));
  if (unsent > 0) parts.push(`${formatCount(unsent)} not sent`);
  return parts.join(' + ');
}

/** Notes on failures where nothing else is counted, each beside all answers of that time. */
export function uncountedNotes(averages: readonly Average[], summary: Summary): string[] {
  const places = [
    ['in the warm-up, in the first part of turns, or under way at their ends', ({ uncounted }: Average) => uncounted],
    ['in discarded slices', ({ discarded }: Average) => discarded],
  ] as const;
  return places.flatMap(([where, outcomesOf]) => {
    const lines = averages.flatMap((average) => {
      const { failed, requests, ...outcomes } = outcomesOf(average) ?? nothingUncounted;
      if (failed === 0) return [];
      const share = `${formatCount(failed)} of ${formatCount(requests)} (${outcomesWords(outcomes.statuses, outcomes)})`;
      return [`${armName(average, summary)} ${share}`];
    });
    return lines.length === 0 ? [] : [`Failed ${where}: ${lines.join('; ')}.`];
  });
}

/** A line for each variant that looks better than it is. Without a slice that counts it has no number that looks like anything. */
export function failureNotes(averages: readonly Average[]): string[] {
  return averages.flatMap(({ variant, notes, rounds }) => {
    const shown = notes.filter(({ kind }) => rounds > 0 || kind !== 'more-uncounted-failures');
    if (shown.length === 0) return [];
    return [`[!] ${variant}: ${notesWords(shown, ', ')}. Faster because it failed is not faster.`];
  });
}
