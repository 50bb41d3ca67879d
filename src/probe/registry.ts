import { openNetwork } from './machine/network.ts';
import { openPressure } from './machine/pressure-probe.ts';
import { openProcesses } from './machine/processes.ts';
import { openServiceMetrics } from './metrics/service-metrics.ts';
import { openOpenSearchProbe } from './opensearch-probe.ts';
import { openDatabaseEvents } from './postgres/pg-stat-database.ts';
import { openPlans } from './postgres/plans.ts';
import { openPostgresIo } from './postgres/postgres-io.ts';
import { openPostgresLog } from './postgres/postgres-log.ts';
import { openTableUse } from './postgres/table-use.ts';
import { openWaitEvents } from './postgres/wait-events.ts';
import type { OpenProbe } from './probe.ts';
import { openMonitorProbe, openStatementsProbe } from './statements/probe.ts';

/** What looks at the database server; what must be read right after the load stands first. */
export const databaseProbes: readonly OpenProbe[] = [
  openWaitEvents,
  openStatementsProbe,
  openMonitorProbe,
  openDatabaseEvents,
  openPostgresIo,
  openPostgresLog,
  openTableUse,
  openPlans,
];

/** What looks at the machine, the service and search. */
export const machineProbes: readonly OpenProbe[] = [
  openProcesses,
  openNetwork,
  openPressure,
  openServiceMetrics,
  openOpenSearchProbe,
];
