import { execFile } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PgsweepError } from '../../../base/errors.ts';
import { sampleService } from '../../../journal/sample.ts';
import { fullRelease, javaFor, javaWords, releaseFor, suits } from './opensearch-version.ts';

/** A Java runtime of this machine. */
export interface Java {
  readonly program: string;
  /** For people: `JAVA_HOME`, `PATH`, or its folder. */
  readonly source: string;
  /** 17 for 17.0.15. */
  readonly major: number;
  /** Lucene's speed-up; a cut-down runtime may lack it. */
  readonly hasVectors: boolean;
}

/** A Java, and the OpenSearch release that runs on it. */
export interface JavaForOpenSearch {
  readonly java: Java;
  readonly version: string;
}

export interface JavaSearch {
  readonly env: NodeJS.ProcessEnv;
  /** The OpenSearch release that is asked for; left out: the one that suits the first Java. */
  readonly version?: string | undefined;
  /** Folders with Java installations in them, besides what `env` names; those usual on this system where left out. */
  readonly folders?: readonly string[] | undefined;
}

const answerLimitMs = 20_000;
const run = promisify(execFile);

/**
 * Finds the first Java on which OpenSearch runs: OPENSEARCH_JAVA_HOME (alone, where it is set), JAVA_HOME, PATH, then
 * what is installed where this system has its Javas. Throws PgsweepError('stack') with what was found instead, and how
 * to install one.
 */
export async function findJava({ env, version: asked, folders }: JavaSearch): Promise<JavaForOpenSearch> {
  const version = asked === undefined ? undefined : fullRelease(asked);
  const range = javaFor(version);
  const found: string[] = [];
  for (const [source, program] of candidates(env, folders ?? usualFolders())) {
    const major = await majorOf(program, env);
    const release = typeof major === 'number' && suits(major, range) ? (version ?? releaseFor(major)) : undefined;
    if (typeof major === 'number' && release !== undefined) {
      const java = { program, source, major, hasVectors: major >= 20 && (await hasVectors(program, env)) };
      return { java, version: release };
    }
    const age = typeof major === 'number' && major > range.newest ? 'new' : 'old';
    found.push(`${source}: ${typeof major === 'number' ? `Java ${major}, which is too ${age}` : major}`);
  }
  const what = version === undefined ? 'OpenSearch' : `OpenSearch ${version}`;
  const others =
    version === undefined ? '' : 'Or leave stack.opensearch.version out, for one that suits the Java here. ';
  throw new PgsweepError('stack', `${what} needs Java ${javaWords(range)}. Found ${found.join('; ')}`, {
    hint: `${installHint(range.oldest)}, or point OPENSEARCH_JAVA_HOME at one. ${others}${searchOffHint}`,
  });
}

/** How to do without OpenSearch, as the last sentence of a hint. */
export const searchOffHint = `Or turn search off: stack: { opensearch: off } and ${sampleService.searchOff}.`;

/** The command that installs a Java of this version or later on which every OpenSearch of that age runs. */
function installHint(oldest: number, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return 'Install one: brew install openjdk@21';
  if (platform === 'win32') return 'Install one: winget install EclipseAdoptium.Temurin.21.JRE';
  return `Install one: apt-get install openjdk-${Math.max(17, oldest)}-jre-headless (or your system's own)`;
}

/** On Windows installers set PATH or JAVA_HOME. */
function usualFolders(platform: NodeJS.Platform = process.platform): readonly string[] {
  if (platform === 'darwin') return ['/Library/Java/JavaVirtualMachines', '/opt/homebrew/opt', '/usr/local/opt'];
  return platform === 'win32' ? [] : ['/usr/lib/jvm'];
}

function candidates(env: NodeJS.ProcessEnv, folders: readonly string[]): [source: string, program: string][] {
  const asked = env.OPENSEARCH_JAVA_HOME;
  // Another Java instead would not be what the user meant.
  if (asked) return [['OPENSEARCH_JAVA_HOME', join(asked, 'bin', 'java')]];
  const home = env.JAVA_HOME;
  return [
    ...(home ? [['JAVA_HOME', join(home, 'bin', 'java')] as [string, string]] : []),
    ['PATH', 'java'],
    ...installed(folders),
  ];
}

/** One for each installation: many have several names. */
function installed(folders: readonly string[]): [source: string, program: string][] {
  const programs = folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .flatMap((name) => {
        const homes = [join(folder, name), join(folder, name, 'Contents', 'Home')];
        return homes.map((home) => join(home, 'bin', 'java')).filter(existsSync);
      }),
  );
  const real = new Map(programs.map((program) => [realpathSync(program), program]));
  return [...real.values()].map((program) => [program, program]);
}

/** The major version, or why there is none. */
async function majorOf(program: string, env: NodeJS.ProcessEnv): Promise<number | string> {
  try {
    const { stderr } = await run(program, ['-XshowSettings:properties', '-version'], { env, timeout: answerLimitMs });
    // Up to Java 8 it was called 1.8.
    const major = /java\.specification\.version = (?:1\.)?(\d+)/.exec(stderr)?.[1];
    return major === undefined ? `${program} reports no version` : Number(major);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' ? `no ${program}` : `${program} cannot be run (${code ?? 'no answer'})`;
  }
}

async function hasVectors(program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { stdout } = await run(program, ['--list-modules'], { env, timeout: answerLimitMs });
  return /^jdk\.incubator\.vector/m.test(stdout);
}
