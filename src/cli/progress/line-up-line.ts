import { groupBy } from '../../base/group-by.ts';
import { present } from '../../base/present.ts';
import type { Left, LeftCell } from '../../journal/left-records.ts';
import { loadLabel } from '../../journal/load-level.ts';
import type { SearchSoFar } from '../../journal/open-estimate.ts';
import { formatChange, formatSize, plural } from '../../judge/format.ts';
import type { RunEvent } from '../../measure/run/events.ts';

type LineUpEvent = Extract<RunEvent, { kind: 'arms-left' | 'proposed' | 'refused' }>;

/** Names of proposed settings that are longer together, in characters, are counted. */
const MOST_NAMED = 300;

/** The line about what the next rounds measure. */
export function lineUpLine(event: LineUpEvent): string {
  switch (event.kind) {
    case 'arms-left':
      return present([decidedLine(event.gone), leftLine(event.gone), backLine(event.back)]).join('; ');
    case 'refused':
      return `${event.variant} was refused, and the round begins again without it: ${event.reason}`;
    case 'proposed': {
      const all = event.variants.join(event.variants.some((name) => name.includes(', ')) ? '; ' : ', ');
      // The report names the values of many factors.
      const names = all.length > MOST_NAMED ? plural(event.variants.length, 'setting') : all;
      if (event.parts !== undefined) {
        const { changes } = event;
        const without = changes ? `each of ${changes.measured} of its ${changes.of} changes` : 'each of its changes';
        return `it is decided which setting to take; the next rounds measure it without ${without}, too, to see what each gives`;
      }
      if (event.stage === 'search') return `the next round tries ${names}`;
      const confirmed =
        names === '' ? 'the control alone, since no other setting is left,' : `${names} and the control`;
      return `the search is over: from here on ${confirmed} in fresh rounds, which alone count`;
    }
  }
}

/** `best so far pool=12, about +18 % [+9.1, +27.0]; the best of all may be 2.1 % better` */
export function searchWords({ best, percent, range, gainPercent }: SearchSoFar): string {
  const found = `best so far ${best}, about ${formatChange(percent, range)}`;
  return `${found}; the best of all may be ${formatSize(gainPercent)} % better`;
}

/** `from here on without 1 connection: it is decided which setting to take there` */
function decidedLine({ levels }: Left): string | null {
  if (levels.length === 0) return null;
  return `from here on without ${levelWords(levels)}: it is decided which setting to take there`;
}

/** `from here on without pool=2 (25 connections, 50 connections): another is better by more than the margin` */
function leftLine({ cells }: Left): string | null {
  if (cells.length === 0) return null;
  return `from here on without ${cellWords(cells)}: another is better by more than the margin`;
}

function backLine({ cells, levels }: Left): string | null {
  const back = present([levels.length > 0 && levelWords(levels), cells.length > 0 && cellWords(cells)]);
  return back.length === 0 ? null : `measured again from here on: ${back.join(', ')}`;
}

function levelWords(levels: Left['levels']): string {
  return levels.map(({ load }) => loadLabel(load)).join(', ');
}

function cellWords(cells: readonly LeftCell[]): string {
  const byVariant = groupBy(cells, ({ variant }) => variant);
  const each = byVariant.map((own) => `${own[0]?.variant} (${own.map(({ load }) => loadLabel(load)).join(', ')})`);
  return each.join(', ');
}
