import { levelOf, loadLabel } from '../../journal/load-level.ts';
import type { Metric } from '../../judge/read/metrics/metrics.ts';
import { allMetrics } from '../../judge/read/metrics/work-metrics.ts';
import type { ArmCell, RunData } from '../../judge/read/run-data.ts';
import { significant } from '../../judge/stats/rounding.ts';
import { judgeCapacities } from '../../judge/verdicts/capacity/judge-capacities.ts';
import { CAPACITY } from '../../judge/verdicts/capacity/summarize-capacities.ts';
import { cellsOf } from '../../judge/verdicts/contrasts.ts';

/** One metric of one arm in one round. */
export interface RoundValue {
  readonly variant: string;
  /** `25 connections`; empty for a capacity, which is a load itself. */
  readonly load: string;
  /** True for the control's second arm (A/A). */
  readonly repeat: boolean;
  readonly round: number;
  readonly metric: Pick<Metric, 'name' | 'unit' | 'better'>;
  /** Six significant digits. */
  readonly value: number;
}

/** Every metric of every arm in every complete round; what has no value is left out. Cell by cell, round by round; capacities last. */
export function roundValues(data: RunData): RoundValue[] {
  return [...ofCells(data), ...capacities(data)];
}

function ofCells(data: RunData): RoundValue[] {
  return [...cellsOf(data), ...searchedCells(data)].flatMap((cell) =>
    [...data.samples(cell)].flatMap(([round, sample]) =>
      allMetrics.flatMap((metric): RoundValue[] => {
        const { value } = metric.read(sample);
        const { variant, repeat } = cell;
        return value === null
          ? []
          : [{ variant, load: loadLabel(cell.load), repeat, round, metric, value: significant(value) }];
      }),
    ),
  );
}

/** The loads of a capacity search, ascending. */
function searchedCells({ scenario, capacity }: RunData): ArmCell[] {
  const { capacity: spec } = scenario.load;
  if (spec === undefined) return [];
  return capacity.flatMap(({ variant, repeat, points }) =>
    [...new Set(points.map(({ load }) => load))]
      .sort((a, b) => a - b)
      .map((size) => ({ variant, repeat, load: levelOf(spec.of, size) })),
  );
}

function capacities(data: RunData): RoundValue[] {
  const judged = judgeCapacities(data);
  if (judged === null) return [];
  const metric = { name: CAPACITY, unit: judged.spec.of === 'rate' ? '1/s' : '', better: 'higher' } as const;
  return judged.arms.flatMap(({ variant, repeat, byRound }) =>
    [...byRound].map(([round, log]) => {
      return { variant, repeat, round, load: '', metric, value: significant(Math.exp(log)) };
    }),
  );
}
