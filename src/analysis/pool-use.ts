import { probeValue } from './probe-names.ts';
import type { ProbeValues } from './probe-values.ts';

/**
 * How many connections of the service's pool are taken at once: by Little's law how often one is taken x how long it is
 * held, or as it was seen at moments, whichever is more, since a connection that never comes back is in no mean. Null
 * where no probe tells.
 */
export function takenConnections(values: ProbeValues): number | null {
  return most(little(values, 'poolHeldPerS', 'poolHeldMs'), probeValue(values, 'poolBusy'));
}

/** How many requests wait for a connection at once, likewise: who never gets one is in no mean. */
export function waitingRequests(values: ProbeValues): number | null {
  return most(
    little(values, 'poolAcquirePerS', 'poolAcquireMs'),
    probeValue(values, 'poolWaiting'),
    probeValue(values, 'poolQueue'),
  );
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

function most(...values: readonly (number | null)[]): number | null {
  const known = values.flatMap((value) => value ?? []);
  return known.length === 0 ? null : Math.max(...known);
}
