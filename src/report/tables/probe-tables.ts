import { ofName } from '../../base/by-name.ts';
import { underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { isValueOf } from '../../journal/service/metric-names.ts';
import { formatCount, formatValue } from '../../judge/format.ts';
import { isOfProcess, processName } from '../../judge/read/metrics/probe-values.ts';
import { ERROR } from '../../judge/stats/looks.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Average } from '../../judge/verdicts/averages.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { partsTelling } from '../parts/parts.ts';
import { processWords } from '../words/process-words.ts';
import { againName } from './arm-name.ts';
import { deltaCell } from './delta-cell.ts';
import { left, right, type Table } from './table.ts';

/** As many as fit under each other on a screen. */
const MOST_METRICS = 15;

/** Values that are of interest in any run, whether they differ or not. */
const always = [
  'service_cpu_cores',
  'postgres_cpu_cores',
  'generator_cpu_cores',
  'event_loop_active_seconds_per_s',
  'busy_connections_mean',
  'pg_pool_acquire_mean_ms',
];

/** The two parts of the service's CPU; they take no place of the others. */
const partsOfCpu = ['service_cpu_user_cores', 'service_cpu_system_cores'];

/** Values that are always shown of a load by an outside engine. */
const ofEngines = [
  'autocannon_requests_per_s',
  'autocannon_p50_ms',
  'autocannon_p99_ms',
  'autocannon_lost',
  'autocannon_cut_off',
  'k6_iterations_per_s',
  'k6_iteration_p95_ms',
  'k6_dropped_iterations_per_s',
  'k6_checks_failed_percent',
  'k6_exceptions',
];
/** There is one of these for each threshold and check of a script. */
const ofScript = /^k6_(threshold_crossed|check_failed_percent)\{/;

/** Values of the bench's own working, and settings: they explain nothing. */
const neverTelling = new Set([
  'wait_samples',
  'plans_seen',
  'plans_unknown',
  'statements',
  'pg_pool_max_mean',
  'pg_pool_max_max',
]);

/**
 * Averages of probe values under a load level, and their changes against the control: the values that differ most, and
 * those with their own tables.
 */
export function probeTables(summary: Summary, load: LoadLevel): Table[] {
  const { averages, probes } = summary;
  const isAlone = (name: string): boolean => !groupedName(name, summary.run);
  const comparisons = underLoad(probes, load).filter(({ metric }) => isAlone(metric));
  const known = new Set(underLoad(averages, load).flatMap((average) => Object.keys(average.probes).filter(isAlone)));
  const names = tellingNames(known, comparisons);
  const chance = chanceNote(probes);
  const notes = [
    'The values that differ most, and some that are always of interest; all are in summary.json, each sample in samples/.',
    ...(chance === null ? [] : [chance]),
  ];
  const telling = probePair(summary, load, { title: 'Probes', names, label: (name) => name, notes });
  return [...groupTables(summary, load), ...telling];
}

/** First what differs for sure, the largest change first; then what is always of interest; then what may differ. */
function tellingNames(known: ReadonlySet<string>, comparisons: readonly Comparison[]): string[] {
  const bySize = (some: readonly Comparison[]): string[] =>
    [...some].sort((a, b) => sizeOf(b) - sizeOf(a)).map(({ metric }) => metric);
  const clear = comparisons.filter((one) => one.interval !== null && isMarked(one));
  const parts = partsOfCpu.filter((name) => known.has(name));
  const script = [...known].filter((name) => ofScript.test(name));
  const asked = [...partsTelling, ...always.slice(0, 1), ...parts, ...always.slice(1), ...ofEngines, ...script];
  const names = [...bySize(clear).slice(0, MOST_METRICS - always.length), ...asked, ...bySize(comparisons)];
  const shown = [...new Set(names)].filter((name) => known.has(name) && !neverTelling.has(name));
  return shown.slice(0, MOST_METRICS + parts.length);
}

function isMarked({ verdict }: Comparison): boolean {
  return verdict === 'higher' || verdict === 'lower';
}

/** Twice as much is as telling as half as much. */
function sizeOf({ deltaPercent }: Comparison): number {
  if (deltaPercent === null || deltaPercent <= -100) return 0;
  return Math.abs(Math.log1p(deltaPercent / 100));
}

/**
 * How many of all comparisons are marked, and how many values may be by chance where nothing differs. Each value is its
 * own family, and has the whole error to spend. Null where there are no verdicts.
 */
function chanceNote(probes: readonly Comparison[]): string | null {
  const judged = probes.filter(({ interval, verdict }) => interval !== null && verdict !== 'unfit');
  const values = new Set(judged.map(({ metric }) => metric)).size;
  if (values === 0) return null;
  const marked = judged.filter(isMarked).length;
  return (
    `Of ${formatCount(judged.length)} comparisons of ${formatCount(values)} values over all load levels ${formatCount(marked)} are marked higher or lower; ` +
    `if nothing differs, up to ${formatValue(ERROR * values)} values would be marked by chance: each value holds its error over its own cells, not over all values.`
  );
}

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
function groupedName(name: string, { metrics = [] }: Pick<Summary['run'], 'metrics'>): boolean {
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
  const plainPair = (title: string, names: readonly string[], notes: readonly string[] = []): Table[] =>
    probePair(summary, load, { title, names, label: (name) => name, notes });
  const backends = known.filter((name) => BACKEND.test(name)).sort(byBackend);
  const named = known.filter((name) => isNamed(name, summary.run.metrics ?? []));
  const missing = missingMetrics(summary);
  return [
    ...plainPair(
      'Metrics that the scenario names',
      [...named, ...missing].slice(0, MOST_NAMED),
      missing.length === 0 ? [] : [`No value in any slice: ${missing.join(', ')} (target.metrics.include).`],
    ),
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

/** Metrics that the scenario names, and that have no value under any load level. */
function missingMetrics({ averages, run: { metrics = [] } }: Summary): string[] {
  const values = [...new Set(averages.flatMap(({ probes }) => Object.keys(probes)))];
  return metrics.filter((metric) => !values.some((value) => isValueOf(metric, value)));
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
function probePair({ averages, probes, run }: Summary, load: LoadLevel, pair: ProbePair): Table[] {
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
