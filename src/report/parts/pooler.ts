import { withoutUndefined } from '../../base/schema-values.ts';
import { type PoolerSpec, poolerLimit } from '../../journal/link/pooler.ts';
import type { ReportPart } from './part.ts';

/** A PgBouncer between a service and its database. */
export const pooler = {
  words,
  namesItself: true,
  measured: ({ pooler: seen }) => (seen === undefined ? [] : [`${words(seen.asked)} (${seen.version})`]),
  facts: ({ poolerVersion }) => [['pooler', poolerVersion ?? null]],
  telling: ['pgbouncer_clients_waiting_mean', 'pgbouncer_wait_per_transaction_ms', 'pgbouncer_cpu_cores'],
  written(spec) {
    if (spec === null) return 'off';
    const { kind: _, queryWaitTimeoutMs: waitMs, settings, ...rest } = spec;
    const own = Object.keys(settings).length === 0 ? undefined : settings;
    return { pgbouncer: withoutUndefined({ ...rest, queryWaitTimeout: waitMs && `${waitMs}ms`, settings: own }) };
  },
  resources: { 'pooler cpu': "PgBouncer's thread", pooler: 'the connections of PgBouncer' },
} satisfies ReportPart<PoolerSpec>;

/** `PgBouncer, transaction mode, 20 connections` */
function words(spec: PoolerSpec): string {
  const { mode, size, reserveSize, maxPreparedStatements = 0 } = spec;
  const { most, by } = poolerLimit(spec);
  const limit = by === 'size' ? [] : [`at most ${most} by ${by}`];
  const reserve = reserveSize === undefined ? '' : ` and ${reserveSize} in reserve`;
  const prepared = maxPreparedStatements === 0 ? [] : [`${maxPreparedStatements} prepared statements each`];
  return [
    `PgBouncer, ${mode} mode`,
    `${size} connection${size === 1 ? '' : 's'}${reserve}`,
    ...limit,
    ...prepared,
  ].join(', ');
}
