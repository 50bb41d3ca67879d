import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { PgsweepError } from '../../../base/errors.ts';
import { readProcessTable, treesOf } from '../../../base/process/process-table.ts';
import { formatDuration } from '../../../base/units.ts';
import { hasPostgres } from '../../../journal/link/own-database.ts';
import { mostUnderWay } from '../../../journal/load-level.ts';
import type { ResolvedScenario, Target, Variant } from '../../../journal/scenario-record.ts';
import { areOneProcess } from '../../../journal/variant-parts.ts';
import { type Finding, ok, warning } from '../../finding.ts';
import type { OpenedLink, WatchedTry } from '../../link/link.ts';
import { runParts, watchTry } from '../../link/parts.ts';
import { type ArmCosts, combinedCosts } from '../../plan/arm-costs.ts';
import { levelPlan } from '../../plan/level-plan.ts';
import { msOfTicks } from '../../probe/machine/process-files.ts';
import { type LogEnds, type LoggingServer, logEnds, withLoggedErrors } from '../../probe/postgres/logged-errors.ts';
import { BESIDE } from '../../target/start-process.ts';
import { pidsOf, type StartedTarget, type TargetStop } from '../../target/target.ts';
import { watchReach } from '../reach/reach.ts';
import type { Reach } from '../reach/watched.ts';
import type { RoundContext, RoundIo } from '../round/round-context.ts';
import { switchTo } from '../round/switch-arm.ts';
import type { HeldConnections } from './connections.ts';
import { stillAnswers, type TryRequests, tryFirstRead, tryReads, tryRequests } from './try-requests.ts';

const COPY = 'pgsweep_try_service';
const COPY_BESIDE = 'pgsweep_try_beside';

export interface TryService extends TryRequests, Pick<RoundContext, 'stack'> {
  readonly io: Pick<RoundIo, 'folder' | 'signal'>;
  /** Set where each variant is tried; absent where only those that have another service are. */
  readonly everyVariant?: boolean;
}

/** Result of a try. */
export interface TriedService {
  readonly findings: readonly Finding[];
  /** Null where nothing was started. */
  readonly costs: ArmCosts | null;
  /** Connections that services held under a burst of reads. */
  readonly held: readonly HeldConnections[];
}

/** Result of all tries. */
export interface TriedServices extends TriedService {
  /** Errors of variants other than the control, where every variant is tried. */
  readonly failed: readonly PgsweepError[];
}

/**
 * Starts the services of variants once, one after the other, on a throwaway copy of the data, and sends one request of each
 * kind. Where every variant is tried, the control's is started once more beside itself, as the arms of a round are. A service
 * that already runs is only asked whether it is ready: a DELETE would hit real data. Throws PgsweepError
 * `target` with the answers that no load could have wanted; where every variant is tried, only the control's error ends it.
 */
export async function tryService(context: TryService): Promise<TriedServices> {
  const { control } = context.scenario;
  const findings: Finding[] = [];
  const costs: ArmCosts[] = [];
  const held: HeldConnections[] = [];
  const failed: PgsweepError[] = [];
  for (const variant of variantsToTry(context)) {
    context.io.signal.throwIfAborted();
    try {
      const tried = await tryOne(context, variant);
      findings.push(...tried.findings);
      held.push(...tried.held);
      if (tried.costs !== null) costs.push(tried.costs);
    } catch (error) {
      context.io.signal.throwIfAborted();
      if (!context.everyVariant || variant.name === control || !(error instanceof PgsweepError)) throw error;
      failed.push(named(error, variant));
    }
  }
  return { findings: eachOnce(findings), costs: combinedCosts(costs), held, failed };
}

/** The variants whose services are started, the control first. */
export function variantsToTry({ scenario, everyVariant }: Pick<TryService, 'scenario' | 'everyVariant'>): Variant[] {
  const { target, control, variants } = scenario;
  if (!everyVariant || target.kind === 'url' || areOneProcess(scenario)) return differentServices(scenario);
  return [...variants].sort((a, b) => Number(b.name === control) - Number(a.name === control));
}

/** An error with its variant's name, unless it has that already. */
function named(error: PgsweepError, { name }: Variant): PgsweepError {
  if (error.message.includes(`"${name}"`)) return error;
  const { hint } = error;
  return new PgsweepError(error.code, `in "${name}" ${error.message}`, { ...(hint && { hint }), cause: error });
}

function eachOnce(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.name} ${finding.found}`, finding])).values()];
}

/**
 * The control, and each variant that has another command, folder, url or kind of database, also of one of several services,
 * or another part that services are tried for.
 */
function differentServices({ variants, control }: ResolvedScenario): Variant[] {
  const first = variants.filter(({ name }) => name === control);
  const services = new Map<string, Variant>();
  for (const variant of [...first, ...variants]) {
    const { command, cwd, url, database, reset } = variant;
    const parts = runParts.map((part) => part.triedBy?.(variant));
    const key = JSON.stringify([command, cwd, url, database, reset, startsOf(variant), parts]);
    if (!services.has(key)) services.set(key, variant);
  }
  return [...services.values()];
}

function startsOf({ services }: Variant): unknown {
  return Object.entries(services ?? {}).map(([name, { command, cwd }]) => [name, command, cwd]);
}

async function tryOne(context: TryService, variant: Variant): Promise<TriedService> {
  const { scenario } = context;
  const { databases, indices, reaper, openLink, startTarget } = context.stack;
  const { folder, signal } = context.io;
  let link: OpenedLink | null = null;
  let watched: WatchedTry | null = null;
  let target: StartedTarget | null = null;
  let readyAt: LogEnds | undefined;
  const copyStart = performance.now();
  try {
    const copy = hasPostgres(variant) ? ((await databases?.copy(COPY, { name: variant.name, variant })) ?? null) : null;
    link = copy && (await openLink({ variant, databaseUrl: copy.url, reaper, signal }));
    watched = await watchTry(variant, link);
    const given = watched?.url ?? link?.url ?? null;
    const isLinked = given !== copy?.url;
    const reach = watchReach({ ...context, variant, database: COPY, armName: COPY, url: given, isLinked });
    let lookMs = 0;
    const start = performance.now();
    target = await startTarget({
      target: targetToTry(scenario.target),
      variant,
      databaseUrl: given,
      search: indices && { url: indices.url, indexPrefix: indices.prefixOf(COPY) },
      armName: COPY,
      reaper,
      logFile: join(folder, 'logs', 'try.log'),
      async whenReady(started) {
        const lookStart = performance.now();
        readyAt = await logEnds(postgresOf(context, variant));
        await reach?.look(started, 'As soon as it is ready');
        lookMs = performance.now() - lookStart;
      },
      signal,
    });
    const ready = ok(
      'service',
      `"${variant.name}" is ready ${formatDuration(Math.round(performance.now() - start - lookMs))} after its start`,
    );
    if (scenario.target.kind === 'url')
      return { findings: [ok('service', `"${variant.name}" answers at ${target.url}`)], costs: null, held: [] };
    const startMs = performance.now() - copyStart - lookMs;
    const serviceMs = cpuMsOf(pidsOf(target));
    const cpuMs = serviceMs === null ? null : serviceMs + start - copyStart;
    const read = reach === null ? null : await tryFirstRead(context, target);
    if (read !== null) await reach?.look(target, `After ${read}`);
    const { findings: tried, latencyMs } = await tryRequests(context, target);
    if (context.everyVariant && variant.name === scenario.control && !areOneProcess(scenario))
      tried.push(await tryBeside(context, variant, target));
    const held = reach && (await holdUnderLoad(context, target, reach));
    if (context.everyVariant && areOneProcess(scenario)) tried.push(...(await trySwitches(context, target)));
    const uses = [...((await reach?.findings(target)) ?? []), ...((await watched?.findings()) ?? [])];
    const stopStart = performance.now();
    const ended = endOf(variant, await target.stop());
    const stopMs = performance.now() - stopStart;
    const cores = availableParallelism();
    const costs: ArmCosts = { startMs, cpuMs, stopMs, cores, ...(latencyMs !== null && { latencyMs }) };
    const findings = [ready, ...tried, ...uses, ...ended];
    return { findings, costs, held: held === null ? [] : [{ variant: variant.name, ...held }] };
  } catch (error) {
    const explained = watched === null ? error : await watched.explained(error);
    throw await withLoggedErrors(explained, postgresOf(context, variant), { database: COPY, readyAt });
  } finally {
    await target?.stop();
    await watched?.close();
    await link?.close();
    await databases?.drop(COPY);
    await indices?.drop(COPY);
  }
}

/**
 * Starts a variant's service on a copy of the data while another of it runs: two that share a port, a pid file or a socket
 * cannot, and every round starts all arms at once. Throws PgsweepError `target` where it does not get ready.
 */
async function tryBeside(context: TryService, variant: Variant, first: StartedTarget): Promise<Finding> {
  const { scenario, stack, io } = context;
  const { databases, indices, openLink, startTarget, reaper } = stack;
  const { signal } = io;
  let link: OpenedLink | null = null;
  let target: StartedTarget | null = null;
  try {
    const copy = hasPostgres(variant) ? await databases?.copy(COPY_BESIDE, { name: variant.name, variant }) : null;
    link = (copy && (await openLink({ variant, databaseUrl: copy.url, reaper, signal }))) ?? null;
    target = await startTarget({
      target: scenario.target,
      variant,
      databaseUrl: link?.url ?? null,
      search: indices && { url: indices.url, indexPrefix: indices.prefixOf(COPY_BESIDE) },
      armName: COPY_BESIDE,
      startingTogether: 2,
      reaper,
      logFile: join(io.folder, 'logs', 'try-beside.log'),
      signal,
    });
    // PM2 hands the processes of one to the other.
    if (!(await stillAnswers(context, first)))
      throw new PgsweepError('target', `the service of "${variant.name}" does not answer any more`, { hint: BESIDE });
    return ok('service', `two of "${variant.name}" run at once`);
  } catch (error) {
    if (!(error instanceof PgsweepError) || error.code !== 'target') throw error;
    const { code, message, hint, cause } = error;
    throw new PgsweepError(code, `started beside another of it, ${message}`, { hint, cause });
  } finally {
    await target?.stop();
    await link?.close();
    await databases?.drop(COPY_BESIDE);
    await indices?.drop(COPY_BESIDE);
  }
}

/** More reads at once tell nothing else, and may be more than a service takes. */
const MOST_READS = 200;

/**
 * Connections that a service holds after as many reads at once as the heaviest load has requests: each of its processes
 * opens its pool. Null where the scenario begins with no read, and where a pooler stands between.
 */
async function holdUnderLoad(
  context: TryService,
  target: StartedTarget,
  reach: Reach,
): Promise<Omit<HeldConnections, 'variant'> | null> {
  const { load } = context.scenario;
  const most = Math.max(...levelPlan(load).expected.map((level) => mostUnderWay(load, level)));
  const reads = Math.ceil(Math.min(most, MOST_READS) / (target.urls?.length ?? 1));
  for (const url of target.urls ?? [target.url])
    if ((await tryReads(context, { ...target, url }, reads)) === null) return null;
  const { sessions, processes } = await reach.look(target, `After ${reads} reads at once`);
  return { sessions, processes };
}

function postgresOf({ stack }: TryService, variant: Variant): LoggingServer[] {
  const server = hasPostgres(variant) ? stack.servers?.of({ name: variant.name }) : undefined;
  return server === undefined ? [] : [server.postgres];
}

/** Switches the running service to each variant that shares it, and sends the requests again. */
async function trySwitches(context: TryService, target: StartedTarget): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const variant of context.scenario.variants) {
    const arm = { name: variant.name, variant, repeat: false, slot: 0 };
    try {
      await switchTo(context, { arm, database: COPY, target, link: null }, context.io.signal);
      findings.push(...(await tryRequests(context, target)).findings);
    } catch (error) {
      throw error instanceof PgsweepError ? named(error, variant) : error;
    }
  }
  return findings;
}

/** CPU of processes and their children, ended ones too, in ms; null where it cannot be seen. */
function cpuMsOf(pids: readonly number[]): number | null {
  const table = readProcessTable();
  if (table === null) return null;
  const tree = treesOf(table, pids);
  const rows = table.filter(({ pid }) => tree.has(pid));
  return msOfTicks(rows.reduce((sum, { ticks, childTicks }) => sum + ticks + childTicks, 0));
}

/** Finding on a service that had to be killed: every round waits as long for it. */
function endOf({ name }: Variant, { killedAfterMs }: TargetStop): Finding[] {
  if (killedAfterMs === null) return [];
  const found = `"${name}" did not end on SIGTERM: killed after ${formatDuration(killedAfterMs)}`;
  return [warning('service', found, 'End it on SIGTERM, or give it time: a longer target.stopTimeout.')];
}

/** Nobody logs in to a service that already runs before a run does. */
function targetToTry(target: Target): Target {
  if (target.kind !== 'url') return target;
  const { login: _, ...asked } = target;
  return asked;
}
