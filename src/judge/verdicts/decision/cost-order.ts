import type { MeasuredCost } from '../../../journal/scenario-record.ts';
import { marginsOf } from '../../read/metrics/margins.ts';
import { workMetrics } from '../../read/metrics/work-metrics.ts';
import type { ArmCell, RunData } from '../../read/run-data.ts';
import { mean } from '../../stats/moments.ts';
import { type OrderedBy, orderOf, type Setting } from '../variant-order.ts';

/** The criterion for the cheapest: costs in the scenario, a measured cost, or the order of settings. */
export type CheapestBy = 'cost' | MeasuredCost | OrderedBy;

/** Settings from the cheapest to the most expensive. */
export interface CostOrder {
  readonly by: CheapestBy;
  readonly settings: readonly Setting[];
}

/**
 * Settings from the cheapest to the most expensive. They go by their costs in the scenario, or by what was measured
 * against the control, in steps of the margin, so that noise hardly moves them. Else, and where these are alike, from
 * the smallest to the largest. A cost that was not measured of every setting decides nothing.
 */
export function byCost(data: RunData): CostOrder {
  const { scenario } = data;
  const { by, settings } = orderOf(scenario);
  const costs = scenario.cost === undefined ? givenCosts(data) : measuredSteps(data, scenario.cost);
  if (costs === null) return { by, settings };
  const costOf = ({ variant }: Setting): number => costs.get(variant) ?? 0;
  return { by: scenario.cost ?? 'cost', settings: [...settings].sort((a, b) => costOf(a) - costOf(b)) };
}

/** Null where a variant has none. */
function givenCosts({ scenario }: RunData): ReadonlyMap<string, number> | null {
  const costs = scenario.variants.flatMap(({ name, cost }) => (cost === undefined ? [] : [[name, cost] as const]));
  return costs.length < scenario.variants.length ? null : new Map(costs);
}

/** This many margins more than the control, rounded; the mean over the load levels at which both are known. */
function measuredSteps(data: RunData, cost: MeasuredCost): ReadonlyMap<string, number> | null {
  const { variants, control, load } = data.scenario;
  const step = Math.log1p(marginsOf(data.scenario).others / 100);
  const steps = new Map<string, number>();
  for (const { name } of variants) {
    const logs = load.levels.flatMap((level) => {
      const [own, base] = [name, control].map((variant) =>
        measured[cost](data, { variant, load: level, repeat: false }),
      );
      return own && base ? [Math.log(own / base)] : [];
    });
    if (logs.length === 0) return null;
    steps.set(name, Math.round(mean(logs) / step));
  }
  return steps;
}

const cpuMetrics = workMetrics.filter(({ name }) =>
  ['service_cpu_ms_per_request', 'postgres_cpu_ms_per_request'].includes(name),
);

/** Costs of the service and its database together; null where neither is known. */
const measured: Readonly<Record<MeasuredCost, (data: RunData, cell: ArmCell) => number | null>> = {
  memory_mb(data, cell) {
    const { service_memory_max_bytes: service, postgres_memory_max_bytes: postgres } =
      data.merged([cell])?.probes ?? {};
    return service === undefined ? null : service + (postgres ?? 0);
  },
  cpu(data, cell) {
    const known = cpuMetrics.flatMap((metric) => data.valueOverRounds(metric, [cell]) ?? []);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
  },
};
