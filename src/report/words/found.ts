import { asSentence, present } from '../../base/present.ts';
import { formatShare } from '../../base/units.ts';
import { loadLabel, sizeLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatSize } from '../../judge/format.ts';
import { isDiscarded, type Shown, viewOf } from '../../judge/judged-view.ts';
import type { Metric, MetricName } from '../../judge/read/metrics/metrics.ts';
import { MIN_ROUNDS } from '../../judge/stats/looks.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { failedMark } from './failed-mark.ts';
import { listed } from './listed.ts';
import { type Lost, lostVariants } from './lost.ts';
import { shortName } from './short-name.ts';

/** This many variants that differ are named where there are many, and all where there are no more than that. */
const [MOST_NAMED, FEW] = [2, 3];
/** Characters of a name. */
const MOST_CHARACTERS = 60;

/** `Remove IndexA is 68 % slower [64, 73] with list-by-reference, the same within ±5 % with bulk load; 9 of 18 changes ...` */
export function foundLine(summary: Summary): string {
  const view = viewOf(summary);
  const { variants } = view;
  if (variants.length === 0) return 'There is nothing to compare with the control.';
  if (summary.run.rounds < MIN_ROUNDS) return `No verdicts yet: they need ${MIN_ROUNDS} rounds.`;
  const lost = lostVariants(summary);
  const differing = variants.filter(({ differing }) => differing.length > 0).sort((a, b) => largest(b) - largest(a));
  const shown = differing.slice(0, variants.length <= FEW ? FEW : MOST_NAMED);
  const more = differing.length - shown.length;
  const rest = variants.filter(
    ({ differing, same, unclear }) => differing.length === 0 && [...same, ...unclear].some((one) => !isDiscarded(one)),
  );
  const parts = present([
    ...lost.slice(0, MOST_NAMED).map((one) => lostWords(one, summary)),
    lost.length > MOST_NAMED && `${lost.length - MOST_NAMED} more have no numbers`,
    ...shown.map((one) => variantWords(one, summary)),
    more > 0 && `${more} more differ`,
    restWords(rest, summary),
  ]);
  const names = summary.run.variants.map((variant) => shortName(variant, summary.run, MOST_CHARACTERS));
  return `${asSentence(parts.join('; '), names)}.`;
}

/** A variant's changes in words: where it differs and by how much, where it is the same, where nothing is known. */
export function variantWords(shown: Shown, summary: Summary): string {
  const { run } = summary;
  const view = viewOf(summary);
  const failed = view.levels.find(({ fails }) => fails(shown.variant));
  const name = `${shortName(shown.variant, run, MOST_CHARACTERS)}${failed ? failedMark(failed.load) : ''}`;
  const effects = clustersOf(shown.differing).map((own) => effectOf(own, view.metric, run.loads));
  if (effects.length === 0) {
    const [first, ...others] = quietWords(shown, run);
    return `${name}: ${present([first, ...others]).join(', ')}`;
  }
  return [`${name} ${effects.join(', ')}`, ...quietWords(shown, run)].join(', ');
}

/** `b failed: all 8 slices were discarded, since 99 % of requests failed (mostly 500)`; with its load levels where others count. */
function lostWords({ variant, loads, slices, byReason, failed }: Lost, { run }: Summary): string {
  const name = shortName(variant, run, MOST_CHARACTERS);
  const where = loads.length === run.loads.length ? '' : ` ${placesWords(loads, run.loads)}`;
  const discarded = `all ${slices} slices were discarded`;
  const reasons = Object.keys(byReason);
  if (!reasons.includes('failed requests'))
    return `${name} has no numbers${where}: ${discarded} (${reasons.join(', ')})`;
  const mostly = failed.mostly === undefined ? '' : ` (mostly ${failed.mostly})`;
  const share = formatShare(failed.failed / failed.requests);
  return `${name} failed${where}: ${discarded}, since ${share} of requests failed${mostly}`;
}

function quietWords({ same, unclear: all }: Shown, { marginPercent, loads }: Summary['run']): string[] {
  const unclear = all.filter((one) => !isDiscarded(one));
  return present([
    same.length > 0 && `the same within ±${marginPercent} % ${placesWords(loadsOf(same), loads)}`,
    unclear.length > 0 && `unclear ${placesWords(loadsOf(unclear), loads)}`,
  ]);
}

/** The variants that differ nowhere. */
function restWords(rest: readonly Shown[], summary: Summary): string {
  const { variants, levels } = viewOf(summary);
  const [only] = rest;
  if (only === undefined) return '';
  if (variants.length <= FEW) return rest.map((one) => variantWords(one, summary)).join('; ');
  const everywhere = levels.length > 1 && rest.every(({ discarded }) => discarded.length === 0) ? ' everywhere' : '';
  const ofAll = rest.length === variants.length ? `all ${rest.length}` : `${rest.length} of ${variants.length}`;
  const areSame = rest.every(({ unclear }) => unclear.length === 0);
  const are = `${ofAll} changes ${rest.length === 1 ? 'is' : 'are'}`;
  if (areSame) return `${are} the same within ±${summary.run.marginPercent} %${everywhere}`;
  const areUnclear = rest.every(({ same }) => same.length === 0);
  return `${are} ${areUnclear ? 'unclear' : 'the same or unclear'}${everywhere}`;
}

function largest({ differing }: Shown): number {
  return Math.max(...differing.map(({ deltaPercent }) => Math.abs(Math.log1p((deltaPercent ?? 0) / 100))));
}

/** Changes in one direction whose intervals overlap, so that one sentence has them; each group in the order of loads. */
function clustersOf(differing: readonly Comparison[]): Comparison[][] {
  const clusters: Comparison[][] = [];
  for (const one of differing) {
    const near = clusters.find((own) => own.every((other) => areAlike(one, other)));
    if (near === undefined) clusters.push([one]);
    else near.push(one);
  }
  return clusters.sort((a, b) => sizeIn(b) - sizeIn(a));
}

function areAlike(a: Comparison, b: Comparison): boolean {
  if (a.verdict !== b.verdict || a.interval === null || b.interval === null) return false;
  return Math.max(a.interval[0], b.interval[0]) <= Math.min(a.interval[1], b.interval[1]);
}

function sizeIn(own: readonly Comparison[]): number {
  return Math.max(...own.map(({ deltaPercent }) => Math.abs(deltaPercent ?? 0)));
}

/** `is 4.5 % faster [4.0, 4.9] at 1 and 25 connections`; intervals hold together, so one around all of them holds. */
function effectOf(own: readonly Comparison[], metric: Metric<MetricName>, all: readonly LoadLevel[]): string {
  const verdict = own[0]?.verdict === 'lower' ? 'lower' : 'higher';
  const sizes = own.flatMap(({ deltaPercent }) => (deltaPercent === null ? [] : [Math.abs(deltaPercent)]));
  const size = rangeOf(sizes, ' to ');
  const ends = own.flatMap(({ interval }) => interval?.map(Math.abs) ?? []);
  const interval = ends.length === 0 ? '' : ` [${formatSize(Math.min(...ends))}, ${formatSize(Math.max(...ends))}]`;
  // Without a percentage one side had none of it.
  const said =
    sizes.length === 0
      ? `has ${verdict === 'higher' ? 'more' : 'less'} ${metric.label}`
      : effectWords(metric, verdict, size);
  return `${said}${interval} ${placesWords(loadsOf(own), all)}`;
}

function rangeOf(sizes: readonly number[], between: string): string {
  const [least, most] = [formatSize(Math.min(...sizes)), formatSize(Math.max(...sizes))];
  return least === most ? least : `${least}${between}${most}`;
}

export function effectWords(judged: Metric<MetricName>, verdict: 'higher' | 'lower', size: string): string {
  const { name: metric, percentile, group } = judged;
  if (percentile !== undefined) return `has a p${percentile} latency ${size} % ${verdict}`;
  if (group === 'work') return `takes ${size} % ${verdict === 'higher' ? 'more' : 'less'} ${judged.label} a request`;
  if (metric === 'latency_mean_ms') return `has a mean latency ${size} % ${verdict}`;
  if (metric === 'duration_ms') return `takes ${size} % ${verdict === 'higher' ? 'longer' : 'less time'}`;
  return `is ${size} % ${verdict === 'higher' ? 'faster' : 'slower'}`;
}

function loadsOf(own: readonly Comparison[]): LoadLevel[] {
  return own.map(({ load }) => load);
}

/** `at 1 and 25 connections`, `with get-documents and list-by-reference`: without a size that all loads of the run have. */
export function placesWords(loads: readonly LoadLevel[], all: readonly LoadLevel[]): string {
  const [size = '', ...sizes] = new Set(all.map(sizeLabel));
  const isCommon = all.length > 1 && sizes.length === 0;
  const said = isCommon ? listed(loads.map((load) => withoutSize(loadLabel(load), size))) : loadsWords(loads);
  return `${/^\d/.test(said) ? 'at' : 'with'} ${said}`;
}

/** `1, 25 and 50 connections`, `get-documents and bulk load (25 connections)`: what all have in common once. */
export function loadsWords(loads: readonly LoadLevel[]): string {
  const labels = loads.map(loadLabel);
  if (labels.length < 2) return labels.join();
  const sizes = new Set(loads.map(sizeLabel));
  const [size = ''] = sizes;
  if (sizes.size === 1) return `${listed(labels.map((text) => withoutSize(text, size)))} (${size})`;
  const units = labels.map((text) => text.replace(/^\S+ ?/, ''));
  const [unit] = units.slice(-1);
  const isCommon = (text: string): boolean => text === unit || `${text}s` === unit;
  if (unit === undefined || unit === '' || !units.every(isCommon)) return listed(labels);
  return `${listed(labels.map((text) => text.replace(/ .*$/, '')))} ${unit}`;
}

/** `get-documents` of `get-documents, 25 connections`. */
export function withoutSize(label: string, size: string): string {
  return label.endsWith(`, ${size}`) ? label.slice(0, -size.length - 2) : label === size ? 'requests' : label;
}
