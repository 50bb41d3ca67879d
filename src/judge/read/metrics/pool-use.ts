import type { ProbeValues } from './metric-aliases.ts';
import { probeValue } from './metric-aliases.ts';

/** Moments are few, and only one of a second: they are believed where they show so many more than what was counted. */
const CLEARLY_MORE = 2;

/**
 * What follows of one slice's values for the service's pool, where probes tell: `pool_taken_mean`, connections taken at
 * once, and `pool_waiting_mean`, requests that wait for one at once. By Little's law how often x how long; or as seen at
 * moments, since a connection that never comes back, and whoever never gets one, are in no mean of how long it took. Of
 * a slice, for the product of means over several is not the mean of the products. Null where no probe tells.
 */
export function poolUseOf(values: ProbeValues): ProbeValues | null {
  const taken = believed(little(values, 'poolHeldPerS', 'poolHeldMs'), probeValue(values, 'poolBusy'));
  const waited = little(values, 'poolAcquirePerS', 'poolAcquireMs') ?? probeValue(values, 'poolWaiting');
  const waiting = believed(waited, probeValue(values, 'poolQueue'));
  if (taken === null && waiting === null) return null;
  return {
    ...(taken !== null && { pool_taken_mean: taken }),
    ...(waiting !== null && { pool_waiting_mean: waiting }),
  };
}

/** How many there are at once = how many come in a second x how many seconds each stays. */
function little(
  values: ProbeValues,
  perSecond: 'poolHeldPerS' | 'poolAcquirePerS',
  milliseconds: 'poolHeldMs' | 'poolAcquireMs',
): number | null {
  const rate = probeValue(values, perSecond);
  const stay = probeValue(values, milliseconds);
  return rate === null || stay === null ? null : (rate * stay) / 1000;
}

function believed(counted: number | null, seen: number | null): number | null {
  if (counted === null || seen === null) return counted ?? seen;
  return seen >= CLEARLY_MORE * counted + 1 ? seen : counted;
}
