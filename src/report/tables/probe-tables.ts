import { underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatCount, formatValue } from '../../judge/format.ts';
import { ERROR } from '../../judge/stats/looks.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { partsTelling } from '../parts/parts.ts';
import { groupedName, groupTables, probePair } from './probe-group-tables.ts';
import type { Table } from './table.ts';

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
