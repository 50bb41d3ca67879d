import { closedLoopClients, countsRequests, loadLabel, sizeLabel, underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { LatencySpread } from '../../judge/read/cells/latency-counts.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Average } from '../../judge/verdicts/averages.ts';
import { type AbFigures, abFiguresOf, abPercents } from '../tables/ab-tables.ts';
import { unfinishedWord } from '../tables/arm-name.ts';
import { classicRows } from './classic-rows.ts';

/** A bulk load sends one request for each document, with any number at once, and has its own tables. */
function armsUnder(averages: readonly Average[], load: LoadLevel): Average[] {
  return countsRequests(load) ? underLoad(averages, load).filter(({ repeat }) => !repeat) : [];
}

/** A block of ab describes one process. Other tables combine the control's two arms. */
function hasTwin(averages: readonly Average[], { variant, load }: Average): boolean {
  return underLoad(averages, load).some((one) => one.repeat && one.variant === variant);
}

/** Shown in place of a figure that was not measured. */
const UNKNOWN = 'not measured';

/** A line a load level: `900 req, 30 parallel => v5: 5.35req/sec, v6: timeout`; without the number where load goes by time. */
export function abSummary(summary: Summary): string[] {
  const { run } = summary;
  return run.loads.flatMap((load) => {
    const rows = countsRequests(load) ? classicRows(summary, load) : [];
    if (rows.length === 0) return [];
    const rates = rows.map((row) => {
      const rate = row.value('requests_per_s');
      return `${row.variant}: ${row.word ?? (rate === null ? 'n/a' : `${rate.toFixed(2)}req/sec`)}`;
    });
    const clients = closedLoopClients(load);
    const parallel = clients === null ? sizeLabel(load) : `${clients} parallel`;
    const count = run.bounded === undefined ? '' : `${run.bounded.count} req, `;
    return [`${count}${parallel} => ${rates.join(', ')}`];
  });
}

/** A block of text for every variant under every load level, as `ab` prints it. */
export function abBlocks({ run, averages }: Summary): { readonly title: string; readonly text: string }[] {
  return run.loads.flatMap((load) =>
    armsUnder(averages, load).map((average) => ({
      title: `${average.variant}${hasTwin(averages, average) ? ' (the first of its two arms)' : ''}, ${loadLabel(load)}`,
      text: [
        ...counts(abFiguresOf(average), unfinishedWord(average)),
        '',
        ...times(abFiguresOf(average)),
        '',
        ...percentiles(abFiguresOf(average)),
      ].join('\n'),
    })),
  );
}

function counts(figures: AbFigures, word: string | null): string[] {
  const number = (value: number | null, digits: number, unit: string): string =>
    value === null ? (word ?? 'n/a') : `${value.toFixed(digits)} ${unit}`;
  const lines: readonly (readonly [string, string])[] = [
    ['Concurrency Level:', String(figures.concurrency ?? 'n/a')],
    ['Time taken for tests:', figures.seconds === null ? 'n/a' : `${figures.seconds.toFixed(3)} seconds`],
    ['Complete requests:', String(figures.complete ?? 'n/a')],
    ['Failed requests:', String(figures.failed ?? 'n/a')],
    ['Write errors:', UNKNOWN],
    ['Total transferred:', figures.bytes === null ? 'n/a' : `${figures.bytes} bytes`],
    ['HTML transferred:', UNKNOWN],
    ['Requests per second:', number(figures.perSecond, 2, '[#/sec] (mean)')],
    ['Time per request:', number(figures.msPerRequest, 3, '[ms] (mean)')],
    ['Time per request:', number(figures.msAcross, 3, '[ms] (mean, across all concurrent requests)')],
    ['Transfer rate:', number(figures.kibPerSecond, 2, '[Kbytes/sec] received')],
  ];
  return lines.map(([label, value]) => `${label.padEnd(24)}${value}`);
}

function times({ total, parts }: AbFigures): string[] {
  const row = (label: string, values: LatencySpread | null | undefined): string => {
    if (values == null) return `${label.padEnd(12)} ${UNKNOWN}`;
    const [min, mean, median, max] = [values.minMs, values.meanMs, values.medianMs, values.maxMs].map(short);
    const cells = [min, mean, values.sdMs.toFixed(1), median, max];
    return [label.padEnd(11), ...cells.map((cell = '') => cell.padStart(7))].join(' ');
  };
  return [
    'Connection Times (ms)',
    `${''.padEnd(11)} ${['min', 'mean', '[+/-sd]', 'median', 'max'].map((head) => head.padStart(7)).join(' ')}`,
    row('Connect:', parts?.connect),
    row('Processing:', parts?.processing),
    row('Waiting:', parts?.waiting),
    row('Total:', total),
  ];
}

function percentiles({ percentilesMs }: AbFigures): string[] {
  const title = 'Percentage of the requests served within a certain time (ms)';
  if (percentilesMs === null) return [title, `  ${UNKNOWN}`];
  const lines = abPercents.map((percent) => {
    const longest = percent === '100' ? ' (longest request)' : '';
    return `${percent.padStart(4)}% ${short(percentilesMs[percent] ?? 0).padStart(7)}${longest}`;
  });
  return [title, ...lines];
}

/** Whole milliseconds as ab prints them; below 10 with decimals. */
function short(ms: number): string {
  if (ms === 0) return '0';
  return ms >= 9.95 ? String(Math.round(ms)) : ms.toFixed(ms >= 0.995 ? 1 : 2);
}
