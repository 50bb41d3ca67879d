import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Finding, ok, problem, problemOf } from '../../finding.ts';
import { findJava } from '../../stack/embedded/find-java.ts';
import { findSetUp, mavenInstallHint } from '../../stack/embedded/opensearch-set-up.ts';

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
