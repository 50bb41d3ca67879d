import { loadKey, underLoad } from '../journal/load-level.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';
import { marginOf, marginsWith } from './read/metrics/margins.ts';
import { type Metric, type MetricName, requestsPerSecond } from './read/metrics/metrics.ts';
import { namedMetrics } from './read/metrics/work-metrics.ts';
import type { Summary } from './summary.ts';
import type { Comparison } from './verdicts/comparison.ts';
import type { Recommendation } from './verdicts/decision/recommend.ts';

/** A run of a summary; absent stands for 2xx/s. */
interface Judged {
  readonly judgedBy?: string | undefined;
  readonly judgedBeside?: readonly string[] | undefined;
}

/** The judged metric, which a report's sentences and its order go by. */
export function judgedOf({ judgedBy }: Judged): Metric<MetricName> {
  return namedMetrics.find(({ name }) => name === judgedBy) ?? requestsPerSecond;
}

/** The margin of a metric in a run's verdicts, in percent. */
export function marginIn(run: Judged & Pick<Summary['run'], 'marginPercent'>, metric: string): number {
  const group = namedMetrics.find(({ name }) => name === metric)?.group ?? 'load';
  return marginOf({ group }, marginsWith(judgedOf(run), run.marginPercent));
}

/** The judged metric, and those with a verdict on the first screen beside it. */
export function allJudged(run: Judged): readonly Metric<MetricName>[] {
  const beside = run.judgedBeside ?? [];
  return [judgedOf(run), ...namedMetrics.filter(({ name }) => beside.includes(name))];
}

/** Judged changes under one load level. */
export interface LevelView {
  readonly load: LoadLevel;
  /** The changes of the judged metric, in the order of the scenario. */
  readonly changes: readonly Comparison[];
  /** Which setting to take here. */
  readonly advice: Recommendation | null;
  /** True where more requests of the variant failed than of the control, or it lost documents. */
  fails(variant: string): boolean;
  /** Changes of other metrics of the variant that may stand on the first screen. */
  beside(variant: string): readonly Comparison[];
}

/** Findings on a variant by the judged metric, over all load levels. */
export interface Shown {
  readonly variant: string;
  readonly differing: readonly Comparison[];
  readonly same: readonly Comparison[];
  /** Without a verdict, for whatever reason. */
  readonly unclear: readonly Comparison[];
  /** Those of them whose slices are all discarded: there is no number. */
  readonly discarded: readonly Comparison[];
}

/** The judged comparisons of a run by load level and by variant: the sentences and tables of the first screen read this. */
export interface JudgedView {
  readonly metric: Metric<MetricName>;
  readonly levels: readonly LevelView[];
  /** In the order of the scenario, without the control. */
  readonly variants: readonly Shown[];
}

const views = new WeakMap<Summary, JudgedView>();

/** Indexes a summary, once. */
export function viewOf(summary: Summary): JudgedView {
  const before = views.get(summary);
  if (before !== undefined) return before;
  const view = createView(summary);
  views.set(summary, view);
  return view;
}

function createView({ run, comparisons, averages, recommendation }: Summary): JudgedView {
  const metric = judgedOf(run);
  const judged = new Set<string>(allJudged(run).map(({ name }) => name));
  const levels = run.loads.map((load): LevelView => {
    const here = underLoad(comparisons, load);
    const failing = new Set(
      underLoad(averages, load).flatMap(({ notes, variant }) =>
        notes.some(({ kind }) => kind !== 'not-sustained' && kind !== 'not-kept') ? [variant] : [],
      ),
    );
    return {
      load,
      changes: here.filter((one) => one.metric === metric.name),
      advice: recommendation.find((one) => loadKey(one.load) === loadKey(load)) ?? null,
      fails: (variant) => failing.has(variant),
      beside: (variant) =>
        here.filter((one) => one.variant === variant && one.onFirstScreen === true && !judged.has(one.metric)),
    };
  });
  const others = run.variants.filter((name) => name !== run.control);
  const all = levels.flatMap(({ changes }) => changes);
  return { metric, levels, variants: others.map((variant) => shownOf(variant, all)) };
}

function shownOf(variant: string, all: readonly Comparison[]): Shown {
  const own = all.filter((one) => one.variant === variant);
  return {
    variant,
    differing: own.filter(differs),
    same: own.filter(({ verdict }) => verdict === 'same'),
    unclear: own.filter((one) => !differs(one) && one.verdict !== 'same'),
    discarded: own.filter(isDiscarded),
  };
}

/** True where no slice of the variant counts. */
export function isDiscarded({ notes }: Pick<Comparison, 'notes'>): boolean {
  return notes.some((note) => note.kind === 'not-measured' && note.discarded !== undefined && !note.control);
}

/** True where no slice of the control counts, and some of the variant do. */
export function isControlDiscarded({ notes }: Pick<Comparison, 'notes'>): boolean {
  return notes.some((note) => note.kind === 'not-measured' && note.discarded !== undefined && note.control === true);
}

/** True for `higher` and `lower`. */
export function differs({ verdict }: Pick<Comparison, 'verdict'>): boolean {
  return verdict === 'higher' || verdict === 'lower';
}
