import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { userCache } from '../../../base/user-cache.mjs';
import { searchOffHint } from './find-java.ts';
import { runFetcher, type SetUpContext, setUpInCache } from './user-cache.ts';

const pom = fileURLToPath(new URL('../../../../docker/opensearch/pom.xml', import.meta.url));
/** Measured: 64 MB laid out (2.19.6) and 80 MB in Maven's own repository; 3.x has 100 MB more. */
const spaceBytes = 400 * 2 ** 20;

/** The folder of a release in the user's cache, if it is there; null where Maven has yet to fetch it. */
export function findSetUp(version: string, env: NodeJS.ProcessEnv): string | null {
  const home = join(userCache(env, 'opensearch'), version);
  return existsSync(home) ? home : null;
}

/**
 * The folder of an OpenSearch release in the user's cache. Where it is not there, Maven fetches and lays it out, once.
 * Throws PgsweepError('stack') saying what is missing.
 */
export function setUpOpenSearch({ version, ...context }: SetUpContext & { readonly version: string }): Promise<string> {
  const entry = {
    software: 'OpenSearch',
    version,
    cache: userCache(context.env, 'opensearch'),
    name: version,
    from: 'from Maven Central',
    size: 'about 150 MB',
    spaceBytes,
    async layOut(building: string): Promise<string> {
      const failed = await runMaven(building, version, context);
      if (failed !== null) throw cannotFetch(version, failed.how, failed.output);
      return `${building}/opensearch-${version}`;
    },
  };
  return setUpInCache(entry, context);
}

async function runMaven(folder: string, version: string, context: SetUpContext) {
  // The zip of 3.x holds every module already.
  const phase = version.startsWith('2.') ? 'process-resources' : 'initialize';
  const settings = [`-Dlayout.dir=${folder}`, `-Dopensearch.version=${version}`, '-Dstyle.color=never'];
  try {
    return await runFetcher(
      `fetching OpenSearch ${version}`,
      { command: ['mvn', '-B', '-q', '-f', pom, ...settings, phase] },
      context,
    );
  } catch (cause) {
    context.signal?.throwIfAborted();
    throw new PgsweepError('stack', `Maven (mvn) fetches OpenSearch, once, and it ${messageOf(cause)}`, {
      hint: `${mavenInstallHint()}. ${searchOffHint}`,
      cause,
    });
  }
}

/** The command that installs Maven. */
export function mavenInstallHint(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return 'Install it: brew install maven';
  if (platform === 'win32') return 'Install it: winget install Apache.Maven';
  return "Install it: apt-get install maven (or your system's own)";
}

function cannotFetch(version: string, how: string, output: readonly string[]): PgsweepError {
  const errors = output.filter((line) => line.startsWith('[ERROR]') && line.length > '[ERROR] '.length);
  const shown = (errors.length > 0 ? errors : output).slice(0, 5).join('\n');
  const full = output.some((line) => line.includes('No space left on device'));
  return new PgsweepError('stack', `OpenSearch ${version} cannot be fetched: mvn ended with ${how}.\n${shown}`, {
    hint: full
      ? 'The disk is full: free some, or point XDG_CACHE_HOME to a larger one.'
      : `It comes from Maven Central: is this machine online? A proxy or mirror goes into ~/.m2/settings.xml. ${searchOffHint}`,
  });
}
