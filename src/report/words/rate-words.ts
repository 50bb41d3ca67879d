import { present } from '../../base/present.ts';
import { traitsOf } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatCount, formatValue } from '../../judge/format.ts';
import type { Average } from '../../judge/verdicts/averages.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { labelOf } from './judged.ts';

/** Less than this share of what was due, answered in its time, is no chance of the last requests of a slice. */
const KEPT_UP = 0.98;

/** What a reader must know of an open loop: who did not keep up with the rate, what was not sent, and how late requests were sent. */
export function openLoopNotes(
  averages: readonly Average[],
  load: LoadLevel,
  nameOf: (average: Average) => string,
): string[] {
  if (!traitsOf(load).isOpenLoop) return [];
  const behind = averages.flatMap((average) => {
    const [answered, due] = [average.metrics.requests_per_s, duePerSecond(average)];
    if (answered === null || due === 0 || answered >= KEPT_UP * due) return [];
    return [`${nameOf(average)} ${formatValue(answered)} of ${formatValue(due)}/s`];
  });
  const unsent = averages.flatMap((average) =>
    average.unsent ? [`${nameOf(average)} ${formatCount(average.unsent)} of ${formatCount(dueOf(average))}`] : [],
  );
  const lags = averages.flatMap(({ sendLagP99Ms }) => sendLagP99Ms ?? []);
  const isLate = averages.some(({ voided }) => (voided['send lag'] ?? 0) > 0);
  return present([
    'Latency counts from the moment at which a request was due. 2xx/s is the rate that was asked for as long as the service keeps up, and no result.',
    behind.length > 0 &&
      `[!] Falls short of the rate: ${behind.join('; ')}. Its queue grows for as long as the load lasts, and latency with it.`,
    unsent.length > 0 &&
      `[!] Due and not sent, since load.inFlight requests were under way (they have failed): ${unsent.join('; ')}.`,
    lags.length > 0 && `99 of 100 requests were sent at most ${formatValue(Math.max(...lags))} ms after they were due.`,
    // Of load levels, which a search for capacities has none of: there the limit in question counts, too.
    isLate &&
      'send lag: requests were sent more than 2 ms late, and by more than a tenth of the median latency, so that the load generator is in the latencies; a lower load.rate or another machine for the service leaves it room.',
  ]);
}

function dueOf({ ok, not_ok, errors, timeouts, unsent = 0 }: Average): number {
  return ok + not_ok + errors + timeouts + unsent;
}

function duePerSecond(average: Average): number {
  return average.windowMs === 0 ? 0 : (1000 * dueOf(average)) / average.windowMs;
}

/** Where the control counted nothing: how much more there is, since there is no percentage. */
export function fromNoneWords(deltas: readonly Comparison[]): string[] {
  const rates = deltas.flatMap(({ variant, metric, value, rateInterval }) => {
    if (rateInterval === undefined || value === null) return [];
    const label = labelOf(metric);
    const [low, high] = rateInterval.map(formatValue);
    return [`${label} of ${variant} +${formatValue(value)}/s (${low} to ${high})`];
  });
  return rates.length === 0 ? [] : [`The control had none: ${rates.join(', ')}.`];
}
