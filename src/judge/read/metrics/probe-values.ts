import type { ProbeRecord } from '../../../journal/records.ts';
import type { ProbeValues } from './metric-aliases.ts';
import { poolUseOf } from './pool-use.ts';

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
