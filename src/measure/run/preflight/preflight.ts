import type { LinkReading } from '../../../journal/link/link-record.ts';
import type { ServiceRole } from '../../../journal/run/provenance-record.ts';
import type { ResolvedScenario, Variant } from '../../../journal/scenario-record.ts';
import { type Finding, isWarned, ok, problemOf, warning } from '../../finding.ts';
import { runParts } from '../../link/parts.ts';
import { type KnownCosts, planRun, type RunPlan } from '../../plan/run-plan.ts';
import { scenarioWarnings } from '../../plan/scenario-warnings.ts';
import type { Stack } from '../../stack/stack.ts';
import { examineDisk } from '../doctor/disk.ts';
import { examineMachine } from '../doctor/machine.ts';
import { examineNode } from '../doctor/node.ts';
import { watchOtherLoad } from '../doctor/other-load.ts';
import type { EmitEvent } from '../events.ts';
import type { RoundIo } from '../round/round-context.ts';
import type { ArmDatabases } from '../servers/arm-databases.ts';
import type { SessionDatabase } from '../servers/session-database.ts';
import type { ServersOptions } from '../servers/session-servers.ts';
import { examineBudget } from './budget.ts';
import { examineConnections, type HeldConnections, planConnections } from './connections.ts';
import { type TriedServices, type TryService, tryService, variantsToTry } from './try-service.ts';

/** How long a sweep watches for other load before it begins; every pass watches it again. */
const WATCH_MS = 500;

export interface PreflightContext extends TryService {
  readonly chosen: Pick<Stack, 'kind'>;
  readonly database: Pick<SessionDatabase, 'postgres' | 'role'> | null;
  readonly io: Pick<RoundIo, 'folder' | 'emit' | 'signal'>;
  /** Set for a quick run; absent means it is a whole one. */
  readonly quick?: boolean;
  readonly report: (finding: Finding) => void;
  /** Plans the session by what its arms cost; absent for a new run. */
  readonly planBy?: (known: KnownCosts) => RunPlan;
}

/** A run begins in spite of what may only make its numbers noisier. What is found twice is said once. */
export function warningsTo(emit: EmitEvent): (finding: Finding) => void {
  const reported = new Set<string>();
  return (finding) => {
    if (!isWarned(finding) || reported.has(finding.found)) return;
    reported.add(finding.found);
    emit({ kind: 'warning', warning: { kind: 'examined', finding } });
  };
}

/** Looks at scenario and machine after the line that says which stack it is, which is the first. */
export function examineBefore(
  { scenario, emit, signal }: Pick<ServersOptions, 'scenario' | 'emit' | 'signal'>,
  report: (finding: Finding) => void,
): (stack: Pick<Stack, 'kind'>) => Promise<void> {
  return async (stack) => {
    for (const warning of scenarioWarnings(scenario)) emit({ kind: 'warning', warning });
    for (const finding of await examineShortly(scenario, stack, signal)) report(finding);
  };
}

/**
 * Checks before anything is started: the connections by arithmetic, and the machine as the doctor sees it at once. Throws
 * PgsweepError('scenario') where the pools cannot fit.
 */
export async function examineShortly(
  scenario: ResolvedScenario,
  { kind }: Pick<Stack, 'kind'>,
  signal: AbortSignal,
): Promise<Finding[]> {
  const connections = planConnections(scenario, kind);
  const load = await watchOtherLoad(WATCH_MS, signal);
  return [...connections, ...load, ...examineMachine(), ...examineDisk(), examineNode()];
}

/**
 * Looks, before the first round, at what would spoil it or end it; settings and indexes have been tried when the database
 * was opened. Reports what it finds, and throws PgsweepError for what a run would fail by. Returns the plan, by what it took to
 * start an arm.
 */
export async function preflight(context: PreflightContext): Promise<RunPlan> {
  const { scenario, chosen, database, report } = context;
  const { databases, servers } = context.stack;
  for (const finding of runParts.flatMap((part) => part.doubts?.(scenario) ?? [])) report(finding);
  context.io.emit({ kind: 'preparing', message: tryWords(context) });
  if (database !== null) report(examineRole(database.role));
  try {
    await databases?.open(0);
    const connections = async (held?: readonly HeldConnections[]): Promise<Finding[]> => {
      if (database === null || servers === null) return [];
      return examineConnections(scenario, servers.of, database.postgres.ownServers !== null, held);
    };
    const planned = await connections();
    const nothingStarts = scenario.target.kind === 'none';
    const { findings, costs, failed, held } = nothingStarts ? nothingTried : await tryService(context);
    // A pool for each process, and a size that no key names, are only seen now.
    for (const finding of held.length === 0 ? planned : await connections(held)) report(finding);
    const known = { kind: chosen.kind, costs };
    const plan = context.planBy?.(known) ?? planRun(scenario, known);
    report(examineBudget(scenario, plan.estimate, context.quick, known));
    for (const finding of findings) report(finding);
    const [last, ...others] = failed.toReversed();
    for (const error of others.reverse()) report(problemOf(error.code, error));
    if (last !== undefined) throw last;
    for (const finding of await tryLinks(context)) report(finding);
    return plan;
  } finally {
    await databases?.close();
  }
}

const nothingTried: TriedServices = { findings: [], costs: null, failed: [], held: [] };

function tryWords(context: PreflightContext): string {
  if (context.scenario.target.kind === 'none') return 'the job runs on the database alone';
  if (context.scenario.target.kind === 'url') return 'trying the service: whether it is ready';
  const asked = 'one request of each kind';
  const count = variantsToTry(context).length;
  if (!context.everyVariant || count === 1) return `trying the service: ${asked}`;
  return `trying ${count} variants one after the other, seconds each: ${asked} (--check-control tries the control alone)`;
}

/** Tells which role services have in their copies, and if policies of row-level security apply to it. */
export function examineRole({ name, isSuperuser, secured, bypassed }: ServiceRole): Finding {
  const has = `services get their copies as ${name}${isSuperuser ? ', a superuser' : ''}`;
  if (bypassed === 0) return ok('role', secured === 0 ? has : `${has}; row-level security applies to it`);
  const tables =
    secured === 1 ? 'the table with row-level security' : `${bypassed} of ${secured} tables with row-level security`;
  return warning(
    'role',
    `${has}: the policies of ${tables} do not apply to it`,
    isSuperuser
      ? 'Give them an ordinary role: dataset: { role: app }, with what an SQL file grants to app.'
      : 'An owner passes by its policies: GRANT what the service needs to the role in an SQL file, or ALTER TABLE ... FORCE ROW LEVEL SECURITY.',
  );
}

const COPY = 'pgsweep_try_link';

/** Opens each link that is to be measured once, and measures it. Throws PgsweepError `stack` where it cannot be had. */
export async function tryLinks(context: TryService): Promise<Finding[]> {
  const { databases } = context.stack;
  if (databases === null) return [];
  const findings: Finding[] = [];
  for (const { measured } of runParts) {
    for (const variant of measured === undefined ? [] : differentBy(context.scenario.variants, measured.by)) {
      context.io.signal.throwIfAborted();
      findings.push(...(measured?.finding(variant, await measure(context, databases, variant)) ?? []));
    }
  }
  return findings;
}

function differentBy(variants: readonly Variant[], by: (variant: Variant) => unknown): Variant[] {
  const linked = variants.filter((variant) => by(variant) !== undefined);
  return [...new Map(linked.map((variant) => [JSON.stringify(by(variant)), variant])).values()];
}

async function measure(
  { stack: { openLink, reaper }, io: { signal } }: TryService,
  databases: ArmDatabases,
  variant: Variant,
): Promise<LinkReading> {
  try {
    const { url } = await databases.copy(COPY, { name: variant.name, variant });
    const link = await openLink({ variant, databaseUrl: url, reaper, signal });
    try {
      return await link.verify();
    } finally {
      await link.close();
    }
  } finally {
    await databases.drop(COPY);
  }
}
