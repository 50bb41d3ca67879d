import { formatChange, formatDelta } from '../../judge/format.ts';
import type { Flaky, MeanDiffers, OddStarts, Skewed } from '../../judge/odd-starts.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';

/** Skewed noise and its consequences; `ends`: the directions in which intervals reach further. */
export function skewedWords(ends: readonly string[]): string {
  return `noise is skewed, as by stalls at random times: all rounds count in full, and intervals reach further ${ends.join(', ')}`;
}

/** The direction in which an interval reaches further. */
export function endWord({ end }: Skewed): string {
  return end === 'low' ? 'down' : 'up';
}

/** A note on odd starts as a sentence without full stop. */
export function oddWords(note: Flaky | MeanDiffers): string {
  return `${whatWords(note)}; ${meanWords(note)}`;
}

/**
 * Words for a comparison without a verdict, with both its changes: `no verdict. Flaky: 3 of 15 starts were 38 to 42 % slower;
 * typical change -1.6 % [-4.7, +1.6], plain mean -9.8 % [-16.2, -3.0]`.
 */
export function noVerdictWords(
  note: Flaky | MeanDiffers,
  comparison: Pick<Comparison, 'deltaPercent' | 'interval'>,
): string {
  const what = `${note.kind === 'flaky' ? 'no verdict. ' : ''}${whatWords(note)}`;
  return `${what}; ${bothWords(note, comparison)}`;
}

/** `typical change -1.6 % [-4.7, +1.6], plain mean -9.8 % [-16.2, -3.0]` */
export function bothWords(
  note: Flaky | MeanDiffers,
  { deltaPercent, interval }: Pick<Comparison, 'deltaPercent' | 'interval'>,
): string {
  return `typical change ${changeWords(deltaPercent, interval)}, ${meanWords(note)}`;
}

/** `Flaky: 3 of 15 starts were 38 to 42 % slower` */
export function whatWords(note: Flaky | MeanDiffers): string {
  if (note.kind === 'flaky') return `Flaky: ${startsWords(note.odd)}`;
  return `no verdict: ${note.odd === null ? 'odd rounds move the mean' : startsWords(note.odd)}`;
}

function meanWords({ meanPercent, meanInterval }: Flaky | MeanDiffers): string {
  return `plain mean ${changeWords(meanPercent, meanInterval)}`;
}

function changeWords(percent: number | null, interval: readonly [number, number] | null): string {
  if (percent === null) return 'n/a';
  return interval === null ? formatDelta(percent) : formatChange(percent, interval);
}

/** `3 of 15 starts were 38 to 42 % slower` */
function startsWords({ side, of, rate, count, among, offPercent }: OddStarts): string {
  const whose = side === 'control' ? ' of the control' : '';
  const [least, most] = offPercent.map((percent) => sizeOf(percent));
  const size = least === most ? least : `${least} to ${most}`;
  const isLess = offPercent[0] < 0;
  const how = rate ? (isLess ? 'slower' : 'faster') : isLess ? 'lower' : 'higher';
  return `${count} of ${among} ${of}${whose} ${count === 1 ? 'was' : 'were'} ${size} % ${how}`;
}

/** Whole percents where there are ten of them. */
function sizeOf(percent: number): string {
  const size = Math.abs(percent);
  return size.toFixed(size < 9.95 ? 1 : 0);
}
