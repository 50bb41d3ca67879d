import { loadKey, underLoad } from '../../journal/load-level.ts';
import { BRANCH } from '../../journal/run/against-record.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { cutTo, exact, formatDelta, formatInterval } from '../../judge/format.ts';
import { differs, viewOf } from '../../judge/judged-view.ts';
import { namedMetrics } from '../../judge/read/metrics/work-metrics.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { clustersOf, placesWords } from './found.ts';
import { judgedName } from './judged.ts';

/** Short names of the metrics that an answer is about, beside the judged one. */
const beside: Readonly<Record<string, string>> = {
  latency_p95_ms: 'p95',
  service_cpu_ms_per_request: 'CPU',
  postgres_cpu_ms_per_request: 'CPU',
  statements_per_request: 'statements a request',
};
/** Statements that are new, by their names. */
const MOST_NEW = 2;
const MOST_TEXT = 80;
/** Statements a request are counted: a change of this many percent is no chance. */
const LEAST_PERCENT = 1;

/**
 * `Your branch is slower than main: 2xx/s -7.1 % [-9.0, -5.2] at 25 connections.` Null where no branch is compared. Its run has
 * verdicts.
 */
export function branchAnswer(summary: Summary): string | null {
  const { run } = summary;
  const { metric, variants } = viewOf(summary);
  const own = variants.find(({ variant }) => variant === BRANCH);
  if (own === undefined || run.against === undefined) return null;
  const name = judgedName(run);
  const { differing, same, unclear } = own;
  const quiet = [
    ...(same.length > 0 ? [`no difference of ${run.marginPercent} % or more ${placed(same, run.loads)}`] : []),
    ...(unclear.length > 0 ? [`not known ${placed(unclear, run.loads)}`] : []),
  ];
  if (differing.length > 0) {
    const worse = differing.filter(({ verdict }) => verdict !== metric.better);
    const word =
      worse.length === 0 ? 'faster than' : worse.length === differing.length ? 'slower than' : 'slower and faster than';
    const sizes = clustersOf(differing).map((alike) => sizeWords(alike, run.loads));
    return `Your branch is ${word} ${run.control}: ${name} ${[...sizes, ...quiet].join(', ')}.`;
  }
  if (unclear.length > 0) {
    const still = unclear.flatMap((one) => (one.interval === null ? [] : [sizeWords([one], run.loads)]));
    const rest = same.length === 0 ? '' : `; ${quiet[0]}`;
    return `Not known whether your branch is slower than ${run.control}: ${name} ${still.join(', ') || 'has no verdict'}${rest}.`;
  }
  const others = summary.comparisons.filter(({ variant, metric: of }) => variant === BRANCH && of in beside);
  const changed = others.filter(differs);
  const isSame = (of: string): boolean =>
    others.some((one) => one.metric === of) && others.every((one) => one.metric !== of || one.verdict === 'same');
  const names = groupedNames(Object.keys(beside), isSame);
  const listed = [name, ...names].join(', ').replace(/, ([^,]*)$/, ' and $1');
  const but = changed.map((one) => `${labelled(one)} ${sizeWords([one], run.loads)}`);
  return `No difference of ${run.marginPercent} % or more from ${run.control} (${listed})${but.length === 0 ? '' : `, but ${but.join(', ')}`}.`;
}

/** Short names of metrics whose every part is the same. */
function groupedNames(metrics: readonly string[], isSame: (metric: string) => boolean): string[] {
  const names = new Set(Object.values(beside));
  return [...names].filter((name) => metrics.every((metric) => beside[metric] !== name || isSame(metric)));
}

function labelled({ metric }: Comparison): string {
  const found = namedMetrics.find(({ name }) => name === metric);
  return found?.group === 'work' ? `${found.label} a request` : (found?.label ?? metric);
}

/** `-7.1 % [-9.0, -5.2] at 25 connections`; of several that are alike the whole range. */
function sizeWords(alike: readonly Comparison[], all: readonly LoadLevel[]): string {
  const deltas = alike.flatMap(({ deltaPercent }) => deltaPercent ?? []);
  const ends = alike.flatMap(({ interval }) => interval ?? []);
  const [least = 0, most = 0] = [Math.min(...deltas), Math.max(...deltas)];
  const size =
    formatDelta(least) === formatDelta(most) ? formatDelta(least) : `${formatDelta(least)} to ${formatDelta(most)}`;
  const interval = ends.length === 0 ? '' : ` ${formatInterval([Math.min(...ends), Math.max(...ends)])}`;
  return `${deltas.length === 0 ? 'only one side has any' : `${size}${interval}`} ${placed(alike, all)}`;
}

function placed(some: readonly Comparison[], all: readonly LoadLevel[]): string {
  return placesWords(
    some.map(({ load }) => load),
    all,
  );
}

/**
 * `Statements a request 3.00 -> 4.00, new: SELECT ... FROM authors WHERE id = $1`: what a branch asks its database more or less, which a
 * round shows. A line for each load level that has other numbers; none where nothing changed.
 */
export function branchWork(summary: Summary): string[] {
  if (summary.run.against === undefined) return [];
  const lines = summary.run.loads.map((load) => workUnder(summary, load));
  return [...new Set(lines.flatMap((line) => line ?? []))].slice(0, 2);
}

function workUnder({ comparisons, statements, run }: Summary, load: LoadLevel): string | null {
  const counted = comparisons.find(
    (one) => one.variant === BRANCH && one.metric === 'statements_per_request' && loadKey(one.load) === loadKey(load),
  );
  const { control = null, value = null } = counted ?? {};
  if (control === null || value === null) return null;
  const own = underLoad(statements, load);
  const before = new Set(own.filter(({ variant }) => variant === run.control).map(({ statement }) => statement));
  // Without a change there is none of it in the control.
  const isNew = ({ variant, deltaPercent, statement, callsPerRequest }: (typeof own)[number]): boolean =>
    variant === BRANCH && deltaPercent === null && callsPerRequest * 100 >= LEAST_PERCENT && !before.has(statement);
  const fresh = own.filter(isNew).map(({ statement }) => cutTo(MOST_TEXT, statement));
  const isChanged = Math.abs(value - control) * 100 >= LEAST_PERCENT * Math.max(control, value);
  if (!isChanged && fresh.length === 0) return null;
  const more = fresh.length > MOST_NEW ? ` and ${fresh.length - MOST_NEW} more` : '';
  const named = fresh.length === 0 ? '' : `, new: ${fresh.slice(0, MOST_NEW).join('; ')}${more}`;
  return `Statements a request ${exact(control)} -> ${exact(value)}${named}`;
}
