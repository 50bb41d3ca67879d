import { availableParallelism } from 'node:os';
import { PgsweepError } from '../../../base/errors.ts';
import { isLoopback } from '../../../base/loopback.ts';
import { plannedVariants } from '../../../journal/line-up.ts';
import { needsPostgres } from '../../../journal/link/own-database.ts';
import type { Provenance } from '../../../journal/records.ts';
import type { PostgresRelease, ResolvedScenario, ServerLimits, Variant } from '../../../journal/scenario-record.ts';
import { needOfOwnServers, type ServerPlan } from '../../plan/own-servers.ts';
import { type StackName, stackKinds, stackNames } from '../../stack/kinds.ts';
import { chooseStack, type Stack, type StackChoice } from '../../stack/stack.ts';
import { settingMistakes } from '../../treatment/setting-mistake.ts';
import type { EmitEvent } from '../events.ts';
import type { RunWarning } from '../warnings.ts';
import { cpusetWarnings } from './cpusets.ts';

type StackScenario = Pick<ResolvedScenario, 'stack' | 'target'> & ServerPlan;

/**
 * Chooses the stack of a run, says which and why before anything else, and refuses what it cannot do. Throws
 * PgsweepError('stack', 'scenario' or 'usage').
 */
export async function openStack(scenario: StackScenario, choice: StackChoice, emit: EmitEvent): Promise<Stack> {
  if (scenario.target.kind === 'url') return besideUrl(scenario, choice);
  // None is opened, so any will do.
  if (startsNothing(scenario)) return chooseStack({ kind: 'embedded' }, scenario);
  const stack = await chooseStack(choice, scenario);
  emit({ kind: 'preparing', message: `stack: ${stack.kind} (${stack.reason})` });
  if (stackKinds[stack.kind].own) refuseUnknownSettings(scenario, stack.kind);
  else {
    refuseOwnServers(scenario, externalServer);
    refuseNamedCertificate(scenario.variants, choice.postgresUrl);
  }
  for (const warning of warningsOf(scenario, stack)) emit({ kind: 'warning', warning });
  return stack;
}

export type PlannedStack = Pick<Stack, 'kind' | 'reason'>;

/** The stack that a run would have, of which nothing is started; null where it would have none. Throws as `openStack`. */
export async function plannedStack(scenario: StackScenario, choice: StackChoice): Promise<PlannedStack | null> {
  const { kind, reason } = await openStack(scenario, choice, () => {});
  return scenario.target.kind === 'url' || startsNothing(scenario) ? null : { kind, reason };
}

/** True if services have their own servers, and get none. */
function startsNothing(scenario: StackScenario): boolean {
  return !needsPostgres(scenario) && !scenario.stack.opensearch;
}

/** A service that already runs has its own servers: none is started, and only its OpenSearch can be watched. */
function besideUrl(scenario: StackScenario, { openSearchUrl }: StackChoice): Promise<Stack> {
  const { opensearch = false } = scenario.stack;
  refuseOwnServers(scenario, runningService);
  if (opensearch === false) return chooseStack({ kind: 'embedded' }, scenario);
  if (openSearchUrl === undefined) {
    throw new PgsweepError(
      'scenario',
      'stack.opensearch is on, and a service that already runs is given no OpenSearch',
      {
        hint: 'Remove stack.opensearch; or, to watch the OpenSearch that the service uses, name it: --opensearch URL',
      },
    );
  }
  return chooseStack({ kind: 'external', openSearchUrl }, scenario);
}

/**
 * The stack for a resumed run: the one it began with, since rounds on another cannot be compared. Throws
 * PgsweepError('usage') where another is asked for.
 */
export function resumedChoice(choice: StackChoice, { stack }: Pick<Provenance, 'stack'>): StackChoice {
  const before = stackNames.find((kind) => kind === stack);
  if (before === undefined || choice.kind === before) return choice;
  const { own } = stackKinds[before];
  if (choice.kind === 'auto' && own) return { kind: before };
  throw new PgsweepError('usage', `the run began with the stack ${before}, and cannot be resumed with ${choice.kind}`, {
    hint: own ? `Resume it with --stack ${before}.` : 'Give its server again: --postgres URL',
  });
}

/** Settings that the servers to be started do not have, whose versions the scenario need not name. */
function refuseUnknownSettings(scenario: StackScenario, kind: StackName): void {
  const versionOf = (release: PostgresRelease) => stackKinds[release.stack ?? kind].versionOf(release);
  const [mistake] = settingMistakes({ ...scenario, variants: plannedVariants(scenario) }, versionOf);
  if (mistake === undefined) return;
  const { variant, message } = mistake;
  const place = variant === null ? 'stack.postgres.settings' : `variant "${variant}"`;
  throw new PgsweepError('scenario', `${place}: ${message}`, {
    hint: 'Another version of Postgres: stack: { postgres: { version: 17 } }, also of one variant.',
  });
}

/** Whose servers are used, and what to do where the scenario asks for others. */
interface Owner {
  readonly words: string;
  readonly hint: string;
}

const externalServer: Owner = {
  words: 'the server is external',
  hint: 'The settings of an external server are what they are: set them there, or use --stack embedded or docker.',
};
const runningService: Owner = {
  words: 'the service already runs, with its own servers',
  hint: 'Remove that: nothing is started for a url target.',
};

const OWN_SERVERS =
  'its own server for some variant (a setting that needs a restart, another Postgres, sql that changes the whole server or has undo), or a restart in every round';

/** On somebody else's server nothing is set and nothing is started. */
function refuseOwnServers(scenario: StackScenario, { words, hint }: Owner): void {
  const { postgres, opensearch } = scenario.stack;
  const { settings, version, image, port } = postgres;
  const search = typeof opensearch === 'object' ? opensearch : {};
  const asked = [
    ...Object.keys(settings).map((name) => `stack.postgres.settings.${name}`),
    ...given('postgres', { version, image, port }),
    ...given('opensearch', { version: search.version, image: search.image, heap: search.heapMb }),
    ...(needOfOwnServers(scenario) !== null ? [OWN_SERVERS] : []),
  ];
  if (asked.length === 0) return;
  throw new PgsweepError('scenario', `the scenario asks for ${asked.join(', ')}, and ${words}`, { hint });
}

function given(server: string, values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`stack.${server}.${name}`]));
}

function warningsOf({ stack: spec }: StackScenario, { kind }: Stack): RunWarning[] {
  const search = typeof spec.opensearch === 'object' ? spec.opensearch : {};
  const limited = { postgres: spec.postgres, opensearch: search };
  if (stackKinds[kind].contained) return cpusetWarnings(limited, availableParallelism());
  const ignored = Object.entries(limited).flatMap(([name, limits]) => given(name, limitsOf(limits)));
  return ignored.length === 0 ? [] : [{ kind: 'limits-ignored', keys: ignored, stack: kind }];
}

function limitsOf({ cpus, cpuset, memory }: ServerLimits): Readonly<Record<string, unknown>> {
  return { cpus, cpuset, memory };
}

/**
 * Throws PgsweepError `stack` if a server's address asks for a check of its certificate's name, and some variant has a
 * distance. The distance leads over 127.0.0.1, which the certificate of another machine does not name. A pooler is nearer
 * to the server, and uses the real name.
 */
export function refuseNamedCertificate(variants: readonly Variant[], url: string | undefined): void {
  if (url === undefined || !URL.canParse(url) || isLoopback(url)) return;
  const mode = checkingMode(new URL(url).searchParams);
  const distant = variants.find(({ distance, pooler }) => distance !== undefined && pooler === undefined);
  if (mode === null || distant === undefined) return;
  const { hostname } = new URL(url);
  throw new PgsweepError(
    'stack',
    `with ${mode} the certificate must name 127.0.0.1, where the distance of "${distant.name}" is made, instead of ${hostname}`,
    {
      hint: 'Turn the check of the name off: sslmode=require&uselibpqcompat=true, or sslmode=verify-ca&sslrootcert=FILE&uselibpqcompat=true (without uselibpqcompat, node-postgres treats both as verify-full). Or leave out rtt, jitter and bandwidth.',
    },
  );
}

/** The parameter that asks for a check of the name, by the rules of node-postgres, which the bench uses; null if none does. */
function checkingMode(parameters: URLSearchParams): string | null {
  const mode = parameters.get('sslmode');
  if (mode === 'verify-full') return `sslmode=${mode}`;
  if (parameters.get('uselibpqcompat') === 'true') return null;
  if (mode !== null) return ['prefer', 'require', 'verify-ca'].includes(mode) ? `sslmode=${mode}` : null;
  const ssl = parameters.get('ssl');
  return ssl === 'true' || ssl === '1' ? `ssl=${ssl}` : null;
}
