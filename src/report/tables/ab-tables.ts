import { formatCount, formatValue } from '../../analysis/format.ts';
import type { Average } from '../../analysis/judge/averages.ts';
import type { Summary } from '../../analysis/summary.ts';
import { loadLabel, underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { type AbFigures, abFiguresOf } from './ab-figures.ts';
import { armName, nameColumn } from './arm-name.ts';
import { type Cell, right, type Table, transpose } from './table.ts';
import { unfinishedWord } from './unfinished.ts';

/** Up to so many arms stand side by side. */
const MOST_COLUMNS = 5;

interface Figure {
  readonly head: string;
  /** Counts are there also where no request came back. */
  readonly isCount?: boolean;
  read(figures: AbFigures): number | null;
}

const requestFigures: readonly Figure[] = [
  { head: 'concurrency level', isCount: true, read: ({ concurrency }) => concurrency },
  { head: 'time taken, s', isCount: true, read: ({ seconds }) => seconds },
  { head: 'complete requests', isCount: true, read: ({ complete }) => complete },
  { head: 'failed requests', isCount: true, read: ({ failed }) => failed },
  { head: 'bytes received', isCount: true, read: ({ bytes }) => bytes },
  { head: 'requests per second', read: ({ perSecond }) => perSecond },
  { head: 'time per request, ms', read: ({ msPerRequest }) => msPerRequest },
  { head: 'the same across all, ms', read: ({ msAcross }) => msAcross },
  { head: 'KiB received per second', read: ({ kibPerSecond }) => kibPerSecond },
];

const timeFigures: readonly Figure[] = [
  { head: 'min', read: ({ total }) => total?.minMs ?? null },
  { head: 'mean', read: ({ total }) => total?.meanMs ?? null },
  { head: 'sd', read: ({ total }) => total?.sdMs ?? null },
  { head: 'median', read: ({ total }) => total?.medianMs ?? null },
  { head: 'max', read: ({ total }) => total?.maxMs ?? null },
];

/** The percentiles that `ab` prints. */
export const abPercents = ['50', '66', '75', '80', '90', '95', '98', '99', '100'] as const;

const percentFigures: readonly Figure[] = abPercents.map((percent) => ({
  head: `${percent} %`,
  read: ({ percentilesMs }) => percentilesMs?.[percent] ?? null,
}));

/** What of `ab`'s block is not measured, and why. */
export const NOT_MEASURED =
  'Total is the time from sending a request to the end of its answer. Connect is not measured, since connections stay open; Processing and Waiting are not told apart; bytes of the body alone and write errors are not counted by themselves.';

/** What `ab` prints of a run, for every arm side by side: counts and rates, times, percentiles. Three tables a load level. */
export function abTables(summary: Summary): Table[] {
  return summary.run.loads.flatMap((load) => tablesUnder(summary, load));
}

function tablesUnder(summary: Summary, load: LoadLevel): Table[] {
  const averages = underLoad(summary.averages, load).filter(({ repeat }) => !repeat);
  // A bulk load sends as many requests as there are documents, and has a table of its own.
  if (averages.length === 0 || load.bulk === true) return [];
  const tableOf = (title: string, figures: readonly Figure[], notes: readonly string[]): Table => {
    const table: Table = {
      title: `${title}, ${loadLabel(load)}`,
      columns: [nameColumn, ...figures.map(({ head }) => right(head))],
      rows: averages.map((average) => rowOf(average, figures, summary)),
      notes,
    };
    return averages.length <= MOST_COLUMNS ? transpose(table, 'metric') : table;
  };
  return [
    tableOf('Requests', requestFigures, []),
    tableOf('Total time of a request, ms', timeFigures, [NOT_MEASURED]),
    tableOf('Served within, ms', percentFigures, ['100 % is the longest request.']),
  ];
}

function rowOf(average: Average, figures: readonly Figure[], summary: Summary): Cell[] {
  const [values, word] = [abFiguresOf(average), unfinishedWord(average)];
  const cell = ({ isCount = false, read }: Figure): Cell => {
    const value = read(values);
    if (isCount) return { text: value !== null && Number.isInteger(value) ? formatCount(value) : formatValue(value) };
    return { text: word ?? formatValue(value) };
  };
  return [{ text: armName(average, summary) }, ...figures.map(cell)];
}
