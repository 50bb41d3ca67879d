import { PgsweepError } from '../../base/errors.ts';
import { hasPostgres } from '../../journal/link/own-database.ts';
import { mostUnderWay } from '../../journal/load-level.ts';
import { poolSizeIn } from '../../journal/pool-size.ts';
import type { ResolvedScenario, Variant } from '../../journal/scenario-record.ts';
import { armsOf } from '../../plan/arms.ts';
import { expectedLevels } from '../../plan/capacity-levels.ts';
import { withConnection } from '../../stack/common/query.ts';
import { serverKey } from '../../treatment/own-servers.ts';
import { type Finding, ok, warning } from '../doctor/finding.ts';
import type { RunningServer } from '../servers/servers.ts';

/** What the bench itself opens on a server while it measures: probes, counters, the sampler. */
const OF_THE_BENCH = 20;

/** How many connections the arms on one server may have at once: all of them are alive in every round. */
export interface ConnectionNeeds {
  readonly variant: Variant;
  readonly arms: number;
  /** The sizes of all pools; null where the scenario does not tell them. */
  readonly pools: number | null;
  /** The same with no more of each pool than there are clients: what certainly is opened. */
  readonly used: number | null;
}

/** By server, with a variant that is on it. */
export function connectionNeeds(scenario: ResolvedScenario): ConnectionNeeds[] {
  const clients = Math.max(...expectedLevels(scenario.load).map((level) => mostUnderWay(scenario.load, level)));
  const servers = new Map<string, ConnectionNeeds>();
  for (const { variant } of armsOf(scenario)) {
    if (!hasPostgres(variant)) continue;
    const size = poolSizeIn(scenario, variant);
    const key = serverKey(variant);
    const { arms, pools, used } = servers.get(key) ?? { arms: 0, pools: 0, used: 0 };
    servers.set(key, {
      variant,
      arms: arms + 1,
      pools: pools === null || size === null ? null : pools + size,
      used: used === null || size === null ? null : used + Math.min(size, clients),
    });
  }
  return [...servers.values()];
}

/** What a server allows. */
export interface ConnectionLimit {
  /** max_connections. */
  readonly most: number;
  /** How many others have now, and how many are kept for superusers. */
  readonly taken: number;
}

const LIMIT_SQL = `
  SELECT current_setting('max_connections')::int AS most,
    current_setting('superuser_reserved_connections')::int + (
      SELECT count(*)::int FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND application_name NOT LIKE 'pgsweep%' AND pid <> pg_backend_pid()
    ) AS taken`;

/** Throws PgsweepError('scenario') where the arms of a server together need more connections than it has. */
export async function examineConnections(
  scenario: ResolvedScenario,
  serverOf: (variant: Variant) => Pick<RunningServer, 'postgres'>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const needs of connectionNeeds(scenario)) {
    const { postgres } = serverOf(needs.variant);
    const [row] = await withConnection(postgres.adminUrl(), (run) => run(LIMIT_SQL));
    const limit = { most: Number(row?.most), taken: Number(row?.taken) };
    findings.push(judgeConnections(needs, limit, postgres.own));
  }
  return findings;
}

/** The same of one server whose limit is known. */
export function judgeConnections(
  { arms, pools, used }: ConnectionNeeds,
  { most, taken }: ConnectionLimit,
  own: boolean,
): Finding {
  const name = 'connections';
  const left = most - taken - OF_THE_BENCH;
  const leaves = `max_connections = ${most} leaves ${left}`;
  if (pools === null || used === null) {
    const found = `how many the service opens is not known; ${leaves} for ${arms} arms`;
    return ok(name, `${found} (target.pool names the variable of its pool's size)`);
  }
  const all = `the pools of ${arms} arms on one Postgres may open ${pools} connections`;
  const enough = pools + taken + OF_THE_BENCH;
  const advice = own
    ? `Set stack: { postgres: { settings: { max_connections: ${enough} } } }, or use smaller pools: all arms are alive at once.`
    : `Raise max_connections of that server to ${enough}, or use smaller pools: all arms are alive at once.`;
  if (used > left) {
    throw new PgsweepError('scenario', `${all}, ${used} of them under the heaviest load, and ${leaves}`, {
      hint: advice,
    });
  }
  return pools > left ? warning(name, `${all}, and ${leaves}`, advice) : ok(name, `${all}; ${leaves}`);
}
