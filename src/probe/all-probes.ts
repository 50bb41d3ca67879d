import { openDatabaseEvents } from './database-events.ts';
import { openPlans } from './plans.ts';
import { openPostgresIo } from './postgres-io.ts';
import { openPostgresLog } from './postgres-log.ts';
import type { OpenProbe } from './probe.ts';
import { openMonitorProbe, openStatementsProbe } from './statements/probe.ts';
import { openTableUse } from './table-use.ts';
import { openWaitEvents } from './wait-events.ts';

/**
 * The probes of the database. To be begun in this order and ended in this order too: what must be read right after the
 * load stands first, what takes longer (tables, plans) last.
 */
export const openProbes: readonly OpenProbe[] = [
  openWaitEvents,
  openStatementsProbe,
  openMonitorProbe,
  openDatabaseEvents,
  openPostgresIo,
  openPostgresLog,
  openTableUse,
  openPlans,
];
