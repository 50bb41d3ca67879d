import { present } from '../base/present.ts';
import { loadKey } from '../journal/load-level.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';
import { cutTo, formatDelta } from '../judge/format.ts';
import { judgedOf } from '../judge/judged-view.ts';
import type { Summary } from '../judge/summary.ts';
import type { Comparison } from '../judge/verdicts/comparison.ts';
import type { RequestComparison } from '../judge/verdicts/requests.ts';
import { rank } from './words/judged.ts';

/** The changes by request that the judged metric of their cell hides: it goes the other way, or shows no change. */
export function againstJudged({ comparisons, requests, run }: Summary): ReadonlySet<RequestComparison> {
  const judged = judgedOf(run);
  const cell = (one: Comparison): string => `${loadKey(one.load)} ${one.variant}`;
  const gains = new Map(
    comparisons.flatMap((one) =>
      one.metric === judged.name ? [[cell(one), isGain(one, judged.better)] as const] : [],
    ),
  );
  return new Set(
    requests.comparisons.filter((one) => {
      const gain = isGain(one, 'lower');
      return gain !== null && gain !== gains.get(cell(one));
    }),
  );
}

/** True for better, false for worse; null without a difference. */
function isGain({ verdict }: Comparison, better: 'higher' | 'lower' | null): boolean | null {
  return better === null || (verdict !== 'higher' && verdict !== 'lower') ? null : verdict === better;
}

/**
 * `, but by request create post (+42.0 %) takes longer, list (-63.8 %) and 2 more take less time`: differences that one
 * number for all kinds of request hides, and no others. Empty where it hides nothing.
 */
export function apartWords(summary: Summary, cell: Pick<Comparison, 'variant' | 'load'>, most: Most): string {
  const hidden = [...againstJudged(summary)].filter((one) => isOf(one, cell));
  if (hidden.length === 0) return '';
  // What loses first.
  const sides = (['higher', 'lower'] as const)
    .map((wanted) => hidden.filter(({ verdict }) => verdict === wanted))
    .filter((side) => side.length > 0);
  return `, but by request ${sides.map((side) => sideWords(side, most)).join(', ')}`;
}

/** How much a sentence may name. */
interface Most {
  readonly names: number;
  readonly characters: number;
}

function isOf(
  one: RequestComparison,
  { variant, load }: { readonly variant: string; readonly load: LoadLevel },
): boolean {
  return one.variant === variant && loadKey(one.load) === loadKey(load);
}

function sideWords(side: readonly RequestComparison[], { names, characters }: Most): string {
  const sorted = [...side].sort((a, b) => rank(a) - rank(b));
  const named = sorted
    .slice(0, names)
    .map(({ request, deltaPercent }) =>
      deltaPercent === null
        ? cutTo(characters, request)
        : `${cutTo(characters, request)} (${formatDelta(deltaPercent)})`,
    );
  const all = present([...named, side.length > names && `${side.length - names} more`]);
  const verb = all.length === 1 ? 'takes' : 'take';
  const list = all.length === 1 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
  return `${list} ${verb} ${side[0]?.verdict === 'higher' ? 'longer' : 'less time'}`;
}
