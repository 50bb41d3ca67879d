import { formatDelta, formatInterval, plural } from '../../analysis/format.ts';
import type { GateOutcome, GateResult } from '../../analysis/judge/gates.ts';
import type { Note } from '../../analysis/notes.ts';
import { groupBy } from '../../base/group-by.ts';
import { visible } from '../../base/visible.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { notesWords } from './note-words.ts';

/** So many changes are named in the line of a gate, */
const MOST_NAMED = 2;
/** and so many of each gate on stderr; summary.json has all. */
const MOST_REASONS = 20;

const words: Readonly<Record<Exclude<GateOutcome, 'pass'>, string>> = { fail: 'fails', unclear: 'is unclear' };

/** A line for each gate: `Gate p99_ms < +10% fails for pool=25 at 50 connections: +18.0 % [+12, +25]; passes for 5.` */
export function gateLines(results: readonly GateResult<Note>[]): string[] {
  return groupBy(results, ({ gate }) => gate).map((all) => {
    const passing = all.filter(({ outcome }) => outcome === 'pass').length;
    const others = (['fail', 'unclear'] as const).flatMap((outcome) => {
      const named = all.filter((result) => result.outcome === outcome);
      if (named.length === 0) return [];
      const allowed = outcome === 'unclear' && !named.some(({ failed }) => failed) ? ' (allowed)' : '';
      return [`${words[outcome]}${allowed} for ${namedOf(named)}`];
    });
    const passes =
      passing === all.length
        ? `passes for ${passing === 1 ? 'its one change' : `all ${passing}`}`
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
  const word = outcome === 'pass' ? 'passes' : words[outcome];
  const allowed = outcome === 'unclear' && !result.failed ? ' (allowed)' : '';
  const why = whyWords(result);
  return `gate ${gate} ${word}${allowed}: ${variant}, ${loadLabel(load)}: ${changeWords(result)}${why === '' ? '' : `; ${why}`}`;
}

function namedOf(results: readonly GateResult<Note>[]): string {
  const left = results.length - MOST_NAMED;
  const named = results.slice(0, MOST_NAMED).map((result) => {
    const { variant, load } = result;
    return `${variant} at ${loadLabel(load)}: ${changeWords(result)}`;
  });
  return left > 0 ? `${named.join(', ')} and ${left} more` : named.join(', ');
}

/** `+18.0 % [+12, +25]`, or why there is no interval. */
export function changeWords({ deltaPercent, interval, notes }: GateResult<Note>): string {
  const change = deltaPercent === null ? [] : [formatDelta(deltaPercent)];
  if (interval !== null) return [...change, formatInterval(interval)].join(' ');
  return [...change, ...(notes.length === 0 ? ['no interval'] : [notesWords(notes)])].join(', ');
}

/** Why a change with an interval does not pass, and how long it would take; empty where the interval says it all. */
export function whyWords({ interval, notes, moreMinutes }: GateResult<Note>): string {
  if (interval === null || notes.length === 0) return '';
  const wait = moreMinutes === null ? '' : ` (about ${plural(Math.max(1, Math.round(moreMinutes)), 'more minute')})`;
  return `${notesWords(notes)}${wait}`;
}
