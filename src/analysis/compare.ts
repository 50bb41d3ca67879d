import type { LoadLevel } from '../journal/scenario-record.ts';
import { failureNote } from './failures.ts';
import { type Judgement, judge, type Rules } from './judge.ts';
import type { Metric } from './metrics.ts';
import type { ArmCell, Observations } from './observations.ts';
import { controlSeries, readSeries, valueOverRounds } from './series.ts';

/** One metric of one variant under one load level, against the control. */
export interface Finding extends Judgement {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly metric: Metric;
  /** The control's and the variant's average over rounds, as the tables show it. */
  readonly control: number | null;
  readonly value: number | null;
}

/** The control's two arms under a load level. */
export function controlArms(observations: Observations, load: LoadLevel): readonly [ArmCell, ArmCell] {
  const variant = observations.scenario.control;
  return [
    { variant, load, repeat: false },
    { variant, load, repeat: true },
  ];
}

/** Judges every variant but the control, under every load level, by each of the metrics. */
export function compareVariants(observations: Observations, metrics: readonly Metric[]): Finding[] {
  const { scenario } = observations;
  const variants = scenario.variants.filter(({ name }) => name !== scenario.control);
  return scenario.load.levels.flatMap((load) => {
    const control = controlArms(observations, load);
    return variants.flatMap(({ name }) => {
      const cell = { variant: name, load, repeat: false };
      const failed = failureNote(observations.merged([cell]), observations.merged(control));
      return metrics.map((metric) => {
        const finding = compareCells(observations, metric, control, cell);
        const notes = [finding.note, metric.group === 'load' ? (failed ?? '') : ''];
        return { ...finding, note: notes.filter((note) => note !== '').join('; ') };
      });
    });
  });
}

/** A/A: the control's second arm against its first, as if it were a variant. */
export function compareControlArms(observations: Observations, metrics: readonly Metric[]): Finding[] {
  return observations.scenario.load.levels.flatMap((load) => {
    const [first, second] = controlArms(observations, load);
    if (observations.samples(second).size === 0) return [];
    return metrics.map((metric) => compareCells(observations, metric, [first], second));
  });
}

function compareCells(observations: Observations, metric: Metric, control: readonly ArmCell[], cell: ArmCell): Finding {
  const rules: Rules = { marginPercent: observations.scenario.marginPercent, quick: observations.quick };
  const judgement = judge(controlSeries(observations, metric, control), readSeries(observations, metric, cell), rules);
  return {
    variant: cell.variant,
    load: cell.load,
    metric,
    control: valueOverRounds(observations, metric, control),
    value: valueOverRounds(observations, metric, [cell]),
    ...judgement,
  };
}
