import { isNonEmpty, type NonEmpty } from '../../../base/present.ts';
import { loadKey, underLoad } from '../../../journal/load-level.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { NearLimits, NotKept } from '../../caveat.ts';
import type { Metric } from '../../read/metrics/metrics.ts';
import type { RunData } from '../../read/run-data.ts';
import { caveatsOf } from '../caveats.ts';
import type { JudgedComparison } from '../compare.ts';
import { nearestToLimits, unknownLimits } from '../limits.ts';
import type { Setting } from '../variant-order.ts';
import { type Advantage, type Advantages, advantageIn, createAdvantages } from './advantage.ts';
import { byCost, type CheapestBy, type CostOrder } from './cost-order.ts';

/** One setting compared with its rivals. */
export interface Tested {
  readonly setting: Setting;
  /** The share of the error that its tests may spend. */
  readonly share: number;
  /** Every other setting whose requests do not fail. */
  readonly others: readonly Advantage[];
  /** Those of them that its tests are against: not shown to be worse than another by more than the margin. */
  readonly rivals: readonly Advantage[];
  /**
   * The bound that every rival's advantage is below, as a log ratio: 0 or less where all are worse. Null where one has
   * none.
   */
  readonly most: number | null;
  /** Rivals that may be better by the margin; empty where the setting is good enough. */
  readonly open: readonly Advantage[];
  /** After how many rounds it would be known of all, or that it is worse than another; null: not by the last look. */
  roundsNeeded(): number | null;
}

/**
 * State of the question which setting to take. `decided`: no rival is better by the margin. `open`: these rivals
 * may be, and rounds decide it. `stuck`: no rounds do, since none of these rivals has a verdict for another reason than
 * noise. `none`: more requests fail with every setting, or none is shown to keep all limits: the nearest misses them by
 * least, or `unknown` ones have no bounds for any setting.
 */
export type Answer =
  | { readonly state: 'decided'; readonly tested: Tested }
  | { readonly state: 'open' | 'stuck'; readonly tested: Tested; readonly rivals: NonEmpty<Advantage> }
  | { readonly state: 'none'; readonly nearest: NearLimits | undefined; readonly unknown: readonly NotKept[] };

/** The decision about one load level, or how far it has come. */
export interface Decision {
  readonly load: LoadLevel;
  readonly order: CheapestBy;
  /** Settings whose requests do not fail, the cheapest first. */
  readonly settings: readonly Setting[];
  readonly failing: readonly Setting[];
  /** Those of them that are not shown to keep the limits of a search. */
  readonly notKeeping: ReadonlySet<string>;
  /**
   * Bound of the cheapest setting that no rival beats by the margin; where that is not known, of the cheapest that is not
   * shown to be worse than another.
   */
  readonly answer: Answer;
  /** Settings besides the one to take that no rival beats by the margin; empty where one is cheaper than another. */
  readonly asGood: readonly Setting[];
  /** Settings that are shown to be worse than another, */
  readonly worse: ReadonlySet<string>;
  /** and those worse by more than the margin. */
  readonly beyondMargin: ReadonlySet<string>;
  /** Those that were found to be so at an earlier look, and are not measured any more. */
  readonly left: ReadonlySet<string>;
  /** The setting with the best estimate, */
  readonly best: string | null;
  /** and those that are worse than it by more than the margin with each round in full as well. */
  readonly mayLeave: readonly string[];
  /** Compares any of `settings` with its rivals. */
  test(setting: Setting): Tested;
}

/** The share of the error of a setting. The next one in the order gets the rest. */
const FIRST_SHARE = 0.9;

/**
 * The share of the error for the test of a setting after so many others that could have been taken wrongly. A setting
 * shown to be worse by more than the margin leaves its share to the next. One shown to be worse, perhaps by less, keeps
 * it: several settings may be worse than the best by just the margin, and each of them is tested. The best of all is
 * never taken wrongly, so one less than all `settings` share the error.
 */
export function errorShare(before: number, settings: number): number {
  const last = Math.max(0, settings - 2);
  const place = Math.min(before, last);
  return (place === last ? 1 : FIRST_SHARE) * (1 - FIRST_SHARE) ** place;
}

/** The share of the error for a test of any setting, where their order may change: one less than all share it. */
export function equalShare(settings: number): number {
  return 1 / Math.max(1, settings - 1);
}

/**
 * Decides for each load level which setting to take: the cheapest that no other beats by the margin. Tests are
 * one-sided, each against one rival, and all of them have to reject, which takes no correction over rivals (Berger,
 * Multiparameter hypothesis testing and acceptance sampling, 1982): a setting that is not good enough would have to
 * pass wrongly against the very one that is better. Settings that could each be taken wrongly share the error, in the
 * order of cost. A setting that fails more than the control is neither taken nor a rival, nor does another leave for
 * it. `headline`: the comparisons with the control.
 */
export function decide(data: RunData, metric: Metric, headline: readonly JudgedComparison[]): Decision[] {
  const advantages = createAdvantages(data, metric, headline);
  const order = byCost(data);
  return data.scenario.load.levels.map((load) => decideLevel(data, load, { metric, headline, advantages, order }));
}

interface Known {
  readonly metric: Metric;
  readonly headline: readonly JudgedComparison[];
  readonly advantages: Advantages;
  readonly order: CostOrder;
}

function decideLevel(data: RunData, load: LoadLevel, { metric, headline, advantages, order }: Known): Decision {
  const marginLog = advantageIn(metric, data.scenario.marginPercent);
  const all = order.settings;
  const caveats = new Map(all.map((one) => [one, caveatsOf(data, { variant: one.variant, load, repeat: false })]));
  const failing = all.filter((one) => caveats.get(one)?.length);
  const notKept = all.filter((one) => caveats.get(one)?.some(({ kind }) => kind === 'not-kept'));
  const settings = all.filter((setting) => !failing.includes(setting));
  const names = settings.map(({ variant }) => variant);
  const against = (name: string): Advantage[] => {
    const others = names.filter((other) => other !== name);
    const found = new Map(advantages(name, others, load).map((one) => [one.other, one]));
    return others.flatMap((other) => found.get(other) ?? []);
  };
  const left = new Set(
    underLoad(data.left.cells, load).flatMap(({ variant, worseThan }) => (names.includes(worseThan) ? [variant] : [])),
  );
  const present = names.filter((name) => !left.has(name));
  const best = bestOf(present, data.scenario.control, load, headline, metric);
  const byBest = best === null ? [] : against(best);
  const shown = (by: number): Set<string> =>
    new Set([...left, ...byBest.flatMap(({ other, range }) => (range !== null && range[1] < -by ? [other] : []))]);
  const mayLeave = byBest.flatMap(({ other, rangeInFull }) =>
    rangeInFull !== null && rangeInFull[1] < -marginLog && !left.has(other) ? [other] : [],
  );
  const [worse, beyondMargin] = [shown(0), shown(marginLog)];
  const shareOf = ({ variant }: Setting): number => {
    const before = names.slice(0, names.indexOf(variant)).filter((name) => !beyondMargin.has(name)).length;
    // An order that was measured may be another one at the next look.
    const isFixed = data.scenario.cost === undefined;
    return isFixed ? errorShare(before, names.length) : equalShare(names.length);
  };
  const test = (setting: Setting): Tested => {
    const { variant } = setting;
    const share = shareOf(setting);
    const others = variant === best ? byBest : against(variant);
    const rivals = others.filter(({ other }) => !beyondMargin.has(other));
    const open = rivals.filter((rival) => !rival.isNotBetter(share));
    const bounds = rivals.flatMap((rival) => (rival.isLower ? [] : [rival.shownMost(share)]));
    const most = bounds.includes(null) ? null : Math.max(0, ...bounds.flatMap((bound) => bound ?? []));
    const roundsNeeded = (): number | null => {
      const waits = open.map((one) => one.roundsNeeded(share));
      return waits.length === 0 || waits.includes(null) ? null : Math.max(...waits.flatMap((wait) => wait ?? []));
    };
    return { setting, share, others, rivals, most, open, roundsNeeded };
  };
  // One that is worse for certain may still be good enough. It is not waited for, and has to pass against the best before it is held
  // against all.
  const isCloseToBest = (setting: Setting): boolean => {
    if (setting.variant === best) return true;
    const [found] = advantages(setting.variant, best === null ? [] : [best], load);
    return found?.isNotBetter(shareOf(setting)) === true;
  };
  // What a search found is taken in place of the control only where it is shown to be better.
  const mayBeTaken = ({ variant }: Setting): boolean =>
    data.scenario.tune === undefined ||
    variant === data.scenario.control ||
    isShownBetter(variant, load, headline, metric);
  let first: Tested | null = null;
  for (const setting of settings) {
    const isWorse = worse.has(setting.variant);
    if (beyondMargin.has(setting.variant) || ((isWorse || first !== null) && !isCloseToBest(setting))) continue;
    const tested = test(setting);
    if (isWorse && tested.open.length > 0) continue;
    first ??= tested;
    // Where none is cheaper any that is good enough will do, wherever it stands in the file.
    if (order.by !== 'listed') break;
    if (tested.open.length > 0 || !mayBeTaken(setting)) continue;
    first = tested;
    break;
  }
  const answer = first === null ? noneOf(data, load) : answerOf(first);
  const isAnyGood = order.by === 'listed' && data.scenario.tune === undefined;
  const rest = isAnyGood && answer.state === 'decided' ? settings.filter((one) => one !== answer.tested.setting) : [];
  const asGood = rest.filter(
    (one) => !beyondMargin.has(one.variant) && isCloseToBest(one) && test(one).open.length === 0,
  );
  const found = { answer, asGood, worse, beyondMargin, left, best, mayLeave, test };
  const notKeeping = new Set(notKept.map(({ variant }) => variant));
  return { load, order: order.by, settings, failing, notKeeping, ...found };
}

function noneOf(data: RunData, load: LoadLevel): Answer {
  const nearest = nearestToLimits(data, load);
  return { state: 'none', nearest, unknown: nearest === undefined ? unknownLimits(data, load) : [] };
}

function answerOf(tested: Tested): Answer {
  const { open } = tested;
  if (!isNonEmpty(open)) return { state: 'decided', tested };
  const state = open.every(({ isWithheld }) => isWithheld) ? 'stuck' : 'open';
  return { state, tested, rivals: open };
}

function isShownBetter(
  variant: string,
  load: LoadLevel,
  headline: readonly JudgedComparison[],
  { better }: Metric,
): boolean {
  const wanted = better === 'lower' ? 'lower' : 'higher';
  return headline.some(
    (one) => one.variant === variant && one.verdict === wanted && loadKey(one.load) === loadKey(load),
  );
}

/** The setting with the best estimate; null where none was measured. */
function bestOf(
  names: readonly string[],
  control: string,
  load: LoadLevel,
  headline: readonly JudgedComparison[],
  { better }: Metric,
): string | null {
  const here = headline.filter((one) => loadKey(one.load) === loadKey(load));
  const percentOf = (name: string): number | null =>
    name === control ? 0 : (here.find(({ variant }) => variant === name)?.deltaPercent ?? null);
  const known = names.flatMap((name) => {
    const percent = percentOf(name);
    return percent === null ? [] : [{ name, good: better === 'lower' ? -percent : percent }];
  });
  return known.sort((a, b) => b.good - a.good)[0]?.name ?? null;
}
