import type { Recommendation } from '../../analysis/judge/recommend.ts';
import type { Summary } from '../../analysis/summary.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { notesWords, noteWords } from './note-words.ts';

const ALL_LEVELS = 'All load levels: ';

/** Which setting to take: a sentence per load level, and one for all of them where there are several. */
export function recommendationOf({ recommendation, run, session }: Summary): string[] {
  // The warnings have said why there are no verdicts.
  if (run.quick || session.verdict === 'unfit' || recommendation.length === 0) return [];
  const each = recommendation.map((one) => `${loadLabel(one.load)}: ${adviceWords(one, run)}.`);
  return recommendation.length === 1 ? each : [...each, overall(recommendation)];
}

/** The same in one sentence; null where there is none. */
export function shortRecommendationOf(summary: Summary): string | null {
  const sentence = recommendationOf(summary).at(-1) ?? null;
  const { recommendation } = summary;
  if (sentence === null || recommendation.length === 1) return sentence;
  const kept = new Set(recommendation.map(({ keep }) => keep));
  const [only] = kept;
  if (kept.size === 1 && only) return `${only} under every load level.`;
  return sentence.replace(ALL_LEVELS, '');
}

/** The advice for one load level: `keep 10: 25 and 35 are the same within 5 %, 50 is 6-11 % slower`. */
export function adviceWords(advice: Recommendation, run: Summary['run']): string {
  const labels = new Map(run.settings.map(({ variant, label }) => [variant, label]));
  const label = (variant: string): string => labels.get(variant) ?? variant;
  if (advice.against === null) return notesWords(advice.notes);
  const reasons = reasonsOf(advice, run.marginPercent, label).join(', ');
  if (advice.keep !== null) {
    return `${advice.keep === run.control ? 'keep' : 'take'} ${label(advice.keep)}: ${reasons}`;
  }
  const [wait] = advice.notes;
  const open = `whether ${named(advice.undecided, label)} better than ${label(advice.against)} is open`;
  return `no recommendation: ${open}${wait === undefined ? '' : ` (${noteWords(wait)})`}${reasons && `; ${reasons}`}`;
}

/** The other settings, compared with the one in question. */
function reasonsOf(advice: Recommendation, marginPercent: number, label: (variant: string) => string): string[] {
  const { same, slower, failing } = advice;
  return [
    ...(same.length === 0 ? [] : [`${named(same, label)} the same within ${marginPercent} %`]),
    ...slower.map(({ variant, interval }) => `${label(variant)} is ${sizeOf(interval)}slower`),
    ...(failing.length === 0 ? [] : [`more requests fail with ${listOf(failing, label)}`]),
  ];
}

/** `25 is`, `25 and 35 are` */
function named(variants: readonly string[], label: (variant: string) => string): string {
  return `${listOf(variants, label)} ${variants.length === 1 ? 'is' : 'are'}`;
}

function listOf(variants: readonly string[], label: (variant: string) => string): string {
  const names = variants.map(label);
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `6-11 % `: both ends of the interval, the nearer first; empty where there is none. */
function sizeOf(interval: readonly [number, number] | null): string {
  if (interval === null) return '';
  const [near, far] = interval.map((end) => Number(Math.abs(end).toPrecision(2))).sort((a, b) => a - b);
  return `${near}-${far} % `;
}

function overall(recommendation: Summary['recommendation']): string {
  const open = recommendation.filter(({ keep }) => keep === null);
  const kept = [...new Set(recommendation.flatMap(({ keep }) => keep ?? []))];
  const [only] = kept;
  if (open.length === 0 && only !== undefined && kept.length === 1) return `All load levels agree: ${only}.`;
  if (kept.length > 1) {
    const each = kept.map((variant) => {
      const loads = recommendation.filter(({ keep }) => keep === variant).map(({ load }) => loadLabel(load));
      return `${variant} with ${listOf(loads, (load) => load)}`;
    });
    return `No one setting for all load levels: ${each.join('; ')}.`;
  }
  const silent = open.map(({ load }) => loadLabel(load)).join(', ');
  return only === undefined
    ? `${ALL_LEVELS}nothing can be said yet.`
    : `${ALL_LEVELS}${only} where it can be said; nothing can be said yet for ${silent}.`;
}
