import { groupBy } from '../../base/group-by.ts';
import { loadKey } from '../../journal/load-level.ts';
import type { LoadLevel, Variant } from '../../journal/scenario-record.ts';
import type { ControlApart, RunNote } from '../notes.ts';
import { marginOf, marginsOf } from '../read/metrics/margins.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { differenceInterval, type Evidence, estimateOf } from '../stats/interval.ts';
import { MIN_ROUNDS } from '../stats/looks.ts';
import { mean, median, squares } from '../stats/moments.ts';
import { significant, toPercent } from '../stats/rounding.ts';
import type { Contrast } from './contrasts.ts';
import type { Judgement } from './judge.ts';
import { pairOf } from './pairs.ts';
import { without } from './withholding.ts';

/** With fewer variants, all differ the same way by chance too often: two do half of the time. */
const LEAST_VARIANTS = 3;
/** A change is like the usual one where it is between half and one and a half of it. */
const ALIKE = 0.5;
/** A distance below this share of the margin changes no verdict. */
const LEAST_OF_MARGIN = 0.2;

/** A comparison of a variant with the control. */
interface Judged extends Judgement {
  readonly contrast: Contrast;
  readonly load: LoadLevel;
  readonly metric: Metric;
}

/**
 * Withdraws the verdicts of a metric at a load level where all variants differ from the control alike, although they
 * change unlike things: then the control is the odd one. A variant that also differs from the usual one in the same
 * direction keeps its verdict. `judged`: the variants of one load level by one metric.
 */
export function withControlApart<One extends Judged>(
  data: RunData,
  metric: Metric,
  judged: readonly One[],
): readonly One[] {
  const found = metric.group === 'load' && changesUnlike(data.scenario) ? controlApart(data, metric, judged) : null;
  if (found === null) return judged;
  return judged.map((one) =>
    without(one, { verdict: standsBeside(one, found.percent) ? one.verdict : 'unfit', note: found }),
  );
}

/** True for a change that exceeds the usual one in the same direction, noise included. */
function standsBeside({ verdict, interval }: Judged, usualPercent: number): boolean {
  const [low = 0, high = 0] = interval ?? [];
  return (
    (verdict === 'higher' && low > Math.max(0, usualPercent)) ||
    (verdict === 'lower' && high < Math.min(0, usualPercent))
  );
}

/**
 * The distance of the control from the usual variant. All variants must be on one side of it, more than half of them
 * about as far, and the distance must exceed the noise at every look of the run. Else null.
 */
function controlApart(data: RunData, metric: Metric, judged: readonly Judged[]): ControlApart | null {
  const percents = judged.flatMap(({ deltaPercent }) => deltaPercent ?? []);
  const evidence = judged.flatMap((one) => one.evidence ?? []);
  const [first] = evidence;
  if (judged.length < LEAST_VARIANTS || percents.length < judged.length || first === undefined || data.quick)
    return null;
  if (!percents.every((percent) => percent < 0) && !percents.every((percent) => percent > 0)) return null;
  const ratios = usualByRound(data, metric, judged);
  if (ratios.length < MIN_ROUNDS) return null;
  const logs = evidence.map(estimateOf);
  const usual = median(logs);
  const alike = logs.filter((log) => Math.abs(log - usual) <= ALIKE * Math.abs(usual)).length;
  if (alike <= judged.length / 2) return null;
  if (Math.abs(usual) < LEAST_OF_MARGIN * Math.log1p(marginOf(metric, marginsOf(data.scenario)) / 100)) return null;
  const df = ratios.length - 1;
  // Turns of one comparison do not show how skewed the median of all is.
  const { skew: _, ...rest } = first;
  const own: Evidence = {
    ...rest,
    ratios,
    weights: ratios.map(() => 1),
    spread: { variance: squares(ratios) / df, df },
  };
  const interval = differenceInterval(own);
  if (interval === null || (interval.low <= 0 && interval.high >= 0)) return null;
  return { kind: 'control-apart', percent: significant(toPercent(mean(ratios))), variants: judged.length };
}

/** By round, the median of ln(variant / control) over the variants; rounds that miss one are left out. */
function usualByRound(data: RunData, metric: Metric, judged: readonly Judged[]): number[] {
  const byRound = new Map<number, number[]>();
  for (const { contrast } of judged) {
    for (const { round, logRatio } of pairOf(data, metric, contrast).pairs) {
      const known = byRound.get(round) ?? [];
      byRound.set(round, known);
      if (logRatio !== null) known.push(logRatio);
    }
  }
  return [...byRound.values()].filter(({ length }) => length === judged.length).map(median);
}

/**
 * True where no setting differs from the control's in more than half of the other variants. Levels of one factor may
 * well differ from the control alike, and so may all variants from an odd control.
 */
export function changesUnlike({ variants, control }: Pick<RunData['scenario'], 'variants' | 'control'>): boolean {
  const base = variants.find(({ name }) => name === control);
  const others = variants.filter((variant) => variant !== base);
  if (base === undefined || others.length < LEAST_VARIANTS) return false;
  const counts = new Map<string, number>();
  const ofControl = settingsOf(base);
  for (const variant of others) {
    const own = settingsOf(variant);
    for (const key of new Set([...own.keys(), ...ofControl.keys()]))
      if (own.get(key) !== ofControl.get(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values()) <= others.length / 2;
}

/** Everything that a variant sets, by its path: `env POOL_MAX`, `treatment dropIndex ix_a`. */
function settingsOf({ name: _, ...variant }: Variant): Map<string, string> {
  const settings = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) settings.set(`${path} ${JSON.stringify(item)}`, '');
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) add(`${path} ${key}`, inner);
    } else if (value !== undefined) settings.set(path, String(value));
  };
  add('', variant);
  return settings;
}

/** A note for each load level at which the control is apart from all variants. */
export function controlNotes(comparisons: readonly Judged[]): RunNote[] {
  const apart = comparisons.flatMap(({ metric, load, notes }) =>
    notes.flatMap((note) => (note.kind === 'control-apart' ? [{ metric, load, note }] : [])),
  );
  return groupBy(apart, ({ load }) => loadKey(load)).flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { percent, variants } = first.note;
    const metrics = [...new Set(own.map(({ metric }) => metric.name))];
    return [{ kind: 'control-stands-apart', load: first.load, metrics, percent, variants }];
  });
}
