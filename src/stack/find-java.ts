import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PgsweepError } from '../base/errors.ts';

/** A Java runtime of this machine. */
export interface Java {
  readonly program: string;
  /** 17 for 17.0.15. */
  readonly major: number;
  /** Lucene's speed-up; a cut-down runtime may lack it. */
  readonly hasVectors: boolean;
}

/** The oldest Java on which any OpenSearch of ours runs. */
const oldestMajor = 11;
const answerLimitMs = 20_000;
const run = promisify(execFile);

/**
 * Finds a Java of version 11 or later: OPENSEARCH_JAVA_HOME, JAVA_HOME, then PATH. Throws PgsweepError('stack') with
 * what was found instead, and how to install one.
 */
export async function findJava(env: NodeJS.ProcessEnv): Promise<Java> {
  const found: string[] = [];
  for (const [source, program] of candidates(env)) {
    const major = await majorOf(program, env);
    if (typeof major === 'number' && major >= oldestMajor) {
      return { program, major, hasVectors: major >= 20 && (await hasVectors(program, env)) };
    }
    found.push(`${source}: ${typeof major === 'number' ? `Java ${major}, which is too old` : major}`);
    // Asked for by name: another Java instead would not be what the user meant.
    if (source === 'OPENSEARCH_JAVA_HOME') break;
  }
  throw new PgsweepError('stack', `OpenSearch needs Java ${oldestMajor} or later. Found ${found.join('; ')}`, {
    hint: `${javaInstallHint()}, or point OPENSEARCH_JAVA_HOME at one. ${searchOffHint}`,
  });
}

/** How to do without OpenSearch, as the last sentence of a hint. */
export const searchOffHint = 'Or turn search off: stack: { opensearch: off } and SEARCH_MODE=off.';

/** The command that installs a Java on which every OpenSearch of ours that is the default runs. */
export function javaInstallHint(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return 'Install one: brew install openjdk@21';
  if (platform === 'win32') return 'Install one: winget install EclipseAdoptium.Temurin.21.JRE';
  return "Install one: apt-get install openjdk-17-jre-headless (or your system's own)";
}

function candidates(env: NodeJS.ProcessEnv): [source: string, program: string][] {
  const homes = ['OPENSEARCH_JAVA_HOME', 'JAVA_HOME'].flatMap((name): [string, string][] => {
    const home = env[name];
    return home ? [[name, join(home, 'bin', 'java')]] : [];
  });
  return [...homes, ['PATH', 'java']];
}

/** The major version, or why there is none. */
async function majorOf(program: string, env: NodeJS.ProcessEnv): Promise<number | string> {
  try {
    const { stderr } = await run(program, ['-XshowSettings:properties', '-version'], { env, timeout: answerLimitMs });
    // Up to Java 8 it was called 1.8.
    const major = /java\.specification\.version = (?:1\.)?(\d+)/.exec(stderr)?.[1];
    return major === undefined ? `${program} does not tell its version` : Number(major);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' ? `no ${program}` : `${program} cannot be run (${code ?? 'no answer'})`;
  }
}

async function hasVectors(program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { stdout } = await run(program, ['--list-modules'], { env, timeout: answerLimitMs });
  return /^jdk\.incubator\.vector/m.test(stdout);
}
