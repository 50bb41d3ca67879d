import type { RunWarning } from '../../measure/run/warnings.ts';

type DryPool = Extract<RunWarning, { kind: 'pool-is-dry' }>;

/** Requests time out while no connection to Postgres works: of PgBouncer, where clients wait for it, or of the service's own pool. */
export function dryPoolWords({ arm, timeouts, connections, held, pooler }: DryPool): string {
  const timeOut = `requests of "${arm}" time out (${timeouts} so far) while`;
  const inTransaction = held === 0 ? '' : ` (${held} in a transaction)`;
  const one = connections === 1;
  if (pooler === undefined) {
    const all = one ? 'the one connection of its service' : `all ${connections} connections of its service`;
    return `${timeOut} ${all} to Postgres ${one ? 'is' : 'are'} idle${inTransaction}. The pool is dry, or they wait for something else than Postgres. Look for a client that is not released on some path (an error, an early return); with target.metrics the report says how many wait.`;
  }
  const { mode, waiting } = pooler;
  const wait = waiting === 1 ? '1 client waits' : `${waiting} clients wait`;
  const which = one
    ? "PgBouncer's one connection, which is"
    : `one of PgBouncer's ${connections} connections, which are all`;
  const advice =
    mode === 'session'
      ? "In session mode each connection of the service's pool keeps one as long as it is open: make that pool no larger than pooler.pgbouncer.size, or use mode: transaction (stack.pooler, or the pooler of a variant)."
      : 'Look for transactions that stay open; with target.metrics the report says how many requests wait.';
  return `${timeOut} ${wait} for ${which} idle${inTransaction}. ${advice}`;
}
