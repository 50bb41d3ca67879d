import { closedLoopClients } from '../../journal/load-level.ts';
import { type Metric, meanLatency, requestsPerSecond } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { mean } from '../stats/moments.ts';
import { type Skew, skewOf } from '../stats/skew.ts';
import type { Contrast } from './contrasts.ts';

/**
 * The skewness of a round's ln(variant / control), by the turns up to the round `until`: by the difference of both sides' rates
 * in a cycle, each a share of the arm's own rate in the round. So neither the change nor what the machine does to all arms
 * of a cycle is in it. Null for whole slices, for a metric that does not follow the rate, and where no skewness is certain.
 */
export function turnSkew(
  data: Pick<RunData, 'turnRates'>,
  metric: Metric,
  { control, cell }: Contrast,
  until: number,
): Skew | null {
  const sign = followsRate(metric, cell);
  if (sign === null) return null;
  const rounds = [...data.turnRates(cell)].flatMap(([round, rates]) => {
    const own = shares(rates);
    const others = control.map((arm) => shares(data.turnRates(arm).get(round) ?? [])).filter(isKnown);
    if (round > until || others.length === 0 || others.some(({ length }) => length !== own.length)) return [];
    return [own.map((share, turn) => sign * (share - mean(others.map((one) => one[turn] ?? 0))))];
  });
  return skewOf(rounds);
}

/** The sign with which ln(metric) follows ln(rate): in a closed loop, connections = rate x mean latency. Null where it does not. */
function followsRate({ name }: Metric, { load }: Contrast['cell']): 1 | -1 | null {
  if (name === requestsPerSecond.name) return 1;
  return name === meanLatency.name && closedLoopClients(load) !== null ? -1 : null;
}

function isKnown({ length }: readonly number[]): boolean {
  return length > 0;
}

/** Rates as shares of their mean; empty where there were none. */
function shares(rates: readonly number[]): readonly number[] {
  const usual = mean(rates);
  return usual > 0 ? rates.map((rate) => rate / usual) : [];
}
