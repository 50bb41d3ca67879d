import type { MetricsSpec } from '../../journal/scenario-record.ts';
import { isValueOf } from '../../journal/service/metric-names.ts';
import { network } from './machine/network.ts';
import { pressure } from './machine/pressure.ts';
import { processes } from './machine/processes.ts';
import { defaultMetrics } from './metrics/default-metrics.ts';
import { serviceMetrics } from './metrics/service-metrics.ts';
import { openSearch } from './opensearch.ts';
import { pgBouncer } from './pgbouncer.ts';
import { pgStatDatabase } from './postgres/pg-stat-database.ts';
import { plans } from './postgres/plans.ts';
import { postgresIo } from './postgres/postgres-io.ts';
import { postgresLog } from './postgres/postgres-log.ts';
import { tableUse } from './postgres/table-use.ts';
import { waitEvents } from './postgres/wait-events.ts';
import type { ProbeKind } from './probe.ts';
import { backendBytes } from './sockets/backend-bytes.ts';
import { pgStatMonitor } from './statements/pg-stat-monitor.ts';
import { pgStatStatements } from './statements/pg-stat-statements.ts';

/** All probes; what must be read right after the load stands first. Each is switched off by its name in a scenario. */
export const probes: readonly ProbeKind[] = [
  waitEvents,
  pgStatStatements,
  pgStatMonitor,
  pgStatDatabase,
  postgresIo,
  postgresLog,
  tableUse,
  plans,
  processes,
  backendBytes,
  network,
  pressure,
  serviceMetrics,
  pgBouncer,
  openSearch,
];

export const probeNames: readonly string[] = probes.map(({ name }) => name);

/** Names of the values that probes give, without those that hold a name of the user's. */
export const valueNames: readonly string[] = probes.flatMap(({ values }) => values);

/** True for the name of a value that some probe may give: its own, or one of a metric that is read of the service. */
export function mayBeValue(name: string, metrics: MetricsSpec | undefined): boolean {
  return (
    valueNames.includes(name) ||
    [...defaultMetrics, ...(metrics?.include ?? [])].some((metric) => isValueOf(metric, name))
  );
}
