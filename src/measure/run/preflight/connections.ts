import { NOT_OF_THE_BENCH } from '../../../base/application-names.ts';
import { PgsweepError } from '../../../base/errors.ts';
import { databaseConnectionsIn } from '../../../journal/link/database-connections.ts';
import { hasPostgres } from '../../../journal/link/own-database.ts';
import { mostUnderWay } from '../../../journal/load-level.ts';
import { type HeldSessions, poolCount, poolOfInstance } from '../../../journal/pool-size.ts';
import { OWN_CONNECTIONS, RESERVED_CONNECTIONS } from '../../../journal/postgres/connections.ts';
import type { ResolvedScenario, Variant } from '../../../journal/scenario-record.ts';
import { instancesOf } from '../../../journal/service/instances.ts';
import { withRoom } from '../../../journal/tune/pool-room.ts';
import { type Finding, ok, warning } from '../../finding.ts';
import { type Arm, plannedArms } from '../../plan/arms.ts';
import { levelPlan } from '../../plan/level-plan.ts';
import { needOfOwnServers } from '../../plan/own-servers.ts';
import { withConnection } from '../../stack/common/query.ts';
import { mergeSettings } from '../../stack/common/settings.ts';
import { type StackName, stackKinds } from '../../stack/kinds.ts';
import { serverSettings } from '../../treatment/kinds/settings.ts';
import type { RunningServer } from '../servers/servers.ts';
import type { SessionDatabase } from '../servers/session-database.ts';

/** How many connections the arms on one server may have at once: all of them are alive in every round. */
export interface ConnectionNeeds {
  /** The first of them. */
  readonly arm: Arm;
  readonly arms: number;
  /** The sizes of all pools; null where the scenario does not say. */
  readonly pools: number | null;
  /** Connections with no more of each pool than there are clients: those are opened for certain. */
  readonly used: number | null;
  /** How many requests are under way at once in all arms, under the heaviest load: a pool may need as many. */
  readonly clients: number;
  /** The variant with most of them, where that has several instances. */
  readonly largest?: PoolsOfInstances;
  /** A variant that gives the variable of its pool's size no value, where one is named. */
  readonly unsized?: { readonly variant: string; readonly variable: string };
}

/** How the pools of a variant's instances or processes add up. */
interface PoolsOfInstances {
  readonly variant: string;
  readonly instances: number;
  /** Set where they were seen in a service that was tried, and the scenario does not name them. */
  readonly areSeen?: true;
  /** The size of each. */
  readonly pool: number;
}

/**
 * By server: one for each arm where they are apart, else one for all. The pools of all instances of a service count; where a PgBouncer stands before
 * the database, its size. `held`: what services that were tried held; a variant that was not tried is taken for the first.
 */
export function connectionNeeds(
  scenario: ResolvedScenario,
  areApart = needOfOwnServers(scenario) !== null,
  held: readonly HeldConnections[] = [],
): ConnectionNeeds[] {
  const clients = Math.max(...levelPlan(scenario.load).expected.map((level) => mostUnderWay(scenario.load, level)));
  const servers = new Map<string, ConnectionNeeds>();
  for (const arm of plannedArms(scenario)) {
    const { name, variant } = arm;
    if (!hasPostgres(variant)) continue;
    const seen = held.find((one) => one.variant === variant.name) ?? held[0];
    const size = seenSize(scenario, variant, seen);
    const key = areApart ? name : '';
    const first = { arm, arms: 0, pools: 0, used: 0, largest: undefined, unsized: undefined };
    const { arms, pools, used, largest, ...before } = servers.get(key) ?? first;
    const most = largerOf(largest, poolsOfInstances(scenario, variant, seen));
    const unsized = before.unsized ?? (size === null ? unsizedIn(scenario, variant) : undefined);
    servers.set(key, {
      arm: before.arm,
      arms: arms + 1,
      clients: (arms + 1) * clients,
      pools: pools === null || size === null ? null : pools + size,
      used: used === null || size === null ? null : used + Math.min(size, clients),
      ...(most !== undefined && { largest: most }),
      ...(unsized !== undefined && { unsized }),
    });
  }
  return [...servers.values()];
}

/** Connections that a variant may open; null where neither the scenario nor a try says. */
function seenSize(scenario: ResolvedScenario, variant: Variant, held: HeldConnections | undefined): number | null {
  const pool = poolOfInstance(scenario, variant);
  if (variant.pooler !== undefined || held === undefined) return databaseConnectionsIn(scenario, variant);
  if (pool === null) return held.sessions > 0 ? held.sessions : null;
  return pool * seenPools(scenario, variant, held);
}

/** How many pools a variant has, each instance as many as one of the variant that was tried. */
function seenPools(scenario: ResolvedScenario, variant: Variant, held: HeldConnections | undefined): number {
  const instances = instancesOf(variant);
  const tried = scenario.variants.find(({ name }) => name === held?.variant) ?? variant;
  const pool = poolOfInstance(scenario, tried);
  if (pool === null) return instances;
  return instances * Math.ceil(poolCount(pool, instancesOf(tried), held) / instancesOf(tried));
}

function unsizedIn({ target }: ResolvedScenario, { name }: Variant): ConnectionNeeds['unsized'] {
  return 'pool' in target && target.pool !== undefined ? { variant: name, variable: target.pool.variable } : undefined;
}

/** Nothing where a PgBouncer stands between: they add up to no more than that has. */
function poolsOfInstances(
  scenario: ResolvedScenario,
  variant: Variant,
  held: HeldConnections | undefined,
): PoolsOfInstances | undefined {
  const pool = poolOfInstance(scenario, variant);
  if (variant.pooler !== undefined || pool === null) return undefined;
  const [named, { name }] = [instancesOf(variant), variant];
  const instances = seenPools(scenario, variant, held);
  if (instances === 1) return undefined;
  return { variant: name, instances, pool, ...(instances > named && { areSeen: true as const }) };
}

function largerOf(a: PoolsOfInstances | undefined, b: PoolsOfInstances | undefined): PoolsOfInstances | undefined {
  const all = ({ instances, pool }: PoolsOfInstances): number => instances * pool;
  return a === undefined || (b !== undefined && all(b) > all(a)) ? b : a;
}

/** Connections that a server allows. */
export interface ConnectionLimit {
  /** max_connections. */
  readonly most: number;
  /** How many others have now, and how many are kept for superusers and privileged roles. */
  readonly taken: number;
}

const LIMIT_SQL = `
  SELECT current_setting('max_connections')::int AS most, current_setting('superuser_reserved_connections')::int
    + coalesce(current_setting('reserved_connections', true)::int, 0) + (
      SELECT count(*)::int FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND ${NOT_OF_THE_BENCH} AND pid <> pg_backend_pid()
    ) AS taken`;

async function limitOf({ adminUrl }: Pick<RunningServer['postgres'], 'adminUrl'>): Promise<ConnectionLimit> {
  const [row] = await withConnection(adminUrl(), (run) => run(LIMIT_SQL));
  return { most: Number(row?.most), taken: Number(row?.taken) };
}

/** The scenario with the space of its search as far as a server that runs has room for it; any other as it is. */
export async function withServerRoom(
  scenario: ResolvedScenario,
  database: Pick<SessionDatabase, 'postgres' | 'servers'> | null,
): Promise<ResolvedScenario> {
  const [server] = database?.servers.running() ?? [];
  if (scenario.tune === undefined || server === undefined) return scenario;
  const { most, taken } = await limitOf(server.postgres);
  const room = { connections: Math.max(0, most - taken), areApart: database?.postgres.ownServers !== null };
  return { ...scenario, ...withRoom(scenario, room) };
}

/**
 * Compares the connections of the arms with the limit of each server; no finding where no service runs. Throws
 * PgsweepError('scenario') where the arms of a server together need more than it has.
 */
export async function examineConnections(
  scenario: ResolvedScenario,
  serverOf: (arm: Arm) => Pick<RunningServer, 'postgres'>,
  areApart: boolean,
  held: readonly HeldConnections[] = [],
): Promise<Finding[]> {
  if (scenario.target.kind === 'none') return [];
  const findings: Finding[] = [];
  for (const needs of connectionNeeds(scenario, areApart, held)) {
    const { postgres } = serverOf(needs.arm);
    findings.push(judgeConnections(needs, await limitOf(postgres), postgres.own));
  }
  return eachOnce(findings);
}

/**
 * Checks connections before anything is started, by the settings of the bench's own servers. It finds nothing about other
 * servers, which are not known yet. Throws as `examineConnections`.
 */
export function planConnections(scenario: ResolvedScenario, kind: StackName): Finding[] {
  if (['url', 'none'].includes(scenario.target.kind) || !stackKinds[kind].own) return [];
  const findings = connectionNeeds(scenario).map((needs) => {
    const own = Object.fromEntries(serverSettings(needs.arm.variant.treatment));
    const settings = mergeSettings(own, mergeSettings(scenario.stack.postgres.settings));
    const most = Number(settings.max_connections);
    const taken = Number(settings.superuser_reserved_connections ?? RESERVED_CONNECTIONS);
    return judgeConnections(needs, { most, taken }, true);
  });
  return eachOnce(findings);
}

function sizeIn({ variant, variable }: NonNullable<ConnectionNeeds['unsized']>): string {
  return `give ${variable} a value in ${variant}, or for all variants in target.env`;
}

/** Servers of arms that are alike are alike. */
function eachOnce(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [finding.found, finding])).values()];
}

/**
 * Judges one server whose limit is known. Where no key names the size of pools, two numbers bound what they open: an arm needs at
 * least one connection, so less room than that is certain to fail, a problem; and it needs no more than requests are under way at
 * once, which a smaller pool never opens, so less room than that may do, a warning.
 */
export function judgeConnections(
  { arm, arms, pools, used, clients, largest, unsized }: ConnectionNeeds,
  { most, taken }: ConnectionLimit,
  own: boolean,
): Finding {
  const name = 'connections';
  const left = most - taken - OWN_CONNECTIONS;
  const none = `none (${taken} are taken or reserved, pgsweep needs ${OWN_CONNECTIONS})`;
  const leaves = `max_connections = ${most} leaves ${left > 0 ? left : none}`;
  const raise = (enough: number): string => raiseWords(arm, enough, own);
  if (pools === null || used === null) {
    const found = `how many the service opens is not known; ${leaves} for ${arms === 1 ? 'each arm' : `${arms} arms`}`;
    const size = unsized === undefined ? "name the variable of the pool's size by target.pool" : sizeIn(unsized);
    const enough = raise(clients + taken + OWN_CONNECTIONS);
    if (left < arms)
      throw new PgsweepError('scenario', `${found}, and each needs at least one`, { hint: `${enough}.` });
    const wanted = `under the heaviest load ${clients} requests are under way at once`;
    if (left < clients) return warning(name, `${found}, and ${wanted}`, `${enough}, or ${size}.`);
    return ok(
      name,
      `${found} (${unsized === undefined ? "target.pool names the variable of its pool's size" : sizeIn(unsized)})`,
    );
  }
  const whose = arms === 1 ? 'the pool of an arm on its own Postgres' : `the pools of ${arms} arms on one Postgres`;
  const all = `${whose} may open ${pools} connections${sumInWords(largest)}`;
  const less =
    largest === undefined ? 'smaller pools' : `smaller pools or fewer ${largest.areSeen ? 'processes' : 'instances'}`;
  const orLess = `, or use ${less}${arms === 1 ? '' : ': all arms are alive at once'}`;
  // Where there is no connection for each arm, no pool is small enough.
  const advice = `${raise(pools + taken + OWN_CONNECTIONS)}${left < arms ? '' : orLess}.`;
  if (used > left) {
    throw new PgsweepError('scenario', `${all}, ${used} of them under the heaviest load, and ${leaves}`, {
      hint: advice,
    });
  }
  return pools > left ? warning(name, `${all}, and ${leaves}`, advice) : ok(name, `${all}; ${leaves}`);
}

/** How to allow more: in the variant, where that has its own value, since it wins over the stack's. */
function raiseWords({ variant }: Arm, enough: number, own: boolean): string {
  if (serverSettings(variant.treatment).some(([setting]) => setting === 'max_connections'))
    return `Raise max_connections of variant "${variant.name}" to ${enough}`;
  return own
    ? `Set stack: { postgres: { settings: { max_connections: ${enough} } } }`
    : `Raise max_connections of that server to ${enough}`;
}

/** ` (4 instances x 30 = 120 in "instances=4")`, ` (4 pools, as was seen, x 5 = 20 in "pool=5")`; empty where services are one process each. */
function sumInWords(largest: PoolsOfInstances | undefined): string {
  if (largest === undefined) return '';
  const { variant, instances, pool, areSeen } = largest;
  return ` (${instances} ${areSeen ? 'pools, as was seen,' : 'instances'} x ${pool} = ${instances * pool} in "${variant}")`;
}

/** Connections that the service of a variant held to its copy, under as many requests as the heaviest load has. */
export interface HeldConnections extends HeldSessions {
  readonly variant: string;
}
