import { network } from './machine/network.ts';
import { pressure } from './machine/pressure.ts';
import { processes } from './machine/processes.ts';
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
