import { defaultMargins } from '../../../journal/run/judge-keys.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { judgedMetric } from './judged-metric.ts';
import type { Metric } from './metrics.ts';

/** Within how many percent a change is the same: work per request, and all other metrics. */
export type Margins = Readonly<Record<keyof typeof defaultMargins, number>>;

type Kind = Pick<Metric, 'group'>;
type Scenario = Pick<ResolvedScenario, 'judge' | 'load' | 'marginPercent'>;

/**
 * The margins of a run. What the scenario says is the margin of the judged metric and of all of its kind; the other kind
 * has its default.
 */
export function marginsWith(judged: Kind, marginPercent: number): Margins {
  return { ...defaultMargins, [kindOf(judged)]: marginPercent };
}

export function marginsOf(scenario: Scenario): Margins {
  return marginsWith(judgedMetric(scenario), scenario.marginPercent);
}

/** The margin of a metric, in percent. Verdicts, gates, decisions and sentences all go by it. */
export function marginOf(metric: Kind, margins: Margins): number {
  return margins[kindOf(metric)];
}

function kindOf({ group }: Kind): keyof Margins {
  return group === 'work' ? 'work' : 'others';
}
