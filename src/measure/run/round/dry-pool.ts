import { NOT_OF_THE_BENCH } from '../../../base/application-names.ts';
import type { OutcomesRecord } from '../../../journal/outcomes.ts';
import type { RunningPooler } from '../../link/link.ts';
import { query } from '../../stack/common/query.ts';
import { nameOn } from '../servers/arm-databases.ts';
import type { LiveArm, RoundContext } from './round-context.ts';

const SESSIONS_SQL = `
  SELECT count(*)::int AS open, count(*) FILTER (WHERE state = 'active')::int AS active,
    count(*) FILTER (WHERE state LIKE 'idle in transaction%')::int AS held
  FROM pg_stat_activity
  WHERE datname = $1 AND backend_type = 'client backend' AND ${NOT_OF_THE_BENCH}`;

/**
 * Warns of an arm whose requests of a turn mostly time out while all its sessions in Postgres are idle, once: no one gives
 * them back, or requests wait for something else. Else a pool that leaks shows as no answers for minutes. A turn has ended
 * by then, and sessions are idle in any case: a few slow requests among many answers say nothing of a pool.
 */
export async function warnOfDryPool(
  { stack, watch, io }: Pick<RoundContext, 'stack' | 'watch' | 'io'>,
  { arm, database, link }: Pick<LiveArm, 'arm' | 'database' | 'link'>,
  { timeouts, statuses }: Pick<OutcomesRecord, 'timeouts' | 'statuses'>,
): Promise<void> {
  const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const server = timeouts <= answers || watch.dryArms.has(arm.name) ? undefined : stack.servers?.of(arm);
  if (server === undefined) return;
  const { postgres } = server;
  // A server that is full or gone has its own error.
  const [row] = await query(postgres.adminUrl(), SESSIONS_SQL, [nameOn(postgres, database)]).catch(() => []);
  const [open, active, held] = [Number(row?.open ?? 0), Number(row?.active ?? 0), Number(row?.held ?? 0)];
  if (open === 0 || active > 0) return;
  watch.dryArms.add(arm.name);
  const mode = arm.variant.pooler?.mode;
  const waiting = link?.pooler === undefined ? 0 : await waitingFor(link.pooler);
  const pooler = mode !== undefined && waiting > 0 ? { mode, waiting } : undefined;
  io.emit({
    kind: 'warning',
    warning: { kind: 'pool-is-dry', arm: arm.name, timeouts, connections: open, held, ...(pooler && { pooler }) },
  });
}

/** How many clients wait for a connection of a PgBouncer. One that is gone has its own error. */
async function waitingFor({ show }: RunningPooler): Promise<number> {
  const rows = await show('POOLS').catch(() => []);
  return rows.reduce((sum, { cl_waiting }) => sum + Number(cl_waiting ?? 0), 0);
}
