import { loadLabel, underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatCount, formatTime, formatValue } from '../../judge/format.ts';
import { requestsPerSecond } from '../../judge/read/metrics/metrics.ts';
import { sum } from '../../judge/stats/moments.ts';
import type { Summary } from '../../judge/summary.ts';
import type { BulkSummary } from '../../judge/verdicts/averages.ts';
import { notesWords } from '../words/note-words.ts';
import { armName, nameColumn } from './arm-name.ts';
import { deltaCell } from './delta-cell.ts';
import { type Cell, right, type Table, weights } from './table.ts';

/** The bulk loads of one load level: how long they took, and whether everything has arrived. Null where it has none. */
export function bulkTable(summary: Summary, load: LoadLevel): Table | null {
  const loads = underLoad(summary.bulk, load);
  if (loads.length === 0) return null;
  return {
    title: 'Bulk loads',
    weight: weights.answer,
    columns: [nameColumn, ...['total time', 'documents', 'loaded', 'repeats', 'failed', 'in the database'].map(right)],
    rows: loads.map((one) => [
      { text: armName(one, summary) },
      { text: formatTime(one.totalMs) },
      { text: formatCount(one.documents) },
      { text: formatCount(one.loaded) },
      { text: formatCount(one.repeats) },
      failedCell(one),
      checkCell(one),
    ]),
    notes: [
      'Total time is the mean over rounds; counts are sums. A repeat is a document sent again after a refusal, an error or a timeout.',
      ...loads.flatMap((one) =>
        one.notes.length === 0 ? [] : [`[!] ${armName(one, summary)}: ${notesWords(one.notes, ', ')}.`],
      ),
    ],
  };
}

/** Every variant on one line: what it does to the load and what it does to each of the reads, with its indexes. */
export function sidesTable(summary: Summary): Table | null {
  const { loads, variants, control } = summary.run;
  if (summary.bulk.length === 0 || loads.length < 2) return null;
  const ofRate = (load: LoadLevel) =>
    underLoad(summary.comparisons, load).filter(({ metric }) => metric === requestsPerSecond.name);
  const rows = variants
    .filter((variant) => variant !== control)
    .map((variant): Cell[] => [
      { text: variant },
      ...loads.map((load) => deltaCell(ofRate(load).find((one) => one.variant === variant))),
      ...indexCells(summary, variant),
    ]);
  return {
    title: `2xx/s against ${control}: the load, and the reads that follow it`,
    weight: weights.answer,
    columns: [nameColumn, ...[...loads.map(loadLabel), 'index size', 'scans'].map(right)],
    rows,
    notes: [
      'Index size and scans (pg_stat_user_indexes) cover the indexes that the variant removes, hides or adds, over one arm’s life; removed and hidden ones are shown as in the control.',
    ],
  };
}

function indexCells(summary: Summary, variant: string): Cell[] {
  const own = summary.indexes.filter((one) => one.variant === variant);
  if (own.length === 0) return [{ text: '' }, { text: '' }];
  return [
    { text: `${formatValue(sum(own.map(({ bytes }) => bytes)) / 1024)} kB` },
    { text: formatCount(sum(own.map(({ scans }) => scans))) },
  ];
}

function failedCell({ failed }: BulkSummary): Cell {
  const parts = Object.entries(failed).map(([kind, count]) => `${formatCount(count)} x ${kind}`);
  return parts.length === 0 ? { text: '0' } : { text: parts.join(', '), tone: 'bad' };
}

function checkCell({ check, loaded, documents }: BulkSummary): Cell {
  if (check === null) return { text: 'not checked', tone: 'dim' };
  const parts = Object.entries(check).flatMap(([kind, count]) =>
    count === 0 ? [] : [`${formatCount(count)} ${kind}`],
  );
  if (parts.length > 0) return { text: parts.join(', '), tone: 'bad' };
  return { text: loaded === documents ? 'complete' : `the ${formatCount(loaded)} that were accepted` };
}
