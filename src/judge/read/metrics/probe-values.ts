import type { ProbeRecord } from '../../../journal/records.ts';
import { type ProbeValues, probeValue } from './metric-aliases.ts';

/**
 * The values of a slice's probes, each by itself, and those derived from them. The later of two records of one probe
 * holds: it was measured again. Where both extensions for statements tell the same, pg_stat_statements holds: pg_stat_monitor can
 * lose calls between its buckets.
 */
export function valuesByProbe(records: readonly ProbeRecord[]): ProbeValues[] {
  const last = new Map(records.map(({ probe, values }) => [probe, values]));
  const statements = last.get('pg-stat-statements');
  const monitor = last.get('pg-stat-monitor');
  if (statements !== undefined && monitor !== undefined) {
    const others = Object.entries(monitor).filter(([name]) => !Object.hasOwn(statements, name));
    last.set('pg-stat-monitor', Object.fromEntries(others));
  }
  return [...last.values()].flatMap((values) => {
    const use = poolUseOf(values);
    return use === null ? [values] : [values, use];
  });
}

const units = [
  ['_bytes_per_s', 'B/s'],
  ['_bytes_per_request', 'B/request'],
  ['_per_s', '1/s'],
  ['_ms', 'ms'],
  ['_bytes', 'B'],
  ['_cores', 'cores'],
] as const;

/** The unit that stands last in a value's name, before its labels; empty where it is a plain number. */
export function unitOf(name: string): string {
  const [unlabelled = ''] = name.split('{');
  return units.find(([ending]) => unlabelled.endsWith(ending))?.[1] ?? '';
}

/** Moments are few, and only one of a second: they are believed where they show this many more than what was counted. */
const CLEARLY_MORE = 2;

/**
 * Use of the service's pool in one slice, from its probe values: `pool_taken_mean`, connections taken at once, and
 * `pool_waiting_mean`, requests that wait for one at once. By Little's law that is how often x how long, or else what
 * was seen at moments: a connection that never comes back is in no mean of how long it took. Computed per slice, since
 * the product of means is not the mean of products. Null where no probe has the values.
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
  if (rate === null) return null;
  const stay = probeValue(values, milliseconds);
  return stay === null ? null : (rate * stay) / 1000;
}

function believed(counted: number | null, seen: number | null): number | null {
  if (counted === null || seen === null) return counted ?? seen;
  return seen >= CLEARLY_MORE * counted + 1 ? seen : counted;
}

/** `service_cpu_cores{process="api"}`: of one of the processes that the service is. */
const PROCESS = /^service_[a-z_]+\{process="(.*)"\}$/;

export function isOfProcess(name: string): boolean {
  return PROCESS.test(name);
}

/** The process whose value it is; empty where it is none of a process. */
export function processName(name: string): string {
  return PROCESS.exec(name)?.[1] ?? '';
}
