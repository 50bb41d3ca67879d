import { hasPostgres } from '../../../journal/link/own-database.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { type Finding, ok, problemOf } from '../../finding.ts';
import { runParts } from '../../link/parts.ts';
import { releaseOf } from '../../stack/common/postgres.ts';
import { stackKinds } from '../../stack/kinds.ts';
import type { StackChoice } from '../../stack/stack.ts';
import { type PlannedStack, plannedStack } from '../servers/session-stack.ts';
import { examineDocker } from './docker.ts';
import { examinePostgres } from './postgres.ts';
import { examineSearch } from './search.ts';

type Kind = PlannedStack['kind'];

const isContained = (kind: StackChoice['kind'] = 'auto'): boolean => kind !== 'auto' && stackKinds[kind].contained;
const isProgram = (kind: Kind): boolean => stackKinds[kind].own && !stackKinds[kind].contained;

/** The servers of a scenario: where they would come from, and whether what that needs is here. */
export async function examineStack(scenario: ResolvedScenario, choice: StackChoice): Promise<Finding[]> {
  const { kind, finding } = await examineChoice(scenario, choice);
  if (kind === null) return [finding];
  const { opensearch = false } = scenario.stack;
  const asksForDocker =
    isContained(choice.kind) || scenario.variants.some(({ treatment }) => isContained(treatment?.postgres?.stack));
  return [
    finding,
    ...versionsOf(scenario, kind).map(examinePostgres),
    ...(await examineDocker(scenario, asksForDocker)),
    ...(await examineSearch({
      needed: opensearch !== false && isProgram(kind),
      version: typeof opensearch === 'object' ? opensearch.version : undefined,
    })),
    ...(await examineParts(scenario, kind)),
  ];
}

async function examineParts(scenario: ResolvedScenario, kind: Kind): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const part of runParts) findings.push(...((await part.examine?.(scenario, kind)) ?? []));
  return findings;
}

/** Checks the stack of a run; if it is not available, it names the choice. Null where nothing would be started. */
async function examineChoice(
  scenario: ResolvedScenario,
  choice: StackChoice,
): Promise<{ kind: Kind | null; finding: Finding }> {
  try {
    const stack = await plannedStack(scenario, choice);
    const why = scenario.target.kind === 'url' ? 'the service already runs' : 'no variant has a Postgres of the bench';
    const found = stack === null ? `none: ${why}` : `${stack.kind} (${stack.reason})`;
    return { kind: stack?.kind ?? null, finding: ok('stack', found) };
  } catch (error) {
    return { kind: choice.kind === 'auto' ? 'embedded' : choice.kind, finding: problemOf('stack', error) };
  }
}

/** The versions of servers that would be programs of this machine; undefined where any version will do. */
function versionsOf({ stack, variants }: ResolvedScenario, kind: Kind): (string | undefined)[] {
  const releases = variants.filter(hasPostgres).map(({ treatment }) => releaseOf(stack.postgres, treatment?.postgres));
  return [...new Set(releases.filter((own) => isProgram(own.stack ?? kind)).map(({ version }) => version))];
}
