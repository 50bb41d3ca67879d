import { formatDuration } from '../../base/units.ts';
import { underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatValue } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import { longestWords } from '../words/beside-words.ts';
import { nameColumn } from './arm-name.ts';
import { deltaCell } from './delta-cell.ts';
import { type Cell, right, type Table, weights } from './table.ts';

/** Requests beside each variant's job against those just before it, with the job's time. Null where none ran beside any. */
export function besideTable(summary: Summary, load: LoadLevel): Table | null {
  const changes = underLoad(summary.beside ?? [], load);
  if (changes.length === 0) return null;
  const averages = underLoad(summary.averages, load).filter(({ repeat }) => !repeat);
  const rows = summary.run.variants.map((variant): Cell[] => {
    const of = (metric: string) => changes.find((one) => one.variant === variant && one.metric === metric);
    const [longest, rate, p99] = [of('longest_wait_ms'), of('requests_per_s'), of('latency_p99_ms')];
    const jobMs = averages.find((one) => one.variant === variant)?.durationMs ?? null;
    const asChange = (one: typeof rate): Cell => deltaCell(one && { ...one, control: one.without });
    return [
      { text: variant === summary.run.control ? `${variant} (control)` : variant },
      { text: jobMs === null ? 'n/a' : formatDuration(jobMs) },
      { text: longest === undefined ? 'n/a' : longestWords(longest) },
      { text: longest?.without == null ? 'n/a' : formatDuration(longest.without) },
      asChange(rate),
      { text: formatValue(rate?.without ?? null) },
      asChange(p99),
    ];
  });
  return {
    title: 'Requests beside the job, against those just before it',
    weight: weights.answer,
    columns: [
      nameColumn,
      ...['job', 'longest wait', 'without the job', '2xx/s', 'without the job', 'p99'].map((head) => right(head)),
    ],
    rows,
    notes: [
      'Just before: the same connections and requests in the same round and process, for as long as the job took in the round before. Every request that was under way while the job ran counts, answered or not.',
    ],
  };
}
