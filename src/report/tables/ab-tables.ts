import { closedLoopClients, countsRequests, loadLabel, underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatCount, formatValue } from '../../judge/format.ts';
import { type LatencySpread, type PartSpreads, spreadOf } from '../../judge/read/cells/latency-counts.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Average } from '../../judge/verdicts/averages.ts';
import { armName, counted, nameColumn, unfinishedWord } from './arm-name.ts';
import { type Cell, right, type Table, transpose } from './table.ts';

/** At most this many arms stand side by side. */
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

type ReadSpread = (figures: AbFigures) => LatencySpread | null;

const totalOf: ReadSpread = ({ total }) => total;
const connecting: readonly (readonly [string, ReadSpread])[] = [
  ['Connect', ({ parts }) => parts?.connect ?? null],
  ['Processing', ({ parts }) => parts?.processing ?? null],
];
const waiting: readonly [string, ReadSpread] = ['Waiting', ({ parts }) => parts?.waiting ?? null];

/** The figures of a time; its name stands before each where there are several. */
function spreadFigures(name: string | null, read: ReadSpread): Figure[] {
  const head = (figure: string): string => (name === null ? figure : `${name}, ${figure}`);
  return [
    { head: head('min'), read: (figures) => read(figures)?.minMs ?? null },
    { head: head('mean'), read: (figures) => read(figures)?.meanMs ?? null },
    { head: head('sd'), read: (figures) => read(figures)?.sdMs ?? null },
    { head: head('median'), read: (figures) => read(figures)?.medianMs ?? null },
    { head: head('max'), read: (figures) => read(figures)?.maxMs ?? null },
  ];
}

/** The percentiles that `ab` prints. */
export const abPercents = ['50', '66', '75', '80', '90', '95', '98', '99', '100'] as const;

const percentFigures: readonly Figure[] = abPercents.map((percent) => ({
  head: `${percent} %`,
  read: ({ percentilesMs }) => percentilesMs?.[percent] ?? null,
}));

const OTHERS_NOT_MEASURED = 'Bytes of the body alone and write errors are not counted by themselves.';
const NO_PARTS = 'Connect, Processing and Waiting were not measured.';
const NOTHING_TO_CONNECT = 'Connect is 0, since connections were open, and so Processing is Total.';
const IN_ONE_PIECE = 'Waiting is Processing, since every answer came in one piece.';
const WHAT_PARTS_ARE =
  'Connect is the time until the connection is open, 0 where it stayed open; Processing from then to the end of the answer; Waiting from then to its first byte; Total is all of it.';
const TOTAL = 'Total is the time from sending a request to the end of its answer.';

/**
 * The figures that `ab` prints, for every arm side by side: counts and rates, times, percentiles. Three tables a load
 * level.
 */
export function abTables(summary: Summary): Table[] {
  return summary.run.loads.flatMap((load) => tablesUnder(summary, load));
}

function tablesUnder(summary: Summary, load: LoadLevel): Table[] {
  const averages = underLoad(summary.averages, load).filter(({ repeat }) => !repeat);
  // A bulk load sends as many requests as there are documents, and has its own table.
  if (averages.length === 0 || !countsRequests(load)) return [];
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
    timesOf(averages.map(abFiguresOf), tableOf),
    tableOf('Served within, ms', percentFigures, ['100 % is the longest request.']),
  ];
}

/** The times of a request; redundant ones become a sentence. */
function timesOf(
  all: readonly AbFigures[],
  tableOf: (title: string, figures: readonly Figure[], notes: readonly string[]) => Table,
): Table {
  const known = all.flatMap(({ parts }) => parts ?? []);
  const connects = known.some(({ connect }) => connect.maxMs > 0);
  const waits = known.some(({ waiting: own, processing }) => own.meanMs < processing.meanMs);
  const spreads = [...(connects ? connecting : []), ...(waits ? [waiting] : [])];
  const notes = [
    ...(known.length === 0 ? [NO_PARTS] : []),
    ...(known.length > 0 && !connects ? [NOTHING_TO_CONNECT] : []),
    ...(known.length > 0 && !waits ? [IN_ONE_PIECE] : []),
  ];
  if (spreads.length === 0) {
    return tableOf('Total time of a request, ms', spreadFigures(null, totalOf), [
      [TOTAL, ...notes, OTHERS_NOT_MEASURED].join(' '),
    ]);
  }
  const figures = [...spreads, ['Total', totalOf] as const].flatMap(([name, read]) => spreadFigures(name, read));
  return tableOf('Times of a request, ms', figures, [[WHAT_PARTS_ARE, ...notes, OTHERS_NOT_MEASURED].join(' ')]);
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

/** The figures that `ab` prints of a run, of an arm under a load level; null where nothing was measured. */
export interface AbFigures {
  /** How many requests are under way at any time; null where that is not fixed. */
  readonly concurrency: number | null;
  /** The time that counts, over all rounds. */
  readonly seconds: number | null;
  /** As the others, null where no slice counts. */
  readonly complete: number | null;
  readonly failed: number | null;
  /** Received, of the answers as expected. */
  readonly bytes: number | null;
  readonly perSecond: number | null;
  /** Mean, of one connection. */
  readonly msPerRequest: number | null;
  /** Mean, across all connections. */
  readonly msAcross: number | null;
  readonly kibPerSecond: number | null;
  /** From sending a request to the end of its answer. */
  readonly total: LatencySpread | null;
  readonly parts: PartSpreads | null;
  /** By percent. */
  readonly percentilesMs: Readonly<Record<string, number>> | null;
}

/**
 * Counts as `ab` does: complete are the requests that came back as expected, and time per request is of one connection,
 * or of all.
 */
export function abFiguresOf(average: Average): AbFigures {
  const { load, windowMs, ok, not_ok, errors, timeouts, unsent = 0, bytes, distribution, metrics } = average;
  const perSecond = ok === 0 ? null : metrics.requests_per_s;
  const msAcross = perSecond === null || perSecond === 0 ? null : 1000 / perSecond;
  const concurrency = closedLoopClients(load);
  return {
    concurrency,
    seconds: counted(average, windowMs / 1000),
    complete: counted(average, ok),
    failed: counted(average, not_ok + errors + timeouts + unsent),
    bytes: counted(average, bytes),
    perSecond,
    msPerRequest: msAcross === null || concurrency === null ? null : msAcross * concurrency,
    msAcross,
    kibPerSecond: ok === 0 || windowMs === 0 ? null : bytes / 1024 / (windowMs / 1000),
    total: distribution && spreadOf(distribution),
    parts: average.parts,
    percentilesMs: distribution?.percentilesMs ?? null,
  };
}
