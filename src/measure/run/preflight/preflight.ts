import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { type Finding, problemOf } from '../../finding.ts';
import { runParts } from '../../link/parts.ts';
import type { ArmCosts } from '../../plan/arm-costs.ts';
import { firstRound } from '../../plan/first-slices.ts';
import type { Stack } from '../../stack/stack.ts';
import { examineDisk } from '../doctor/disk.ts';
import { examineMachine } from '../doctor/machine.ts';
import { examineNode } from '../doctor/node.ts';
import { watchOtherLoad } from '../doctor/other-load.ts';
import type { RoundIo } from '../round/round-context.ts';
import type { SessionDatabase } from '../servers/session-database.ts';
import { examineBudget } from './budget.ts';
import { examineConnections, type HeldConnections, planConnections } from './connections.ts';
import { examineRole } from './role.ts';
import { tryLinks } from './try-links.ts';
import { type TryService, tryService, variantsToTry } from './try-service.ts';

/** How long a sweep watches for other load before it begins; every pass watches it again. */
const WATCH_MS = 500;

export interface PreflightContext extends TryService {
  readonly chosen: Pick<Stack, 'kind'>;
  readonly database: Pick<SessionDatabase, 'postgres' | 'role'> | null;
  readonly io: Pick<RoundIo, 'folder' | 'emit' | 'signal'>;
  /** Set for a quick run; absent means it is a whole one. */
  readonly quick?: boolean;
  readonly report: (finding: Finding) => void;
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
 * was opened. Reports what it finds, and throws PgsweepError for what a run would fail by. Returns what it took to start
 * an arm; null where nothing was started.
 */
export async function preflight(context: PreflightContext): Promise<ArmCosts | null> {
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
    const { findings, costs, failed, held } = await tryService(context);
    // A pool for each process, and a size that no key names, are only seen now.
    for (const finding of held.length === 0 ? planned : await connections(held)) report(finding);
    const known = { kind: chosen.kind, costs };
    report(examineBudget(scenario, firstRound(scenario, known).plan, context.quick, known));
    for (const finding of findings) report(finding);
    const [last, ...others] = failed.toReversed();
    for (const error of others.reverse()) report(problemOf(error.code, error));
    if (last !== undefined) throw last;
    for (const finding of await tryLinks(context)) report(finding);
    return costs;
  } finally {
    await databases?.close();
  }
}

function tryWords(context: PreflightContext): string {
  if (context.scenario.target.kind === 'url') return 'trying the service: whether it is ready';
  const asked = 'one request of each kind';
  const count = variantsToTry(context).length;
  if (!context.everyVariant || count === 1) return `trying the service: ${asked}`;
  return `trying ${count} variants one after the other, seconds each: ${asked} (--check-control tries the control alone)`;
}
