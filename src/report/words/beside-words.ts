import { formatDuration } from '../../base/units.ts';
import { formatChange } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import type { BesideChange } from '../../judge/verdicts/beside.ts';
import { noteWords } from './note-words.ts';
import { shortName } from './short-name.ts';

/** Variants that have a sentence. */
const MOST_LINES = 6;
const MOST_CHARACTERS = 60;

/** A sentence for each variant: how long requests wait beside its job, and what that does to 2xx/s. Empty without such a job. */
export function besideLines({ beside = [], run }: Summary, most = Number.POSITIVE_INFINITY): string[] {
  const longest = beside.filter(({ metric }) => metric === 'longest_wait_ms');
  const lines = longest.slice(0, most).map((one) => {
    const rate = beside.find(
      ({ metric, variant, load }) => metric === 'requests_per_s' && variant === one.variant && load === one.load,
    );
    const name = shortName(one.variant, run, MOST_CHARACTERS);
    const [failed] = one.notes.filter(({ kind }) => kind === 'not-through');
    if (failed !== undefined) return `${name}: ${noteWords(failed)}.`;
    const before = one.without === null ? '' : `, without the job up to ${formatDuration(one.without)}`;
    return `${name}: requests wait up to ${longestWords(one)}${before}${rate === undefined ? '' : rateWords(rate)}.`;
  });
  const more = longest.length - lines.length;
  return more === 0 ? lines : [...lines, `${more} more variants are in the table.`];
}

export function shortBesideLines(summary: Summary): string[] {
  return besideLines(summary, MOST_LINES);
}

/** `1.9 s [1.6, 2.3]`, with the interval in the unit of the value; `n/a` without a value. */
export function longestWords({ value, valueInterval }: Pick<BesideChange, 'value' | 'valueInterval'>): string {
  if (value === null) return 'n/a';
  const interval = valueInterval === null ? '' : ` [${valueInterval.map((end) => inUnitOf(value, end)).join(', ')}]`;
  return `${formatDuration(value)}${interval}`;
}

/** A time without its unit, which is that of `value` as people read it. */
function inUnitOf(value: number, ms: number): string {
  return value < 1000 ? String(Math.round(ms)) : (ms / 1000).toFixed(1);
}

function rateWords({ deltaPercent, interval, verdict }: BesideChange): string {
  if (deltaPercent === null || interval === null || verdict === 'noise' || verdict === 'unfit') return '';
  return verdict === 'same' ? '; 2xx/s stays the same' : `; 2xx/s ${formatChange(deltaPercent, interval)}`;
}
