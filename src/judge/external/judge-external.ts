import type { MoreFailures } from '../caveat.ts';
import type { JudgementNote } from '../notes.ts';
import { noSeries, type Series } from '../read/metrics/series.ts';
import type { CountsByRound } from '../stats/held-over-rounds.ts';
import { sharedAndOwnBounds } from '../stats/interval.ts';
import { MIN_ROUNDS } from '../stats/looks.ts';
import { mean, sum } from '../stats/moments.ts';
import { significantOrNull } from '../stats/rounding.ts';
import { moreFailures } from '../verdicts/caveats.ts';
import type { Marks } from '../verdicts/clearly-more.ts';
import { type Change, roundedNumbers } from '../verdicts/comparison.ts';
import { type Block, blockOf, blocksOf, familyOf, type Member } from '../verdicts/family.ts';
import { type PercentBounds, percentBounds } from '../verdicts/gates.ts';
import { judge } from '../verdicts/judge.ts';
import { hasRatios, pairUp } from '../verdicts/pairs.ts';
import { orderOf, type RunOrder } from './in-turn.ts';
import { afterRounding, type RoundedNumbers, shiftOf, widened } from './rounding.ts';
import type { ExternalGroup, ExternalMetric, ExternalRun, Failures } from './types.ts';

export type ExternalNote =
  | JudgementNote
  | MoreFailures
  /** One run each: there is no noise to be seen. */
  | { readonly kind: 'one-run' }
  /** Nothing shows that runs alternated. */
  | { readonly kind: 'not-interleaved' }
  /** A value below 0: a percentage of it means nothing. */
  | { readonly kind: 'negative' }
  | FailedCommands
  | RoundedNumbers
  /** Where a number was expected stands this. */
  | { readonly kind: 'text'; readonly text: string };

/** A change in numbers of another tool. */
export interface ExternalComparison extends Change {
  readonly notes: readonly ExternalNote[];
  /** For gates; absent where nothing can be judged. */
  readonly bounds?: PercentBounds;
}

export interface ExternalDeltas {
  readonly group: ExternalGroup;
  readonly control: string;
  /** The variants but the control, in the order of the source. */
  readonly variants: readonly string[];
  readonly order: RunOrder;
  readonly comparisons: readonly ExternalComparison[];
}

export interface ExternalRules {
  readonly control: string;
  readonly marginPercent: number;
  /** Rounds that were decided on before the first; null where that is unknown. */
  readonly plannedRounds: number | null;
  /** True: a change within the margin is `same`, even where its interval excludes 0. */
  readonly sameFirst?: true;
  /** True: all metrics are one family. Absent: each is its own. */
  readonly together?: true;
}

/**
 * Compares every variant with the control, by every metric. If runs alternated, their rounds are judged like
 * those of a sweep: one family a metric, or one for all metrics, over all groups. Else there are percentages and no
 * verdict.
 */
export function compareExternal(groups: readonly ExternalGroup[], rules: ExternalRules): ExternalDeltas[] {
  const sides = groups.map((group) => {
    const variants = [...new Set(group.runs.map(({ variant }) => variant))].filter((name) => name !== rules.control);
    return { group, variants, order: orderOf(group.runs, rules.control) };
  });
  const metrics = [...new Set(groups.flatMap((group) => group.metrics.map(({ name }) => name)))];
  const asked = metrics.map((name): Asked => ({ name, members: membersOf(sides, name, rules) }));
  const all = sum(asked.map(comparisonsIn));
  const judged = new Map(
    asked.map((one) => [one.name, judgeMetric(sides, one, rules.together ? all : comparisonsIn(one), rules)]),
  );
  return sides.map((side, index) => ({
    ...side,
    control: rules.control,
    comparisons: side.group.metrics.flatMap(
      (metric) => judged.get(metric.name)?.[index] ?? withoutRounds(side, metric, rules.control),
    ),
  }));
}

interface Side {
  readonly group: ExternalGroup;
  readonly variants: readonly string[];
  readonly order: RunOrder;
}

/** One metric. By group, its members of the family; null for a group whose runs did not alternate. */
interface Asked {
  readonly name: string;
  readonly members: readonly (readonly Member[] | null)[];
}

function membersOf(sides: readonly Side[], name: string, rules: ExternalRules): Asked['members'] {
  const series = sides.map(({ group, order }) => seriesOfGroup(group, order, name));
  const fitted = blocksOf(
    series.map((of) => ({ arms: new Map([...(of ?? [])].map(([arm, { byRound }]) => [arm, byRound])) })),
  );
  const blocks = series.map((of, index) => of && { series: of, block: fitted.blocks[index] ?? blockOf(new Map()) });
  const ofSide = (side: Side, { series, block }: GroupBlock): Member[] =>
    side.variants.map((variant) => ({
      paired: pairUp(series.get(rules.control) ?? noSeries, series.get(variant) ?? noSeries),
      block,
      control: [rules.control],
      variant,
    }));
  return sides.map((side, index) => {
    const found = blocks[index];
    return found ? ofSide(side, found) : null;
  });
}

/** How many comparisons have ratios enough for a verdict. */
function comparisonsIn({ members }: Asked): number {
  const all = members.flatMap((some) => some ?? []);
  return all.filter(({ paired }) => hasRatios(paired) && paired.pairs.length >= MIN_ROUNDS).length;
}

/** By group, the comparisons of one metric in a family of so many; null for a group whose runs did not alternate. */
function judgeMetric(
  sides: readonly Side[],
  { name, members }: Asked,
  comparisons: number,
  rules: ExternalRules,
): (ExternalComparison[] | null)[] {
  const { marginPercent, sameFirst } = rules;
  return sides.map((side, index) => {
    const [own, metric] = [members[index], side.group.metrics.find((one) => one.name === name)];
    if (!own || metric === undefined || side.order.kind !== 'in-turn') return null;
    const rounds = side.order.rounds.length;
    // Whoever stops when the numbers please has looked after every round; who said beforehand how many has not.
    const course = { rounds, ends: rules.plannedRounds === rounds ? [rounds] : [] };
    const evidence = familyOf(own, course);
    const marks = { course, marks: sum(sides.map(({ variants }) => variants.length)) };
    return own.map(({ paired, variant }, i) => {
      const seen = evidence[i] ?? null;
      const family = seen && { ...seen, comparisons: Math.max(1, comparisons) };
      const values = paired.pairs.map(({ value }) => value);
      const controls = paired.pairs.map(({ control }) => control);
      const failed = failedCommands(side.group, [rules.control, variant]);
      if (failed.length > 0) return withoutChange(metric, variant, { values, controls, notes: failed });
      const text = textIn(side.group, [rules.control, variant], name);
      // The other rounds alone would look better: what took too long has no number.
      if (text) return withoutChange(metric, variant, { values, controls, notes: [{ kind: 'text', text }] });
      const by = { marginPercent, ...(sameFirst && { sameFirst }), quick: false };
      const asWritten = judge(paired, by, family);
      const shift = shiftOf(paired.pairs, metric.rounding ?? { below: 0, above: 0 });
      const judgement = afterRounding(asWritten, shift, by);
      if (Math.min(...values, ...controls) < 0)
        return withoutChange(metric, variant, { values, controls, notes: [{ kind: 'negative' }] });
      const { deltaPercent, interval, verdict } = judgement;
      const bounds = family && interval && sharedAndOwnBounds(family);
      return {
        variant,
        metric: name,
        unit: metric.unit,
        ...roundedNumbers({ control: mean(controls), value: mean(values), deltaPercent, interval }),
        verdict,
        rounds: judgement.rounds,
        ...(bounds && {
          bounds: percentBounds({ shared: widened(bounds.shared, shift), own: widened(bounds.own, shift) }),
        }),
        notes: [...judgement.notes, ...failureNotes(side, variant, rules.control, marks)],
      };
    });
  });
}

interface GroupBlock {
  readonly series: ReadonlyMap<string, Series>;
  readonly block: Block;
}

function seriesOfGroup(group: ExternalGroup, order: RunOrder, name: string): ReadonlyMap<string, Series> | null {
  const metric = group.metrics.find((one) => one.name === name);
  if (order.kind !== 'in-turn' || metric === undefined) return null;
  const variants = new Set(group.runs.map(({ variant }) => variant));
  return new Map([...variants].map((variant) => [variant, seriesOf(order.rounds, variant, metric)]));
}

function seriesOf(rounds: readonly (readonly ExternalRun[])[], variant: string, metric: ExternalMetric): Series {
  const byRound = new Map<number, { value: number; log: number | null }>();
  const needed = metric.needed ?? 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [round, runs] of rounds.entries()) {
    const run = runs.find((one) => one.variant === variant);
    const value = run?.values.get(metric.name);
    if (run === undefined || value === undefined) continue;
    fewest = Math.min(fewest, run.samples ?? Number.POSITIVE_INFINITY);
    byRound.set(round, { value, log: value > 0 ? Math.log(value) : null });
  }
  return fewest < needed ? { byRound: new Map(), tooFew: { samples: fewest, needed } } : { byRound, tooFew: null };
}

/** Percentages of the means of all runs. */
function withoutRounds(side: Side, metric: ExternalMetric, control: string): ExternalComparison[] {
  const { group, variants, order } = side;
  const why: ExternalNote = order.kind === 'single' ? { kind: 'one-run' } : { kind: 'not-interleaved' };
  return variants.map((variant): ExternalComparison => {
    const sides = [control, variant].map((name) => group.runs.filter((run) => run.variant === name));
    const [controls = [], values = []] = sides.map((runs) => runs.flatMap((run) => run.values.get(metric.name) ?? []));
    const text = textIn(group, [control, variant], metric.name);
    const samples = Math.min(...sides.flat().map((run) => run.samples ?? Number.POSITIVE_INFINITY));
    const failed = failedCommands(group, [control, variant]);
    if (failed.length > 0) return withoutChange(metric, variant, { values, controls, notes: failed });
    const failures = failureNotes(side, variant, control, { course: { rounds: 1, ends: [] }, marks: 1 });
    const only = withoutChange(metric, variant, { values, controls, notes: [] });
    const without = (note: ExternalNote): ExternalComparison => ({ ...only, rounds: 0, notes: [note, ...failures] });
    if (only.control === null || only.value === null || text !== undefined) {
      return without(text === undefined || text === '' ? { kind: 'not-measured' } : { kind: 'text', text });
    }
    if (samples < (metric.needed ?? 0)) return without({ kind: 'few-samples', needed: metric.needed ?? 0, samples });
    if (Math.min(...controls, ...values) < 0) return { ...only, notes: [{ kind: 'negative' }] };
    if (only.control === 0) {
      return without(only.value === 0 ? { kind: 'both-zero' } : { kind: 'from-zero', value: only.value });
    }
    return { ...without(why), deltaPercent: significantOrNull(100 * (mean(values) / mean(controls) - 1)) };
  });
}

/** A text in place of a number of these variants, where there are several one that is not empty. Undefined where all are numbers. */
function textIn({ runs }: ExternalGroup, variants: readonly string[], metric: string): string | undefined {
  const texts = runs.flatMap((run) => (variants.includes(run.variant) ? (run.texts.get(metric) ?? []) : []));
  return texts.find((text) => text !== '') ?? texts[0];
}

/** Values that stand side by side without a percentage; the notes say why. */
function withoutChange(
  { name, unit }: ExternalMetric,
  variant: string,
  { values, controls, notes }: Record<'values' | 'controls', readonly number[]> & Pick<ExternalComparison, 'notes'>,
): ExternalComparison {
  return {
    variant,
    metric: name,
    unit,
    ...roundedNumbers({ control: mean(controls), value: mean(values), deltaPercent: null, interval: null }),
    verdict: 'noise',
    rounds: values.length,
    notes,
  };
}

/** Commands of a variant, or of the control, that failed, or clients that were aborted: what the rest shows says nothing. */
interface FailedCommands {
  readonly kind: 'failed-commands';
  readonly variant: string;
  readonly failed: number;
  readonly among: number;
  /** Absent for commands. */
  readonly of?: 'clients';
}

/** The failed commands, or aborted clients, of these variants; empty where none failed, and for requests. */
function failedCommands(group: ExternalGroup, variants: readonly string[]): FailedCommands[] {
  return variants.flatMap((variant) => {
    const known = failuresOf(group, variant).filter(({ ofCommands, ofClients }) => ofCommands || ofClients);
    const { count: failed, among } = total(known);
    const of = known.some(({ ofClients }) => ofClients) && { of: 'clients' as const };
    return failed === 0 ? [] : [{ kind: 'failed-commands', variant, failed, among, ...of }];
  });
}

/** Faster by failing is not faster: marked as in a sweep. */
function failureNotes({ group, order }: Side, variant: string, control: string, marks: Marks): MoreFailures[] {
  const [own, others] = [variant, control].map((name) => [failuresByRound(group, order, name)]);
  return moreFailures('more-failures', own ?? [], others ?? [], marks);
}

/** The failures of a variant by round; all together where runs did not alternate. */
function failuresByRound(group: ExternalGroup, order: RunOrder, variant: string): CountsByRound {
  const rounds = order.kind === 'in-turn' ? order.rounds : [group.runs];
  return new Map(rounds.map((runs, round) => [round, total(failuresOf({ runs }, variant))]));
}

function failuresOf({ runs }: Pick<ExternalGroup, 'runs'>, variant: string): Failures[] {
  return runs.flatMap((run) => (run.variant === variant ? (run.failures ?? []) : []));
}

function total(all: readonly Failures[]): Failures {
  return { count: sum(all.map(({ count }) => count)), among: sum(all.map(({ among }) => among)) };
}
