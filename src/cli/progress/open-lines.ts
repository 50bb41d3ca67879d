import { groupBy } from '../../base/group-by.ts';
import { present } from '../../base/present.ts';
import { formatShare } from '../../base/units.ts';
import { loadLabel } from '../../journal/load-level.ts';
import type { FoundSoFar, OpenChoice, OpenEstimate } from '../../journal/open-estimate.ts';
import type { ConditionsRecord } from '../../journal/pass-records.ts';
import { formatSize } from '../../judge/format.ts';

/** Shares below this are as usual; CPU steal is always told where it is known. */
const WORTH_TELLING = 0.01;

/** An open comparison after a round, and its interval a round before; null where there was none. */
export interface Narrowing {
  readonly now: OpenEstimate;
  readonly before: OpenEstimate['interval'] | null;
}

/** Puts each open comparison beside itself a round before. */
export function narrowing(now: readonly OpenEstimate[], before: readonly Narrowing[]): Narrowing[] {
  const known = new Map(before.map((one) => [comparisonName(one.now), one.now.interval]));
  return now.map((one) => ({ now: one, before: known.get(comparisonName(one)) ?? null }));
}

/** A line for each open comparison, at most this many; the last one says how many more there are. */
export function openLines(open: readonly Narrowing[], round: number, mostLines: number): string[] {
  const shown = open.length <= mostLines ? open : open.slice(0, Math.max(0, mostLines - 1));
  const lines = shown.map(({ now, before }) => {
    const was = before === null ? '' : `, was ${intervalOf(before)}`;
    return `  ${estimateWords(now)}${was}; ${waitWords(now, round)}`;
  });
  return shown.length === open.length ? lines : [...lines, `  and ${open.length - shown.length} more open`];
}

/** `25 connections: 50 may still be up to 6.1 % better than 10; about 2 more rounds` */
export function choiceWords({ load, setting, rival, roundsNeeded }: OpenChoice, round: number): string {
  const open =
    rival === null
      ? `whether ${setting} is good enough is not decided yet`
      : `${rival.setting} may still be up to ${formatSize(rival.percent)} % better than ${setting}`;
  const more = roundsNeeded === null ? 0 : Math.max(1, roundsNeeded - round);
  const wait = roundsNeeded === null ? '' : `; about ${more} more round${more === 1 ? '' : 's'}`;
  return `${loadLabel(load)}: ${open}${wait}`;
}

/** Changes named in the line of a round, at most. */
const MOST_NAMED = 3;

/** `take 10 (25 connections, 50 connections); pool=25, 1 connection: +9.1 % [6.0, 12.3], and 2 more differ; 4 are the same`; empty of nothing. */
export function foundWords({ decided, differing, same }: FoundSoFar): string {
  const settings = groupBy(decided, ({ setting }) => setting).map(
    (own) => `${own[0]?.setting} (${own.map(({ load }) => loadLabel(load)).join(', ')})`,
  );
  const named = differing.slice(0, MOST_NAMED).map(estimateWords);
  const more = differing.length - named.length;
  return present([
    settings.length > 0 && `take ${settings.join(', ')}`,
    named.length > 0 && `${named.join('; ')}${more > 0 ? `, and ${more} more differ` : ''}`,
    same > 0 && `${same} ${same === 1 ? 'is' : 'are'} the same`,
  ]).join('; ');
}

/** `pool=25, 50 connections: +0.8 % [-6.3, +7.9]` */
export function estimateWords(one: Omit<OpenEstimate, 'roundsNeeded'>): string {
  return `${comparisonName(one)}: ${signed(one.deltaPercent)} % ${intervalOf(one.interval)}`;
}

/** The comparison whose interval is widest: what the run waits for. Null of none. */
export function widest(open: readonly OpenEstimate[]): OpenEstimate | null {
  const width = ({ interval: [low, high] }: OpenEstimate): number => high - low;
  return open.reduce<OpenEstimate | null>(
    (most, one) => (most === null || width(one) > width(most) ? one : most),
    null,
  );
}

type ShareName = 'stealShare' | 'foreignCpuShare' | 'throttledShare' | 'memoryPressureShare' | 'ioPressureShare';

/** `cpu steal 4.4 %, other programs 2 % of CPU`: the most of any of these passes; empty where nothing is known. */
export function machineWords(passes: readonly ConditionsRecord[]): string {
  const said = (name: ShareName, least: number, words: (share: string) => string): string | null => {
    const known = passes.flatMap((pass) => pass[name] ?? []);
    const most = Math.max(...known);
    return known.length === 0 || most < least ? null : words(formatShare(most));
  };
  return present([
    said('stealShare', 0, (share) => `cpu steal ${share}`),
    said('foreignCpuShare', WORTH_TELLING, (share) => `other programs ${share} of CPU`),
    said('throttledShare', WORTH_TELLING, (share) => `CPU limit used up ${share}`),
    said('memoryPressureShare', WORTH_TELLING, (share) => `waiting for memory ${share}`),
    said('ioPressureShare', WORTH_TELLING, (share) => `waiting for IO ${share}`),
  ]).join(', ');
}

function comparisonName({ variant, load }: Pick<OpenEstimate, 'variant' | 'load'>): string {
  return `${variant}, ${loadLabel(load)}`;
}

function waitWords({ roundsNeeded }: OpenEstimate, round: number): string {
  if (roundsNeeded === null) return 'open';
  const more = Math.max(1, roundsNeeded - round);
  return `${more} more round${more === 1 ? '' : 's'}`;
}

function intervalOf([low, high]: OpenEstimate['interval']): string {
  return `[${signed(low)}, ${signed(high)}]`;
}

function signed(percent: number): string {
  const text = percent.toFixed(1);
  if (Number(text) === 0) return '0.0';
  return percent > 0 ? `+${text}` : text;
}
