import type { LoadLevel } from '../journal/scenario-record.ts';
import { controlArms } from './compare.ts';
import { failureNote } from './failures.ts';
import { type MetricName, metrics } from './metrics.ts';
import type { ArmCell, Observations } from './observations.ts';
import { significant } from './rounding.ts';
import { valueOverRounds } from './series.ts';

/** One arm's averages under one load level: a row of the tables. */
export interface Average {
  readonly variant: string;
  readonly load: LoadLevel;
  /** True for the control's second arm (A/A). */
  readonly repeat: boolean;
  readonly rounds: number;
  readonly metrics: Readonly<Record<MetricName, number | null>>;
  /** Answers by status code, over all rounds. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly errors: number;
  readonly timeouts: number;
  /** 2xx answers, over all rounds. */
  readonly ok: number;
  /** Answers other than 2xx, over all rounds. */
  readonly not_ok: number;
  /** Said where clearly more requests failed than the control's. */
  readonly failures: string | null;
}

/** The averages of every arm, by load level: the control first, then its repeat, then the others as in the scenario. */
export function averagesOf(observations: Observations): Average[] {
  const { scenario } = observations;
  const others = scenario.variants.filter(({ name }) => name !== scenario.control);
  return scenario.load.levels.flatMap((load) => {
    const cells = [
      ...controlArms(observations, load),
      ...others.map(({ name }) => ({ variant: name, load, repeat: false })),
    ];
    return cells.flatMap((cell) => averageOf(observations, cell) ?? []);
  });
}

function averageOf(observations: Observations, cell: ArmCell): Average | null {
  const sample = observations.merged([cell]);
  if (sample === null) return null;
  const values = metrics.map((metric) => {
    const value = valueOverRounds(observations, metric, [cell]);
    return [metric.name, value === null ? null : significant(value)] as const;
  });
  const isControl = cell.variant === observations.scenario.control;
  return {
    variant: cell.variant,
    load: cell.load,
    repeat: cell.repeat,
    rounds: observations.samples(cell).size,
    metrics: Object.fromEntries(values) as Record<MetricName, number | null>,
    outcomes: sample.outcomes.statuses,
    errors: sample.outcomes.errors,
    timeouts: sample.outcomes.timeouts,
    ok: sample.ok,
    not_ok: sample.notOk,
    failures: isControl ? null : failureNote(sample, observations.merged(controlArms(observations, cell.load))),
  };
}
