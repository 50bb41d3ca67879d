import { availableParallelism } from 'node:os';
import { PgsweepError } from '../base/errors.ts';
import type { ResolvedScenario, ServerLimits } from '../journal/scenario-record.ts';
import { chooseStack, type Stack, type StackChoice } from '../stack/stack.ts';
import { type ServerPlan, serversPerRound } from '../treatment/changes.ts';
import { cpusetWarnings } from './cpusets.ts';
import type { EmitEvent } from './events.ts';

type StackScenario = Pick<ResolvedScenario, 'stack' | 'target'> & ServerPlan;

/**
 * Chooses the stack of a run, says which and why before anything else, and refuses what it cannot do. Throws
 * PgsweepError('stack', 'scenario' or 'usage').
 */
export async function openStack(scenario: StackScenario, choice: StackChoice, emit: EmitEvent): Promise<Stack> {
  // A service that already runs has its own database; nothing is looked for.
  if (scenario.target.kind === 'url') return chooseStack({ kind: 'embedded' }, scenario.stack);
  const stack = await chooseStack(choice, scenario.stack);
  emit({ kind: 'preparing', message: `stack: ${stack.kind} (${stack.reason})` });
  if (stack.kind === 'external') refuseOwnServers(scenario);
  for (const message of warningsOf(scenario, stack)) emit({ kind: 'warning', message });
  return stack;
}

/** On somebody else's server nothing is set and nothing is started. */
function refuseOwnServers(scenario: StackScenario): void {
  const { settings, version, image, port } = scenario.stack.postgres;
  const asked = [
    ...Object.keys(settings).map((name) => `stack.postgres.settings.${name}`),
    ...Object.entries({ version, image, port }).flatMap(([name, value]) => (value ? [`stack.postgres.${name}`] : [])),
    ...(serversPerRound(scenario) > 0 ? ['a server of its own for some variant, or a restart in every round'] : []),
  ];
  if (asked.length === 0) return;
  throw new PgsweepError('scenario', `the scenario asks for ${asked.join(', ')}, and the server is external`, {
    hint: 'The settings of an external server are what they are: set them there, or use --stack embedded or docker.',
  });
}

function warningsOf({ stack: spec }: StackScenario, { kind }: Stack): string[] {
  const search = typeof spec.opensearch === 'object' ? spec.opensearch : {};
  const limited = { postgres: spec.postgres, opensearch: search };
  if (kind === 'docker') return cpusetWarnings(limited, availableParallelism());
  const ignored = Object.entries(limited).flatMap(([name, limits]) =>
    limitNames(limits).map((limit) => `stack.${name}.${limit}`),
  );
  return ignored.length === 0 ? [] : [`${ignored.join(', ')}: only containers have limits, and the stack is ${kind}`];
}

function limitNames({ cpus, cpuset, memory }: ServerLimits): string[] {
  return Object.entries({ cpus, cpuset, memory }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}
