import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { RecommendationNote } from '../../notes.ts';
import { judgedMetric } from '../../read/metrics/judged-metric.ts';
import type { RunData } from '../../read/run-data.ts';
import { looks } from '../../stats/looks.ts';
import { significant } from '../../stats/rounding.ts';
import type { JudgedComparison } from '../compare.ts';
import type { Session } from '../session.ts';
import { type Advantage, type PercentOf, percentIn } from './advantage.ts';
import { byCost, type CheapestBy, type CostOrder } from './cost-order.ts';
import { type Decision, decide, type Tested } from './decide.ts';

/** Which setting to take under one load level. Settings are named as variants. */
export interface Recommendation {
  readonly load: LoadLevel;
  /** The variant to keep or take: no other is better by the margin. Null where that is not decided. */
  readonly keep: string | null;
  /** The settings that may be the one to take, the cheapest first: where it is decided that one alone. */
  readonly candidates: readonly string[];
  /**
   * The setting that the lists below are compared with: the one to keep, else the first candidate. Null without
   * candidates.
   */
  readonly against: string | null;
  /**
   * No other setting is better than `against` by so many percent or more, at 95 %; 0 where none is better. Null where that is not
   * known.
   */
  readonly othersBetterPercent: number | null;
  /** Settings that are the same within the margin. */
  readonly same: readonly string[];
  readonly slower: readonly Apart[];
  /** Settings that are better for certain, if by less than the margin. */
  readonly better: readonly Apart[];
  /** Not better by the margin, and not known to be slower or the same. */
  readonly notBetter: readonly AtMost[];
  /** More of their requests failed than of the control's, or they lost documents. */
  readonly failing: readonly string[];
  /** They may be better than `against` by the margin; empty where there is one to keep. */
  readonly undecided: readonly string[];
  /** Those of them whose bound is known: by how many percent at most. */
  readonly open: readonly AtMost[];
  readonly notes: readonly RecommendationNote[];
}

interface Apart {
  readonly variant: string;
  /** By how many percent it is better: low, high, both on one side of 0. Null where there is none. */
  readonly interval: readonly [number, number] | null;
}

interface AtMost {
  readonly variant: string;
  /** It is better by no more than this. */
  readonly percent: number;
}

/** Which setting to take under all load levels. */
export interface Recommended {
  /** The variant that no other is better than by the margin, under any load level. Null where levels differ, or one is not decided. */
  readonly variant: string | null;
  /** The largest of `othersBetterPercent` over the load levels; null without a variant. */
  readonly othersBetterPercent: number | null;
  /**
   * The criterion for the cheapest. `cost`: numbers in the scenario. `memory_mb`, `cpu`: what was measured. `level`:
   * the smallest level. `connections`: the fewest of all instances. `listed`: the control, then the order of the
   * scenario.
   */
  readonly cheapestBy: CheapestBy;
}

/** Both of a run's answers to the question which setting to take. */
export interface Advice {
  readonly recommended: Recommended;
  readonly recommendation: readonly Recommendation[];
}

/**
 * The cheapest setting for each load level that no other beats by the margin, and the one for all of them where there
 * is one. Never the arg max: among equals that is chance.
 */
export function recommend(data: RunData, comparisons: readonly JudgedComparison[], session: Session): Advice {
  const judged = judgedMetric(data.scenario);
  const headline = comparisons.filter(({ metric }) => metric.name === judged.name);
  const levels = data.scenario.load.levels;
  const order = byCost(data);
  const nothing = (kind: WhyNone): Advice => ({
    recommended: noneForAll(order),
    recommendation: levels.map((load) => ({ load, ...none(kind) })),
  });
  if (headline.length === 0) return nothing('no-variants');
  if (session.verdict === 'unfit') return nothing('unfit');
  if (data.quick) return nothing('quick');
  const decisions = decide(data, judged, headline);
  return {
    recommended: forAll(order, decisions, percentIn(judged)),
    recommendation: decisions.map((one) => recommendationOf(one, percentIn(judged))),
  };
}

/** The most expensive of the settings that were decided, if it is good enough under every load level. */
function forAll(order: CostOrder, decisions: readonly Decision[], percentOf: PercentOf): Recommended {
  const kept = new Set(decisions.flatMap(({ first }) => (first?.isNonInferior ? [first.setting.variant] : [])));
  const variant = order.settings.findLast((setting) => kept.has(setting.variant))?.variant ?? null;
  const tests = decisions.map(({ settings, first, test }) => {
    const setting = settings.find((one) => one.variant === variant);
    if (setting === undefined || first?.isNonInferior !== true) return null;
    return setting === first.setting ? first : test(setting);
  });
  if (!tests.every((one) => one?.isNonInferior === true)) return noneForAll(order);
  const othersBetterPercent = Math.max(...tests.map((one) => boundOf(one, percentOf) ?? 0));
  return { variant, othersBetterPercent, cheapestBy: order.by };
}

function noneForAll({ by }: CostOrder): Recommended {
  return { variant: null, othersBetterPercent: null, cheapestBy: by };
}

type Choice = Omit<Recommendation, 'load'>;
type WhyNone = Exclude<RecommendationNote['kind'], 'rounds-needed'>;

function none(kind: WhyNone): Choice {
  return {
    keep: null,
    candidates: [],
    against: null,
    othersBetterPercent: null,
    same: [],
    slower: [],
    better: [],
    notBetter: [],
    failing: [],
    undecided: [],
    open: [],
    notes: [{ kind }],
  };
}

function recommendationOf(decision: Decision, percentOf: PercentOf): Recommendation {
  const { load, first, failing, marginLog } = decision;
  if (first === null) return { load, ...none('none-sustained') };
  const { setting, others, share, isNonInferior, roundsNeeded } = first;
  const same = others.filter(({ isSame }) => isSame);
  const isSlower = ({ widest }: Advantage): boolean => widest !== null && widest[1] < 0;
  const isBetter = ({ widest }: Advantage): boolean => widest !== null && widest[0] > 0;
  // What left is worse than the best by more than the margin, by whatever it is worse than this one.
  const slower = others.filter((one) => !same.includes(one) && (isSlower(one) || decision.left.has(one.other)));
  const rest = others.filter((one) => !same.includes(one) && !slower.includes(one));
  const bounds = rest.map((one) => ({ variant: one.other, most: one.most(share) }));
  const known = bounds.flatMap(({ variant, most }) =>
    most === null ? [] : [{ variant, isOpen: most >= marginLog, percent: significant(Math.max(0, percentOf(most))) }],
  );
  const listed = (isOpen: boolean): AtMost[] =>
    known.filter((one) => one.isOpen === isOpen).map(({ variant, percent }) => ({ variant, percent }));
  const notBetter = listed(false);
  return {
    load,
    keep: isNonInferior ? setting.variant : null,
    candidates: candidatesOf(decision, first),
    against: setting.variant,
    othersBetterPercent: boundOf(first, percentOf),
    same: same.map(({ other }) => other),
    slower: slower.map((one) => apartBy(one, isSlower(one), percentOf)),
    better: others.filter(isBetter).map((one) => apartBy(one, true, percentOf)),
    notBetter,
    failing: failing.map(({ variant }) => variant),
    undecided: isNonInferior
      ? []
      : rest.flatMap(({ other }) => (notBetter.some(({ variant }) => variant === other) ? [] : [other])),
    open: isNonInferior ? [] : listed(true),
    notes: isNonInferior ? [] : [{ kind: 'rounds-needed', rounds: roundsNeeded, most: looks.at(-1) ?? 0 }],
  };
}

function apartBy({ other, widest }: Advantage, isApart: boolean, percentOf: PercentOf): Apart {
  if (widest === null || !isApart) return { variant: other, interval: null };
  return { variant: other, interval: [significant(percentOf(widest[0])), significant(percentOf(widest[1]))] };
}

/** From the first setting that is not shown to be worse than another to the first that is good enough. */
function candidatesOf({ settings, worse, test }: Decision, first: Tested): string[] {
  const names: string[] = [];
  for (const setting of settings.slice(settings.indexOf(first.setting))) {
    if (setting !== first.setting && worse.has(setting.variant)) continue;
    names.push(setting.variant);
    if ((setting === first.setting ? first : test(setting)).isNonInferior) break;
  }
  return names;
}

/** Where all others are shown to be worse by more than the margin there is nothing left to test, and none is better. */
function boundOf(tested: Tested | null, percentOf: PercentOf): number | null {
  if (tested === null || tested.others.length === 0) return null;
  if (tested.most === null) return tested.isNonInferior ? 0 : null;
  return significant(Math.max(0, percentOf(tested.most)));
}
