import { groupBy } from '../../base/group-by.ts';
import { visible } from '../../base/visible.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { formatDelta, plural, signed } from '../../judge/format.ts';
import type { Note } from '../../judge/notes.ts';
import type { DecisionResult } from '../../judge/verdicts/decision/decision-gate.ts';
import type { GateOutcome } from '../../judge/verdicts/gate.ts';
import type { GateResult } from '../../judge/verdicts/gates.ts';
import { notesWords } from './note-words.ts';

/** This many changes are named in the line of a gate, */
const MOST_NAMED = 2;
/** and this many of each gate on stderr; summary.json has all. */
const MOST_REASONS = 20;

const words: Readonly<Record<Exclude<GateOutcome, 'pass'>, string>> = { fail: 'fails', unclear: 'is unclear' };

/** A line for each gate: `Gate p99_ms < +10% fails for pool=25 at 50 connections: +18.0 % [+12.1, +24.9]; passes for 5.` */
export function gateLines(results: readonly GateResult<Note>[]): string[] {
  return groupBy(results, ({ gate }) => gate).map((all) => {
    const passing = all.filter(({ outcome }) => outcome === 'pass').length;
    const others = (['fail', 'unclear'] as const).flatMap((outcome) => {
      const named = all.filter((result) => result.outcome === outcome);
      if (named.length === 0) return [];
      const allowed = outcome === 'unclear' && !named.some(({ failed }) => failed) ? ' (allowed)' : '';
      return [`${words[outcome]}${allowed} for ${namedOf(named)}`];
    });
    const subject = all[0]?.kind === 'decision' ? 'load level' : 'change';
    const passes =
      passing === all.length
        ? `passes for ${passing === 1 ? `its one ${subject}` : `all ${passing}`}`
        : `passes for ${passing}`;
    return `Gate ${all[0]?.gate} ${[...others, ...(passing === 0 ? [] : [passes])].join('; ')}.`;
  });
}

/** A line for each change that keeps a gate from passing, the failed ones first; at most twenty a gate. */
export function gateReasons(results: readonly GateResult<Note>[]): string[] {
  return groupBy(results, ({ gate }) => gate).flatMap((all) => {
    const found = withoutPass(all);
    const left = found.length - MOST_REASONS;
    return [
      ...found.slice(0, MOST_REASONS).map((result) => visible(reason(result))),
      ...(left > 0 ? [visible(`gate ${all[0]?.gate}: ${left} more are in summary.json`)] : []),
    ];
  });
}

/** The failed ones first. */
export function withoutPass(results: readonly GateResult<Note>[]): GateResult<Note>[] {
  return (['fail', 'unclear'] as const).flatMap((outcome) => results.filter((result) => result.outcome === outcome));
}

function reason(result: GateResult<Note>): string {
  const { gate, outcome, variant, load } = result;
  const subject = result.kind === 'decision' ? loadLabel(load) : `${variant}, ${loadLabel(load)}`;
  const word = outcome === 'pass' ? 'passes' : words[outcome];
  const allowed = outcome === 'unclear' && !result.failed ? ' (allowed)' : '';
  const why = whyWords(result);
  return `gate ${gate} ${word}${allowed}: ${subject}: ${foundWords(result)}${why === '' ? '' : `; ${why}`}`;
}

function namedOf(results: readonly GateResult<Note>[]): string {
  const left = results.length - MOST_NAMED;
  const named = results.slice(0, MOST_NAMED).map((result) => {
    const { variant, load } = result;
    const subject = result.kind === 'decision' ? loadLabel(load) : `${variant} at ${loadLabel(load)}`;
    return `${subject}: ${foundWords(result)}${despiteWords(result)}`;
  });
  return left > 0 ? `${named.join(', ')} and ${left} more` : named.join(', ');
}

/** `, but loaded 90 % of the documents (control all)`: why a gate is unclear whose interval lies within the limit; else empty. */
function despiteWords(result: GateResult<Note>): string {
  if (result.kind === 'decision' || result.outcome !== 'unclear' || result.interval === null) return '';
  const { interval, limitPercent, notes } = result;
  // With its ends on both sides the interval says it all.
  const isAround = interval[0] < limitPercent && interval[1] > limitPercent;
  return isAround || notes.length === 0 ? '' : `, but ${notesWords(notes)}`;
}

/** `+18.0 % [+12.1, +24.9]`, or why there is no interval; of a decision `pool=25 is recommended`, or what may be. */
export function foundWords(result: GateResult<Note>): string {
  if (result.kind === 'decision') return decisionWords(result);
  const { deltaPercent, interval, limitPercent, notes } = result;
  const change = deltaPercent === null ? [] : [formatDelta(deltaPercent)];
  if (interval !== null) return [...change, intervalWords(interval, limitPercent)].join(' ');
  return [...change, ...(notes.length === 0 ? ['no interval'] : [notesWords(notes)])].join(', ');
}

function decisionWords({ outcome, variant, recommended, candidates, notes }: DecisionResult): string {
  if (recommended !== null)
    return `${recommended} is recommended${outcome === 'unclear' ? ', other load levels are not decided yet' : ''}`;
  if (candidates.length === 0) return notesWords(notes);
  const open = `not decided yet, ${candidates.join(' or ')}`;
  return outcome === 'fail' ? `${open}, but not ${variant}` : open;
}

/** Why a gate does not pass, and how long it would take; empty where what was found says it all. */
export function whyWords(result: GateResult<Note>): string {
  const { notes, moreMinutes } = result;
  const isSaid = result.kind === 'change' ? result.interval === null : result.candidates.length === 0;
  if (isSaid || notes.length === 0) return '';
  const wait = moreMinutes === null ? '' : ` (about ${plural(Math.max(1, Math.round(moreMinutes)), 'more minute')})`;
  return `${notesWords(notes)}${wait}`;
}

/** With the decimals that show on which side of the limit an end lies. */
function intervalWords(interval: readonly [number, number], limitPercent: number): string {
  let decimals = 1;
  const hidesSide = (end: number): boolean => end !== limitPercent && Number(end.toFixed(decimals)) === limitPercent;
  while (decimals < 3 && interval.some(hidesSide)) decimals++;
  return `[${interval.map((end) => signed(end, decimals)).join(', ')}]`;
}
