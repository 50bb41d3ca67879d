import { groupBy } from '../../base/group-by.ts';
import { asSentence } from '../../base/present.ts';
import { loadLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatSize } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import type { CheapestBy } from '../../judge/verdicts/decision/cost-order.ts';
import type { Recommendation } from '../../judge/verdicts/decision/recommend.ts';
import { heldPoolsWords } from './held-pools.ts';
import { notesWords, noteWords } from './note-words.ts';

/** Load levels that the short decision names by themselves. */
const MOST_GROUPS = 3;
/** Settings that are not decided yet and stand there by name, the rest as a number. */
const MOST_NAMED = 5;

/** Which setting to take: a sentence for each load level. */
export function recommendationOf({ recommendation, run, session }: Summary): string[] {
  // The warnings have said why there are no verdicts.
  if (run.quick || session.verdict === 'unfit') return [];
  return recommendation.map((one) => `${loadLabel(one.load)}: ${adviceWords(one, run)}.`);
}

/** The decision as one says it aloud, for all load levels together where it holds for all; null where there is none. */
export function decisionOf(summary: Summary): string | null {
  const { recommendation, recommended, run } = summary;
  const label = labelsOf(run);
  const sentences = recommendationOf(summary);
  if (sentences.length === 0) return null;
  const loads = recommendation.map(({ load }) => load);
  if (recommended.variant !== null && recommendation.every((one) => isEither(one, run)))
    return `No difference within ${run.marginPercent} %: ${eitherWords(run)} (${loadsWords(loads)}).`;
  if (recommended.variant !== null)
    return `Take ${label(recommended.variant)}${heldPoolsWords(run, recommended.variant)}: ${boundWords(recommended.othersBetterPercent)} (${loadsWords(loads)}).`;
  const kept = groupBy(
    recommendation.filter(({ keep }) => keep !== null),
    ({ keep }) => keep ?? '',
  );
  const open = recommendation.filter(({ keep }) => keep === null);
  const taken = kept.map((own) => {
    const percents = own.flatMap(({ othersBetterPercent }) => othersBetterPercent ?? []);
    const most = percents.length === 0 ? null : Math.max(...percents);
    return `take ${label(own[0]?.keep ?? '')}${heldPoolsWords(run, own[0]?.keep ?? '')} with ${loadsWords(own.map(({ load }) => load))} (${boundWords(most)})`;
  });
  const decided = taken.length === 0 ? [] : [`${asSentence(taken.join(', '))}.`];
  return [...decided, ...openSentences(open, run)].join(' ');
}

const cheapestWords: Readonly<Record<Exclude<CheapestBy, 'level'>, string>> = {
  cost: 'lowest cost in the scenario',
  memory_mb: 'least memory',
  cpu: 'least CPU a request',
  connections: 'fewest connections',
  listed: 'control, then the order of the scenario',
};

/** `cheapest: smallest pool`; null where there is no decision to make. */
export function cheapestLine(summary: Summary): string | null {
  const { recommendation, recommended, run } = summary;
  // Of releases none is cheaper.
  const isAsked = run.releases !== true && recommendation.some(({ against }) => against !== null);
  if (!isAsked || recommendationOf(summary).length === 0) return null;
  const by = recommended.cheapestBy;
  if (by !== 'level') return `cheapest: ${cheapestWords[by]}`;
  const [factor = 'level'] = Object.keys(run.settings[0]?.factors ?? {});
  return `cheapest: smallest ${factor}`;
}

/** Reasons that keep load levels from a decision; levels with the same reason stand together. */
function openSentences(open: readonly Recommendation[], run: Summary['run']): string[] {
  const groups = groupBy(open, (one) => openWords(one, run));
  const shown = groups.slice(0, MOST_GROUPS).map((own) => {
    const [first] = own;
    return first === undefined
      ? ''
      : `${asSentence(openWords(first, run))} (${loadsWords(own.map(({ load }) => load))}).`;
  });
  const more = groups.slice(MOST_GROUPS).flat().length;
  return more === 0 ? shown : [...shown, `Not decided for ${more} more.`];
}

/** The advice for one load level: `keep 10: 25 and 35 are the same within 5 %, 50 is 6-11 % slower`. */
export function adviceWords(advice: Recommendation, run: Summary['run']): string {
  const label = labelsOf(run);
  if (advice.against === null) return notesWords(advice.notes);
  if (isEither(advice, run)) return `no difference within ${run.marginPercent} %, ${eitherWords(run)}`;
  const reasons = reasonsOf(advice, run.marginPercent, label).join(', ');
  if (advice.keep !== null) return `${advice.keep === run.control ? 'keep' : 'take'} ${label(advice.keep)}: ${reasons}`;
  const [wait] = advice.notes;
  return `${openWords(advice, run)}${wait === undefined ? '' : ` (${noteWords(wait)})`}${reasons && `; ${reasons}`}`;
}

/** True for releases that are all the same: of those none is smaller, and the control is only the one that was named first. */
function isEither({ keep, same }: Recommendation, { releases, variants }: Summary['run']): boolean {
  return releases === true && keep !== null && same.length === variants.length - 1;
}

/** `take either, 4.12.12 or 4.14.0` */
function eitherWords(run: Summary['run']): string {
  const names = listOf(run.variants, labelsOf(run), 'or');
  return run.variants.length === 2 ? `take either, ${names}` : `take any of ${names}`;
}

/** `not decided yet, 5 or 10: 25 may still be up to 6 % better than 5` */
function openWords(advice: Recommendation, run: Summary['run']): string {
  if (advice.against === null) return notesWords(advice.notes);
  const label = labelsOf(run);
  const { candidates, undecided, open, against } = advice;
  // What is known of each by itself may be that it is not better, and of all together not yet.
  const unknown = undecided.length > 0 ? undecided : candidates.filter((one) => one !== against);
  const known = [...open].sort((a, b) => b.percent - a.percent)[0];
  const why =
    known === undefined
      ? `it is open whether ${named(unknown, label, MOST_NAMED)} better than ${label(against)}`
      : `${label(known.variant)} may still be up to ${formatSize(known.percent)} % better than ${label(against)}`;
  return `not decided yet, ${listOf(candidates, label, 'or', MOST_NAMED)}: ${why}`;
}

/** `nothing tried is more than 3.6 % better` */
export function boundWords(percent: number | null): string {
  if (percent === null) return 'nothing else tried can be taken';
  return percent === 0 ? 'nothing tried is better' : `nothing tried is more than ${formatSize(percent)} % better`;
}

/** The short names of settings, such as `10` for `pool=10`. */
function labelsOf(run: Summary['run']): (variant: string) => string {
  const labels = new Map(run.settings.map(({ variant, label }) => [variant, label]));
  return (variant) => labels.get(variant) ?? variant;
}

/** The other settings, compared with the one in question. */
function reasonsOf(advice: Recommendation, marginPercent: number, label: (variant: string) => string): string[] {
  const { same, slower, notBetter, failing } = advice;
  return [
    ...(same.length === 0 ? [] : [`${named(same, label)} the same within ${marginPercent} %`]),
    ...slower.map(({ variant, interval }) => `${label(variant)} is ${sizeOf(interval)}slower`),
    ...notBetter.map(({ variant, percent }) =>
      percent === 0
        ? `${label(variant)} is not better`
        : `${label(variant)} is at most ${formatSize(percent)} % better`,
    ),
    ...(failing.length === 0 ? [] : [`more requests fail with ${listOf(failing, label)}`]),
  ];
}

/** `25 is`, `25 and 35 are` */
function named(variants: readonly string[], label: (variant: string) => string, most?: number): string {
  return `${listOf(variants, label, 'and', most)} ${variants.length === 1 ? 'is' : 'are'}`;
}

/** `10, 25 or 35`; of many the first, and how many more there are. */
function listOf(
  variants: readonly string[],
  label: (variant: string) => string,
  last = 'and',
  most = variants.length,
): string {
  const left = variants.length - most;
  const names = left > 1 ? [...variants.slice(0, most).map(label), `${left} more`] : variants.map(label);
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}

/** `1, 25 and 50 connections`: what all have in common once. */
export function loadsWords(loads: readonly LoadLevel[]): string {
  const labels = loads.map(loadLabel);
  const [unit] = labels.map((text) => text.replace(/^\S+ ?/, '')).slice(-1);
  const isCommon = (text: string): boolean => text === unit || `${text}s` === unit;
  const have = unit !== undefined && unit !== '' && labels.every((text) => isCommon(text.replace(/^\S+ ?/, '')));
  if (!have || labels.length < 2) return listOf(labels, (text) => text);
  return `${listOf(labels, (text) => text.replace(/ .*$/, ''))} ${unit}`;
}

/** `6-11 % `: both ends of the interval, the nearer first; empty where there is none. */
export function sizeOf(interval: readonly [number, number] | null): string {
  if (interval === null) return '';
  const [near, far] = interval.map((end) => Number(Math.abs(end).toPrecision(2))).sort((a, b) => a - b);
  return `${near}-${far} % `;
}
