import { ofName } from '../../base/by-name.ts';
import { underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { isValueOf } from '../../journal/service/metric-names.ts';
import { formatValue } from '../../judge/format.ts';
import { isOfProcess, processName } from '../../judge/read/metrics/probe-values.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Average } from '../../judge/verdicts/averages.ts';
import { processWords } from '../words/process-words.ts';
import { againName } from './arm-name.ts';
import { deltaCell } from './delta-cell.ts';
import { left, right, type Table } from './table.ts';

/** Values shown for each process, in this order. */
const ofProcess: readonly (readonly [start: string, label: string])[] = [
  ['service_cpu_cores{', 'CPU, cores'],
  ['service_cpu_user_cores{', 'CPU of its own work, cores'],
  ['service_cpu_system_cores{', "CPU of the kernel's work for it, cores"],
  ['service_memory_max_bytes{', 'memory, most, bytes'],
];

const BACKEND = /^backend_(sent|received)_bytes_per_request\{from="(.*)",to="(.*)"\}$/;
const CLOSED = /^backend_connections_closed\{from="(.*)",to="(.*)"\}$/;

const OPENSEARCH = /^opensearch_(index|query)_ops_per_request$/;

/** More rows than this are a list; the others are in summary.json. */
const MOST_NAMED = 50;

/** True for a value of a metric that the scenario names, but by `*` for whatever there is. */
function isNamed(name: string, metrics: readonly string[]): boolean {
  return metrics.some((metric) => !metric.startsWith('*') && isValueOf(metric, name));
}

/** True for a value of a probe that stands in one of these tables. */
export function groupedName(name: string, { metrics = [] }: Pick<Summary['run'], 'metrics'>): boolean {
  return (
    isNamed(name, metrics) ||
    OPENSEARCH.test(name) ||
    BACKEND.test(name) ||
    CLOSED.test(name) ||
    ofProcess.some(([start]) => name.startsWith(start))
  );
}

/**
 * Metrics of the service that the scenario names; operations of OpenSearch; CPU and memory of each process of the service, where
 * it is several; and what went between it and its backends.
 */
export function groupTables(summary: Summary, load: LoadLevel): Table[] {
  const averages = underLoad(summary.averages, load);
  const known = [...new Set(averages.flatMap(({ probes }) => Object.keys(probes)))];
  const processes = [...new Set(known.filter(isOfProcess).map(processName))];
  const ofEach = processes.flatMap((process) =>
    ofProcess.flatMap(([start, label]) => {
      const name = known.find((one) => one.startsWith(start) && processName(one) === process);
      return name === undefined ? [] : [[name, `${processWords(process)}: ${label}`] as const];
    }),
  );
  const labels = new Map(ofEach);
  const plainPair = (title: string, names: readonly string[]): Table[] =>
    probePair(summary, load, { title, names, label: (name) => name, notes: [] });
  const backends = known.filter((name) => BACKEND.test(name)).sort(byBackend);
  const named = known.filter((name) => isNamed(name, summary.run.metrics ?? []));
  return [
    ...plainPair('Metrics that the scenario names', named.slice(0, MOST_NAMED)),
    ...plainPair(
      'OpenSearch, a request',
      known.filter((name) => OPENSEARCH.test(name)),
    ),
    ...probePair(summary, load, {
      title: 'Processes of the service',
      names: [...labels.keys()],
      label: (name) => labels.get(name) ?? name,
      notes: [],
    }),
    ...probePair(summary, load, {
      title: 'Bytes a request, between the service and its backends',
      names: backends,
      label: backendLabel,
      notes: [...missingNotes(averages, backends), ...closedNotes(averages)],
    }),
  ];
}

function byBackend(a: string, b: string): number {
  const place = (name: string): string => (BACKEND.exec(name) ?? []).slice(2).join(' ');
  return place(a).localeCompare(place(b)) || (a < b ? 1 : -1);
}

/** `api to postgres`, and what came back: `postgres to api`. */
function backendLabel(name: string): string {
  const [, way, from = '', to = ''] = BACKEND.exec(name) ?? [];
  const [sender, receiver] = way === 'sent' ? [from, to] : [to, from];
  return `${processWords(sender)} to ${processWords(receiver)}`;
}

/** A service that closes each connection at once has none that could be looked at. */
function missingNotes(averages: readonly Average[], names: readonly string[]): string[] {
  const isMissing = averages.some(({ probes }) => names.some((name) => ofName(probes, name) === undefined));
  return isMissing
    ? ['n/a: no such connection was open at the end of a pass, for example if each request opens its own.']
    : [];
}

/** Where connections were closed while they were watched, the numbers are not all. */
function closedNotes(averages: readonly Average[]): string[] {
  const names = [...new Set(averages.flatMap(({ probes }) => Object.keys(probes)))].filter((name) => CLOSED.test(name));
  return names.flatMap((name) => {
    const [, from = '', to = ''] = CLOSED.exec(name) ?? [];
    const counts = averages.flatMap(({ variant, repeat, probes }) => {
      const count = ofName(probes, name) ?? 0;
      return count > 0 ? [`${repeat ? `${variant} again` : variant} ${formatValue(count)}`] : [];
    });
    if (counts.length === 0) return [];
    return [
      `Connections from ${processWords(from)} to ${processWords(to)} were closed while pgsweep watched them, so their traffic is missing. Seen per slice, on average: ${counts.join(', ')}.`,
    ];
  });
}

/** Some values of probes. */
interface ProbePair {
  readonly title: string;
  readonly names: readonly string[];
  /** The name of a value in the tables. */
  readonly label: (name: string) => string;
  /** Sentences under the second table, or the only one. */
  readonly notes: readonly string[];
}

const metricColumn = left('metric');

/** Two tables of these values under a load level: the averages, and the changes against the control; none of no values. */
export function probePair({ averages, probes, run }: Summary, load: LoadLevel, pair: ProbePair): Table[] {
  const { title, names, label, notes } = pair;
  if (names.length === 0) return [];
  const rows = underLoad(averages, load);
  const comparisons = underLoad(probes, load);
  const variants = run.variants.filter((variant) => variant !== run.control);
  const averagesTable: Table = {
    title: `${title}, averages`,
    columns: [metricColumn, ...rows.map(({ variant, repeat }) => right(repeat ? againName(variant) : variant))],
    rows: names.map((name) => [
      { text: label(name) },
      ...rows.map((average) => ({ text: formatValue(ofName(average.probes, name) ?? null) })),
    ]),
    notes: [],
  };
  if (variants.length === 0) return [averagesTable];
  const changesTable: Table = {
    title: `${title}, change against ${run.control}`,
    columns: [metricColumn, ...variants.map(right)],
    rows: names.map((name) => [
      { text: label(name) },
      ...variants.map((variant) =>
        deltaCell(comparisons.find((one) => one.metric === name && one.variant === variant)),
      ),
    ]),
    notes,
  };
  return [averagesTable, changesTable];
}
