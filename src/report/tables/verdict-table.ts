import { cutTo } from '../../analysis/format.ts';
import type { Comparison } from '../../analysis/judge/comparison.ts';
import { type Metric, meanLatency, requestsPerSecond } from '../../analysis/read/metrics/metrics.ts';
import { allMetrics, namedMetrics } from '../../analysis/read/metrics/work-metrics.ts';
import type { Summary } from '../../analysis/summary.ts';
import { groupBy } from '../../base/group-by.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { judgedName, judgedOf } from '../words/judged.ts';
import { rank } from '../words/rank.ts';
import { shortName } from '../words/short-name.ts';
import { someNames } from '../words/some-names.ts';
import { nameColumn } from './arm-name.ts';
import { deltaCell } from './delta-cell.ts';
import { left, right, type Table, weights } from './table.ts';

/** A name of more characters is cut. */
const MOST_CHARACTERS = 40;
/** The same of a name in the head of a column. */
const MOST_IN_HEAD = 14;
/** So many variants without a verdict are named. */
const MOST_NAMED = 4;

/** So many variants that are the same in 2xx/s stand before effects on anything else. */
const MOST_SAME = 3;

/**
 * What has a verdict, the most telling first: a row for each variant and metric, with the change under the load level that
 * shows it most. 2xx/s comes before what explains it, and is the only one whose `same` is worth a row. Null where nothing
 * has a verdict.
 */
export function verdictTable(summary: Summary): Table | null {
  const judged = judgedOf(summary.run);
  const told = summary.comparisons.filter((one) => isTold(one, judged));
  const groups = groupBy(told, ({ variant, metric }) => JSON.stringify([variant, metric])).map((group) =>
    [...group].sort((a, b) => rank(a) - rank(b) || size(b) - size(a)),
  );
  const sorted = groups.sort((a, b) => rankOf(a) - rankOf(b));
  const isSame = ([first]: readonly Comparison[]): boolean => first?.verdict === 'same';
  const isMain = ([first]: readonly Comparison[]): boolean => first?.metric === judged.name;
  const same = sorted.filter(isSame);
  const main = sorted.filter((group) => isMain(group) && !isSame(group));
  const others = sorted.filter((group) => !isMain(group));
  const rows = [...main, ...same.slice(0, MOST_SAME), ...others, ...same.slice(MOST_SAME)].flatMap((group) =>
    rowOf(group, summary.run.control),
  );
  if (rows.length === 0) return null;
  return {
    title: 'Changes with a verdict',
    weight: weights.answer,
    columns: [
      nameColumn,
      left('metric'),
      left('load (+ others)'),
      right(`change against ${cutTo(MOST_IN_HEAD, summary.run.control)}`),
    ],
    rows,
    notes: noiseNotes(summary),
  };
}

/** Bytes and mean latency repeat 2xx/s, and so do the rates of the database. */
const repeating: ReadonlySet<string> = new Set(['throughput_bytes_per_s', 'latency_mean_ms']);
const tellingMetrics: ReadonlySet<string> = new Set(
  allMetrics.flatMap(({ name, group }) => (group === 'database' || repeating.has(name) ? [] : [name])),
);

function isTold({ metric, verdict }: Comparison, judged: Metric): boolean {
  if (!tellingMetrics.has(metric) && metric !== judged.name) return false;
  // Where the load sets the rate, a change of it says nothing.
  if (metric === requestsPerSecond.name && judged.name === meanLatency.name) return false;
  return verdict === 'higher' || verdict === 'lower' || (verdict === 'same' && metric === judged.name);
}

const failures: ReadonlySet<string> = new Set(['not-borne', 'more-failures', 'more-uncounted-failures']);

function size({ deltaPercent }: Comparison): number {
  return Math.abs(deltaPercent ?? 0);
}

function rankOf([first]: readonly Comparison[]): number {
  return first === undefined ? 0 : rank(first);
}

function rowOf([first, ...others]: readonly Comparison[], control: string): Table['rows'] {
  if (first === undefined) return [];
  const metric = namedMetrics.find(({ name }) => name === first.metric);
  const label = metric?.label ?? first.metric;
  const alike = others.filter(({ verdict }) => verdict === first.verdict).length;
  const failed = first.notes.some(({ kind }) => failures.has(kind));
  return [
    [
      { text: `${shortName(first.variant, control, MOST_CHARACTERS)}${failed ? ' [!]' : ''}` },
      { text: metric?.group === 'work' ? `${label}/request` : label },
      { text: `${loadLabel(first.load)}${alike === 0 ? '' : ` (+${alike})`}` },
      deltaCell(first),
    ],
  ];
}

/** The variants that no load level says anything of. */
function noiseNotes({ comparisons, run }: Summary): string[] {
  const headline = comparisons.filter(({ metric }) => metric === judgedOf(run).name);
  const noise = groupBy(headline, ({ variant }) => variant)
    .filter((all) => all.every(({ verdict }) => verdict === 'noise'))
    .flatMap(([first]) => (first === undefined ? [] : [shortName(first.variant, run.control, MOST_CHARACTERS)]));
  if (noise.length === 0) return [];
  const where = run.loads.length === 1 ? '' : ' under every load level';
  return [`${judgedName(run)} is noise${where}: ${someNames(noise, MOST_NAMED)}.`];
}
