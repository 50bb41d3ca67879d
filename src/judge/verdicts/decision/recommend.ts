import type { NonEmpty } from '../../../base/present.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { RecommendationNote } from '../../notes.ts';
import { judgedMetric } from '../../read/metrics/judged-metric.ts';
import type { RunData } from '../../read/run-data.ts';
import { looks, MIN_ROUNDS } from '../../stats/looks.ts';
import { significant, significantRange } from '../../stats/rounding.ts';
import type { JudgedComparison } from '../compare.ts';
import { isUnfitUnder, type Session } from '../session.ts';
import { type Advantage, type PercentOf, percentIn } from './advantage.ts';
import { byCost, type CheapestBy, type CostOrder } from './cost-order.ts';
import { type Decision, decide, type Tested } from './decide.ts';

/** Other settings, compared with the one in question. Settings are named as variants. */
interface Compared {
  readonly load: LoadLevel;
  /**
   * No other setting is better than `against` by this many percent or more, at 95 %; 0 where none is better. Null where that is not
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
  /** More of their requests failed than of the control's, they lost documents, or they are not shown to keep the limits of a search. */
  readonly failing: readonly string[];
  /** Those of them that are not shown to keep the limits. Absent where there are none. */
  readonly notKeeping?: readonly string[];
}

/** The setting to take under one load level: no other is better by the margin. */
export interface Decided extends Compared {
  readonly state: 'decided';
  /** The variant to keep or take. */
  readonly keep: string;
  /** Variants that will do as well, where none is cheaper than another. */
  readonly asGood: readonly string[];
  readonly candidates: readonly [string];
  readonly against: string;
  readonly undecided: readonly [];
  readonly open: readonly [];
  readonly notes: readonly [];
}

/** A load level without a decision, since other settings may be better than the first candidate. */
export interface Undecided extends Compared {
  /** `stuck`: more rounds do not decide it. */
  readonly state: 'open' | 'stuck';
  readonly keep: null;
  /** The settings that may be the one to take, the cheapest first. */
  readonly candidates: NonEmpty<string>;
  /** The first candidate, which the other lists are compared with. */
  readonly against: string;
  /** They may be better than `against` by the margin. */
  readonly undecided: NonEmpty<string>;
  /** Those of them whose bound is known: by how many percent at most. */
  readonly open: readonly AtMost[];
  readonly notes: NonEmpty<RecommendationNote>;
}

/** A load level for which no setting can be taken. */
export interface NoChoice extends Compared {
  readonly state: 'none';
  readonly keep: null;
  readonly candidates: readonly [];
  readonly against: null;
  readonly undecided: readonly [];
  readonly open: readonly [];
  readonly notes: NonEmpty<RecommendationNote>;
}

/** Which setting to take under one load level, or what is known of it. */
export type Recommendation = Decided | Undecided | NoChoice;

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
  /** The largest of `othersBetterPercent` over the load levels; null without a variant, and where no other setting can be taken. */
  readonly othersBetterPercent: number | null;
  /**
   * The criterion for the cheapest. `cost`: numbers in the scenario. `memory_mb`, `cpu`: what was measured. `level`:
   * the smallest level. `connections`: the fewest of all instances. `listed`: none is cheaper.
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
  const nothing = (kind: 'no-variants' | 'unfit' | 'quick'): Advice => ({
    recommended: noneForAll(order),
    recommendation: levels.map((load) => none(load, { kind })),
  });
  if (headline.length === 0 && data.rounds.length < roundsWithoutChanges(data)) return nothing('no-variants');
  if (session.verdict === 'unfit') return nothing('unfit');
  if (data.quick) return nothing('quick');
  const decisions = decide(data, judged, headline);
  const isUnfit = ({ load }: Decision): boolean => isUnfitUnder(session, load);
  return {
    recommended: decisions.some(isUnfit) ? noneForAll(order) : forAll(order, decisions, percentIn(judged)),
    recommendation: decisions.map((one) => adviceOn(one, session, percentIn(judged))),
  };
}

/** From how many rounds on there is a decision without any change. A search may leave the control alone, of which limits are asked. */
function roundsWithoutChanges({ scenario }: RunData): number {
  const { tune, variants } = scenario;
  if (tune === undefined) return Number.POSITIVE_INFINITY;
  return tune.keep === undefined && variants.length === 1 ? 1 : MIN_ROUNDS;
}

/** The advice for one load level. */
export function adviceOn(decision: Decision, session: Pick<Session, 'reasons'>, percentOf: PercentOf): Recommendation {
  return isUnfitUnder(session, decision.load)
    ? none(decision.load, { kind: 'unfit' })
    : recommendationOf(decision, percentOf);
}

/** The setting that may be better by the most, of those that are not the same as the first candidate; null where none of them has a bound. */
export function worstRival({ undecided, open, same }: Pick<Undecided, 'undecided' | 'open' | 'same'>): AtMost | null {
  const apart = open.filter(({ variant }) => undecided.includes(variant) && !same.includes(variant));
  return apart.sort((a, b) => b.percent - a.percent)[0] ?? null;
}

/**
 * The most expensive of the settings that were decided, if it is good enough under every load level. Where none is cheaper, the
 * first of them that is.
 */
function forAll(order: CostOrder, decisions: readonly Decision[], percentOf: PercentOf): Recommended {
  const decided = decisions.flatMap(({ answer }) => (answer.state === 'decided' ? [answer.tested] : []));
  const kept = order.settings.filter(({ variant }) => decided.some(({ setting }) => setting.variant === variant));
  if (decided.length < decisions.length) return noneForAll(order);
  for (const { variant } of order.by === 'listed' ? kept : kept.slice(-1)) {
    const tests = decisions.flatMap(({ settings, test }, level) => {
      const [own, setting] = [decided[level], settings.find((one) => one.variant === variant)];
      if (setting === undefined || own === undefined) return [];
      return [own.setting === setting ? own : test(setting)];
    });
    if (tests.length < decisions.length || tests.some(({ open }) => open.length > 0)) continue;
    const bounds = tests.flatMap((one) => boundOf(one, percentOf) ?? []);
    const othersBetterPercent = bounds.length === 0 ? null : Math.max(...bounds);
    return { variant, othersBetterPercent, cheapestBy: order.by };
  }
  return noneForAll(order);
}

function noneForAll({ by }: CostOrder): Recommended {
  return { variant: null, othersBetterPercent: null, cheapestBy: by };
}

type Failing = Pick<Compared, 'failing' | 'notKeeping'>;

function none(load: LoadLevel, note: RecommendationNote, failing: Failing = { failing: [] }): NoChoice {
  return {
    load,
    state: 'none',
    keep: null,
    candidates: [],
    against: null,
    othersBetterPercent: null,
    same: [],
    slower: [],
    better: [],
    notBetter: [],
    ...failing,
    undecided: [],
    open: [],
    notes: [note],
  };
}

function recommendationOf(decision: Decision, percentOf: PercentOf): Recommendation {
  const { load, answer, asGood, failing, notKeeping } = decision;
  const names = failing.map(({ variant }) => variant);
  const out: Failing = { failing: names, ...(notKeeping.size > 0 && { notKeeping: [...notKeeping] }) };
  if (answer.state === 'none') {
    const { nearest, unknown } = answer;
    if (unknown.length > 0) return none(load, { kind: 'limits-unknown', limits: unknown }, out);
    return none(load, { kind: 'none-sustained', ...(nearest && { nearest }) }, out);
  }
  const { tested } = answer;
  const { variant } = tested.setting;
  const found = { load, against: variant, ...comparedWith(decision, tested, percentOf), ...out };
  if (answer.state === 'decided') {
    const others = asGood.map((one) => one.variant);
    return {
      ...found,
      state: 'decided',
      keep: variant,
      asGood: others,
      candidates: [variant],
      undecided: [],
      open: [],
      notes: [],
    };
  }
  const [first, ...others] = answer.rivals;
  return {
    ...found,
    state: answer.state,
    keep: null,
    // Worked out where it is read: the stop rule asks after each round, and does not read it.
    get candidates(): NonEmpty<string> {
      return [variant, ...furtherCandidates(decision, tested)];
    },
    undecided: [first.other, ...others.map(({ other }) => other)],
    open: answer.rivals.flatMap((rival) => atMost(rival, tested, percentOf)),
    notes:
      answer.state === 'stuck'
        ? [{ kind: 'withheld' }]
        : [{ kind: 'rounds-needed', rounds: tested.roundsNeeded(), most: looks.at(-1) ?? 0 }],
  };
}

type Lists = Pick<Compared, 'othersBetterPercent' | 'same' | 'slower' | 'better' | 'notBetter'>;

/** Other settings by what is known of them. One that is open may be the same: to be taken as no better takes more. */
function comparedWith({ left }: Decision, tested: Tested, percentOf: PercentOf): Lists {
  const { others, open } = tested;
  const isSlower = ({ widest }: Advantage): boolean => widest !== null && widest[1] < 0;
  const isBetter = ({ widest }: Advantage): boolean => widest !== null && widest[0] > 0;
  const settled = others.filter((one) => !open.includes(one));
  const same = others.filter(({ isSame }) => isSame);
  // What left is worse than the best by more than the margin, by whatever it is worse than this one.
  const slower = settled.filter((one) => !one.isSame && (isSlower(one) || left.has(one.other)));
  const rest = settled.filter((one) => !same.includes(one) && !slower.includes(one));
  return {
    othersBetterPercent: boundOf(tested, percentOf),
    same: same.map(({ other }) => other),
    slower: slower.map((one) => apartBy(one, isSlower(one), percentOf)),
    better: others.filter(isBetter).map((one) => apartBy(one, true, percentOf)),
    notBetter: rest.flatMap((one) => atMost(one, tested, percentOf)),
  };
}

function atMost(rival: Advantage, { share }: Tested, percentOf: PercentOf): AtMost[] {
  const most = rival.isLower ? 0 : rival.shownMost(share);
  return most === null ? [] : [{ variant: rival.other, percent: significant(Math.max(0, percentOf(most))) }];
}

function apartBy({ other, widest }: Advantage, isApart: boolean, percentOf: PercentOf): Apart {
  if (widest === null || !isApart) return { variant: other, interval: null };
  return { variant: other, interval: significantRange([percentOf(widest[0]), percentOf(widest[1])]) };
}

/** The settings after the first candidate that are not shown to be worse than another, up to one that is good enough. */
function furtherCandidates({ settings, worse, test }: Decision, first: Tested): string[] {
  const names: string[] = [];
  for (const setting of settings.slice(settings.indexOf(first.setting) + 1)) {
    if (worse.has(setting.variant)) continue;
    names.push(setting.variant);
    if (test(setting).open.length === 0) break;
  }
  return names;
}

/** Null where there is no other setting, or where one has no bound. */
function boundOf(tested: Tested | null, percentOf: PercentOf): number | null {
  if (tested === null || tested.others.length === 0 || tested.most === null) return null;
  return significant(percentOf(tested.most));
}
