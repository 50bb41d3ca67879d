import { openDatabaseEvents } from './database-events.ts';
import { openNetwork } from './network.ts';
import { openOpenSearchProbe } from './opensearch-probe.ts';
import { openPlans } from './plans.ts';
import { openPostgresIo } from './postgres-io.ts';
import { openPostgresLog } from './postgres-log.ts';
import { openPressure } from './pressure-probe.ts';
import type { OpenProbe } from './probe.ts';
import { openProcesses } from './processes.ts';
import { openServiceMetrics } from './service-metrics.ts';
import { openMonitorProbe, openStatementsProbe } from './statements/probe.ts';
import { openTableUse } from './table-use.ts';
import { openWaitEvents } from './wait-events.ts';

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
