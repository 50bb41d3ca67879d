import { present } from '../../base/present.ts';
import { formatShare } from '../../base/units.ts';
import { traitsOf } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatCount, formatDelta, formatValue, plural, signed } from '../../judge/format.ts';
import { requestsPerSecond } from '../../judge/read/metrics/metrics.ts';
import type { LevelPasses } from '../../judge/read/rounds/passes.ts';
import type { Average } from '../../judge/verdicts/averages.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { labelOf } from './judged.ts';
import { countsBy } from './note-words.ts';

/** How the arms of a load level took turns, and what turns may have hidden of its changes, in sentences. */
export function turnWords([level]: readonly LevelPasses[], changes: readonly Comparison[]): string[] {
  if (level === undefined) return [];
  const { turnMs, turnsPerArm, sliceMs, gapMaxMs, reopened, countedShare } = level;
  const parts = present([
    turnMs && turnsPerArm && `Turns of ${range(turnMs)} ms, ${range(turnsPerArm)} an arm a round${together(sliceMs)}`,
    gapMaxMs !== null && `at most ${(gapMaxMs / 1000).toFixed(1)} s between two turns of an arm`,
    countedShare !== null && `${formatShare(countedShare)} of the time of its passes counted`,
    reopened > 0 &&
      `${plural(reopened, 'connection')} opened again that the service had closed while idle, or would have soon`,
  ]);
  return present([
    parts.length > 0 && `${parts.join('; ')}.`,
    gapWords(level),
    outlastWords(level, changes),
    mixWords(level),
  ]);
}

/** How much turns may have hidden at most; null where that is not known. */
function gapWords({ turnGap }: LevelPasses): string | null {
  if (turnGap === null) return null;
  const { percent, errorPercent } = turnGap;
  const most = Math.abs(percent) + 2 * (errorPercent ?? 0);
  return `Rates by requests sent and by answers within turns differ by at most ${most.toFixed(1)} % (${formatDelta(percent)} in the arm where they differ most).`;
}

/** The range that a variant's rate is in where its turns hid waits; null where no answer outlasts a turn, or nothing is known. */
function outlastWords(
  { turnGap, longestMs, turnMs, sliceMs }: LevelPasses,
  changes: readonly Comparison[],
): string | null {
  const length = turnMs ?? sliceMs;
  const outlast =
    longestMs !== null && length !== null && longestMs > length.least
      ? `Answers of up to ${(longestMs / 1000).toFixed(2)} s outlast turns of ${(length.least / 1000).toFixed(2)} s`
      : null;
  const ranges = changes.flatMap(({ variant, metric, interval, notes }) => {
    const isRange = notes.some((note) => note.kind === 'outlast-turns' && note.byTurnsPercent !== null);
    if (metric !== requestsPerSecond.name || interval === null || !isRange) return [];
    return [`the rate of ${variant} is between ${interval.map((end) => signed(end, 1)).join(' and ')} %`];
  });
  if (ranges.length === 0) return turnGap && outlast && `${outlast}.`;
  return `${outlast ?? 'Turns hide waits'}: ${ranges.join(', ')}.`;
}

/** The kind of request that shows that what counts is another mix than the one drawn; null where none does for certain. */
function mixWords({ mixGap }: LevelPasses): string | null {
  if (mixGap === null) return null;
  const { request, sentShare, withinShare, drawnShare } = mixGap;
  const drawn = drawnShare === null ? '' : ` (${formatShare(drawnShare)} by its weight)`;
  return `${request} was ${formatShare(sentShare)} of the requests sent${drawn} and ${formatShare(withinShare)} of the answers within turns: turns are too short for queues to fill.`;
}

/** Work of background processes for all arms of a load level together; none where each arm has its own server. */
export function sharedWords([level]: readonly LevelPasses[], unit: string): string[] {
  const shared = level?.shared ?? null;
  if (shared === null || shared.requests === 0) return [];
  const { cpuMs, dataBytes, walBytes, requests } = shared;
  const [cpu, data, wal] = [cpuMs, dataBytes, walBytes].map((amount) => formatValue(amount / requests));
  return [
    `All arms share a Postgres server. Its background processes (walwriter, checkpointer, background writer) used ${cpu} ms of CPU a ${unit}. ${data} bytes of data files a ${unit} were written, and ${wal} bytes of WAL between turns. They count for no arm.`,
  ];
}

/** The range of slice lengths, where the run has set them by itself. */
function together(sliceMs: LevelPasses['sliceMs']): string {
  if (sliceMs === null || sliceMs.least === sliceMs.most) return '';
  return `, together ${(sliceMs.least / 1000).toFixed(1)} to ${(sliceMs.most / 1000).toFixed(1)} s`;
}

export function range({ least, most }: { readonly least: number; readonly most: number }): string {
  return least === most ? formatCount(least) : `${formatCount(least)} to ${formatCount(most)}`;
}

/** Notes on how the arms of a load level were measured: discarded slices, arms that were not steady. */
export function validityNotes(averages: readonly Average[], nameOf: (average: Average) => string): string[] {
  const voided = averages.flatMap((average) => {
    const reasons = countsBy(average.voided);
    return reasons === '' ? [] : [`${nameOf(average)} ${reasons}`];
  });
  const unsteady = averages.flatMap((average) =>
    average.notSteady === 0 ? [] : [`${nameOf(average)} in ${plural(average.notSteady, 'round')}`],
  );
  return present([
    voided.length > 0 && `Discarded slices, by reason: ${voided.join('; ')}.`,
    unsteady.length > 0 &&
      `Not steady when the warm-up ended (the rate still drifted from the other arms'): ${unsteady.join('; ')}.`,
  ]);
}

/**
 * Less than this share of what was due, answered in its time, is no chance of a queue that is longer at the end of a slice:
 * of a service that is busy 90 % of the time, at 200 requests/s, one round of 6 s in 200 has less.
 */
const KEPT_UP = 0.96;

/**
 * Notes on an open loop: which arms did not keep up with the rate, what was not sent, and how late requests were sent.
 */
export function openLoopNotes(
  averages: readonly Average[],
  load: LoadLevel,
  nameOf: (average: Average) => string,
): string[] {
  if (!traitsOf(load).isOpenLoop) return [];
  const behind = averages.flatMap((average) => {
    const { metrics, ok, not_ok } = average;
    const due = duePerSecond(average);
    if (metrics.requests_per_s === null || ok === 0) return [];
    // What failed was answered, too.
    const answered = (metrics.requests_per_s * (ok + not_ok)) / ok;
    if (due === 0 || answered >= KEPT_UP * due) return [];
    return [`${nameOf(average)} ${formatValue(answered)} of ${formatValue(due)}/s`];
  });
  const unsent = averages.flatMap((average) =>
    average.unsent ? [`${nameOf(average)} ${formatCount(average.unsent)} of ${formatCount(dueOf(average))}`] : [],
  );
  const lags = averages.flatMap(({ sendLagP99Ms }) => sendLagP99Ms ?? []);
  const isLate = averages.some(({ voided }) => (voided['send lag'] ?? 0) > 0);
  return present([
    'Latency counts from the moment when a request was due. As long as the service keeps up, 2xx/s is the rate of the scenario, not a result.',
    behind.length > 0 &&
      `[!] Falls short of the rate: ${behind.join('; ')}.${unsent.length > 0 ? '' : ' Its queue grows as long as the load lasts, and latency grows with it.'}`,
    unsent.length > 0 &&
      `[!] Due but not sent, since load.inFlight requests were under way (they count as failed): ${unsent.join('; ')}.`,
    lags.length > 0 && `99 of 100 requests were sent at most ${formatValue(Math.max(...lags))} ms after they were due.`,
    // Of load levels, which a search for capacities has none of: there the limit in question counts, too.
    isLate &&
      'send lag: requests were sent more than 2 ms late, and by more than a tenth of the median latency, so latencies include the load generator. Use a lower load.rate, or run the service on another machine.',
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
