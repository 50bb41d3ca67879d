import { loadLabel } from '../../journal/load-level.ts';
import { formatDelta, formatInterval } from '../../judge/format.ts';
import type { RateTrend } from '../../judge/notes.ts';
import { someNames } from './short-name.ts';

/** So many trends and variants are named. */
const MOST_NAMED = 3;

/** Rates that still moved, in one line: the largest, and which changes depend on how long a variant runs. */
export function trendWords(trends: readonly RateTrend[]): string {
  const more = trends.length - MOST_NAMED;
  const said = [...trends.slice(0, MOST_NAMED).map(oneWords), ...(more > 0 ? [`${more} more`] : [])].join('; ');
  const variants = [...new Set(trends.flatMap(({ variant }) => variant ?? []))];
  if (variants.length === 0) return `the rate still moved after the warm-up: ${said}`;
  return `the rate still moved after the warm-up: ${said}; the change of ${someNames(variants, MOST_NAMED)} depends on how long it runs`;
}

/** `25 connections: pool=50 -4.1 % over a slice, the control +0.2 %` */
function oneWords({ load, variant, percent, controlPercent, interval }: RateTrend): string {
  const where = load === null ? '' : `${loadLabel(load)}: `;
  const over = load === null ? 'from the start to the end of a round' : 'over a slice';
  if (variant === null || controlPercent === undefined) {
    return `${where}all arms ${formatDelta(percent)} ${formatInterval(interval)} ${over}`;
  }
  return `${where}${variant} ${formatDelta(percent)} ${over}, the control ${formatDelta(controlPercent)}`;
}
