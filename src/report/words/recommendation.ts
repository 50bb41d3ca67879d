import { groupBy } from '../../base/group-by.ts';
import { asSentence, present } from '../../base/present.ts';
import { limitLabel } from '../../journal/capacity/capacity-spec.ts';
import { loadLabel, underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatSize } from '../../judge/format.ts';
import { differs, judgedOf, viewOf } from '../../judge/judged-view.ts';
import { MIN_ROUNDS } from '../../judge/stats/looks.ts';
import type { Summary } from '../../judge/summary.ts';
import type { CheapestBy } from '../../judge/verdicts/decision/cost-order.ts';
import {
  type Decided,
  type Recommendation,
  type Undecided,
  worstRival,
} from '../../judge/verdicts/decision/recommend.ts';
import { branchAnswer } from './branch-answer.ts';
import { foundLine, loadsWords, variantWords } from './found.ts';
import { listed } from './listed.ts';
import { notesWords, noteWords } from './note-words.ts';
import { betterWords, takenWords } from './search-words.ts';

/** Load levels that the short decision names by themselves. */
const MOST_GROUPS = 3;
/** Settings that are not decided yet and stand there by name; of more the first, and how many more there are. */
const MOST_NAMED = 4;

/** Which setting to take: a sentence for each load level; none where nothing asks for it. */
export function recommendationOf({ recommendation, run, session }: Summary): string[] {
  // The warnings have said why there are no verdicts.
  if (run.question !== 'best' || run.quick || session.verdict === 'unfit') return [];
  return recommendation.map((one) => `${loadLabel(one.load)}: ${adviceWords(one, run)}.`);
}

/** The answer to the question of the run in a sentence or two; null where there is none. */
export function answerOf(summary: Summary): string | null {
  const { run, session, capacity } = summary;
  if (run.quick || run.rounds === 0 || capacity !== null || session.verdict === 'unfit') return null;
  if (run.question === 'best') return decisionOf(summary);
  if (run.rounds >= MIN_ROUNDS) {
    const answer = branchAnswer(summary);
    if (answer !== null) return answer;
  }
  return (run.releases === true ? eitherLine(summary) : null) ?? foundLine(summary);
}

/** The decision as one says it aloud, for all load levels together where it holds for all; null where there is none. */
function decisionOf(summary: Summary): string | null {
  const { recommendation, recommended, run } = summary;
  if (recommendation.length === 0) return null;
  const label = labelsOf(run);
  const either = eitherLine(summary);
  if (either !== null) return either;
  const loads = recommendation.map(({ load }) => load);
  if (summary.search !== undefined && recommended.variant !== null) return `${takenWords(summary, recommended)}.`;
  if (recommended.variant !== null) {
    const taken = `Take ${label(recommended.variant)}${heldPoolsWords(run, recommended.variant)}`;
    const [only, ...more] = viewOf(summary).variants;
    // Of two the change itself says more than the bound of the other.
    if (only !== undefined && more.length === 0 && only.differing.length > 0)
      return `${taken}: ${variantWords(only, summary)}.`;
    return `${taken}: ${boundWords(recommended.othersBetterPercent, recommendation, summary)} (${loadsWords(loads)}).`;
  }
  const decided = recommendation.flatMap((one) => (one.state === 'decided' ? [one] : []));
  const taken = groupBy(decided, ({ keep }) => keep).flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const percents = own.flatMap(({ othersBetterPercent }) => othersBetterPercent ?? []);
    const most = percents.length === 0 ? null : Math.max(...percents);
    return [
      `take ${label(first.keep)}${heldPoolsWords(run, first.keep)} with ${loadsWords(own.map(({ load }) => load))} (${boundWords(most, own, summary)})`,
    ];
  });
  const open = recommendation.filter(({ state }) => state !== 'decided');
  return present([
    taken.length > 0 && `${asSentence(taken.join(', '))}.`,
    ...openSentences(open, run),
    summary.search !== undefined && betterWords(summary),
  ]).join(' ');
}

/**
 * The sentence for settings of which none is cheaper, and none is better by what counts; null where one is to be taken, or
 * where it is not decided.
 */
function eitherLine(summary: Summary): string | null {
  const { recommendation, recommended, run } = summary;
  const good = recommendation.map((one) => (one.state === 'decided' ? [one.keep, ...one.asGood] : []));
  const names = run.variants.filter((name) => good.every((own) => own.includes(name)));
  if (recommended.variant === null || names.length < 2) return null;
  const label = labelsOf(run);
  const where = loadsWords(recommendation.map(({ load }) => load));
  const changed = viewOf(summary).variants.filter(({ variant }) => names.includes(variant));
  const isSame =
    names.includes(run.control) && changed.every(({ differing, unclear }) => [...differing, ...unclear].length === 0);
  const margin = `${run.marginPercent} %`;
  if (isSame) {
    const which = names.length === 2 ? 'take either,' : 'take any of';
    return `No difference within ${margin}: ${which} ${listOf(names, label, 'or')} (${where}).`;
  }
  const [only, ...more] = changed;
  if (only === undefined || more.length > 0 || !names.includes(run.control))
    return `Any of ${listOf(names, label, 'or')}: none beats another by the ${margin} that count (${where}).`;
  const ends = only.differing.flatMap(({ interval }) => interval?.map(Math.abs) ?? []);
  const isLess = Math.max(0, ...ends) < run.marginPercent;
  const bound = isLess ? `less than the ${margin} that count` : `and hardly the ${margin} that count`;
  return `Either: ${variantWords(only, summary)}, ${bound}.`;
}

const cheapestWords: Readonly<Record<Exclude<CheapestBy, 'level' | 'listed'>, string>> = {
  cost: 'lowest cost in the scenario',
  memory_mb: 'least memory',
  cpu: 'least CPU a request',
  connections: 'fewest connections',
};

/** `cheapest: smallest pool`; null where there is no decision to make. */
export function cheapestLine(summary: Summary): string | null {
  const { recommendation, recommended, run } = summary;
  // Of releases none is cheaper.
  const isAsked = run.releases !== true && recommendation.some(({ against }) => against !== null);
  const by = recommended.cheapestBy;
  // None is for its place in the file.
  if (by === 'listed' || !isAsked || recommendationOf(summary).length === 0) return null;
  if (by !== 'level') return `cheapest: ${cheapestWords[by]}`;
  const [factor = 'level'] = Object.keys(run.settings[0]?.factors ?? {});
  return `cheapest: smallest ${factor}`;
}

/** Reasons that keep load levels from a decision; levels with the same reason stand together. */
function openSentences(open: readonly Recommendation[], run: Summary['run']): string[] {
  const groups = groupBy(open, (one) => openWords(one, run));
  const shown = groups.slice(0, MOST_GROUPS).flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    return [`${asSentence(openWords(first, run))} (${loadsWords(own.map(({ load }) => load))}).`];
  });
  const more = groups.slice(MOST_GROUPS).flat().length;
  return more === 0 ? shown : [...shown, `Not decided for ${more} more.`];
}

/** The advice for one load level: `keep 10: 25 and 35 are the same within 5 %, 50 is 6-11 % slower`. */
export function adviceWords(advice: Recommendation, run: Summary['run']): string {
  const label = labelsOf(run);
  if (advice.state === 'none') return notesWords(advice.notes);
  const reasons = reasonsOf(advice, run, label).join(run.variants.some((name) => name.includes(', ')) ? '; ' : ', ');
  if (advice.state === 'decided') {
    const { keep, asGood } = advice;
    const verb = keep === run.control && asGood.length === 0 ? 'keep' : 'take';
    return `${verb} ${listOf([keep, ...asGood], label, 'or')}${reasons && `: ${reasons}`}`;
  }
  const [wait] = advice.notes;
  return `${openWords(advice, run)}${wait.kind === 'withheld' ? '' : ` (${noteWords(wait)})`}${reasons && `; ${reasons}`}`;
}

/** `not decided yet, 5 or 10: 25 may still be up to 6 % better than 5` */
function openWords(advice: Recommendation, run: Summary['run']): string {
  if (advice.state === 'decided') return '';
  if (advice.state === 'none') return notesWords(advice.notes);
  const label = labelsOf(run);
  const { state, candidates, undecided, same, against } = advice;
  if (state === 'stuck')
    return `cannot be decided: ${listOf(undecided, label, 'and', MOST_NAMED)} ${undecided.length === 1 ? 'has' : 'have'} no verdict that more rounds would bring`;
  const apart = undecided.filter((one) => !same.includes(one));
  const known = worstRival(advice);
  const which =
    candidates.length > MOST_NAMED
      ? `${label(against)} or one of ${candidates.length - 1} others`
      : listOf(candidates, label, 'or');
  const others = undecided.length > MOST_NAMED ? `${undecided.length} others are` : named(undecided, label);
  // They are the same at the level of that verdict, and the test of the decision is another.
  if (apart.length === 0)
    return `not decided yet, ${which}: ${named(undecided, label)} the same, but not surely enough to take ${label(against)}`;
  const why =
    known === null
      ? `it is open whether ${others} better than ${label(against)}`
      : `${label(known.variant)} may still be up to ${formatSize(known.percent)} % better than ${label(against)}`;
  return `not decided yet, ${which}: ${why}`;
}

/** `nothing tried is more than 3.6 % better`; or of what can be taken alone, where a setting that fails may be better by more. */
function boundWords(percent: number | null, advice: readonly Recommendation[], summary: Summary): string {
  if (percent === null) return 'nothing else tried can be taken';
  const isOpen = advice.some(({ load, failing }) => failing.some((variant) => !isWorse(variant, load, summary)));
  const others = isOpen ? 'nothing else that can be taken' : 'nothing tried';
  return `${others} is ${percent === 0 ? '' : `more than ${formatSize(percent)} % `}better`;
}

/** True where it is shown to be worse than the control. The bound holds for the control, and so for such a setting. */
function isWorse(variant: string, load: LoadLevel, summary: Summary): boolean {
  const { metric } = viewOf(summary);
  const own = underLoad(summary.comparisons, load).filter((one) => one.variant === variant);
  return own.some((one) => one.metric === metric.name && differs(one) && one.verdict !== metric.better);
}

/** The short names of settings, such as `10` for `pool=10`. */
function labelsOf(run: Summary['run']): (variant: string) => string {
  const labels = new Map(run.settings.map(({ variant, label }) => [variant, label]));
  return (variant) => labels.get(variant) ?? variant;
}

/** The other settings, compared with the one in question. */
function reasonsOf(advice: Decided | Undecided, run: Summary['run'], label: (variant: string) => string): string[] {
  const { marginPercent, keep } = run;
  const { same, slower, notBetter, failing, notKeeping = [] } = advice;
  const [is, worse] = judgedOf(run).group === 'work' ? ['takes', 'more'] : ['is', 'slower'];
  const failingMore = failing.filter((one) => !notKeeping.includes(one));
  return [
    ...(same.length === 0 ? [] : [`${named(same, label)} the same within ${marginPercent} %`]),
    ...slower.map(({ variant, interval }) => `${label(variant)} ${is} ${sizeOf(interval)}${worse}`),
    ...notBetter.map(({ variant, percent }) =>
      percent === 0
        ? `${label(variant)} is not better`
        : `${label(variant)} is at most ${formatSize(percent)} % better`,
    ),
    ...(failingMore.length === 0 ? [] : [`more requests fail with ${listOf(failingMore, label)}`]),
    ...(keep === undefined || notKeeping.length === 0
      ? []
      : [`${keep.map(limitLabel).join(', ')} not kept for sure by ${listOf(notKeeping, label)}`]),
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
  last: 'and' | 'or' = 'and',
  most = variants.length,
): string {
  const left = variants.length - most;
  const names = left > 1 ? [...variants.slice(0, most).map(label), `${left} more`] : variants.map(label);
  return listed(names, last);
}

/** `6-11 % `: both ends of the interval, the nearer first; empty where there is none. */
export function sizeOf(interval: readonly [number, number] | null): string {
  if (interval === null) return '';
  const [near, far] = interval.map((end) => Number(Math.abs(end).toPrecision(2))).sort((a, b) => a - b);
  return `${near}-${far} % `;
}

/** ` in each of 4 processes (20 sessions)`: after the size of a pool that several have; empty where one has it. */
function heldPoolsWords({ heldPools = [] }: Pick<Summary['run'], 'heldPools'>, variant: string): string {
  const held = heldPools.find((one) => one.variant === variant);
  if (held === undefined) return '';
  const { pools, processes, sessions } = held;
  const each = processes === pools ? `${pools} processes` : `${pools} pools`;
  return ` in each of ${each} (${sessions} sessions seen)`;
}
